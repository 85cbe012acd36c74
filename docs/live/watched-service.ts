import type { Clock } from 'authgraph'
import type { DeviceGrantContext, DeviceGrantState } from 'authgraph/machines'
import { createService, memoryStore, type Service, type Store } from 'authgraph/service'

/** The registered client. */
export const CLIENT = { clientId: 'coffee-machine', name: 'Coffee machine' }

/** The URL of the service. No request is sent there. */
export const AUTH_URL = 'https://login.example'

/** Milliseconds that issuing a token takes. */
const ISSUING = 1500

/** A grant as the store keeps it. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** A change of a grant. `before` is `undefined` for a new one. */
export interface Step {
  readonly before: Grant | undefined
  readonly after: Grant
}

/** Creates a service that reports each change of a grant. It has no leeway: a poll one millisecond early is too early. */
export function createWatchedService(clock: Clock, onStep: (step: Step) => void): Service {
  return createService({
    clients: [CLIENT],
    authUrl: AUTH_URL,
    leeway: 0,
    clock,
    store: watchedStore(memoryStore({ clock }), onStep),
    issueToken: async () => {
      await new Promise((resolve) => clock.setTimeout(() => resolve(undefined), ISSUING))
      return `gho_${crypto.randomUUID().replaceAll('-', '')}`
    },
  })
}

function watchedStore(store: Store, onStep: (step: Step) => void): Store {
  return {
    update: (key, change) =>
      store.update(key, (value) => {
        const made = change(value)
        if (key.startsWith('grant:') && made.value)
          onStep({ before: value as unknown as Grant | undefined, after: made.value as unknown as Grant })
        return made
      }),
  }
}
