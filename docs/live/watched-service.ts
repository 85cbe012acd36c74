import type { Clock } from 'authgraph'
import type { DeviceGrantContext, DeviceGrantState } from 'authgraph/machines'
import { createService, memoryStore, type Service, type Store } from 'authgraph/service'

/** What the device is registered as. */
export const CLIENT = { clientId: 'coffee-machine', name: 'Coffee machine' }

/** Where the service would be. No request is sent there. */
export const AUTH_URL = 'https://login.example'

/** Milliseconds that it takes to make a token. */
const ISSUING = 1500

/** A grant as it lies in the store. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** A step of a grant: nothing was there before its first one. */
export interface Step {
  readonly before: Grant | undefined
  readonly after: Grant
}

/** The service, with someone who looks on as its grants change. It is strict: a poll one millisecond early is too early. */
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
