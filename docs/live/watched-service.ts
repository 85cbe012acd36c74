import type { Clock } from 'authgraph'
import type {
  DeviceGrantContext,
  DeviceGrantState,
  RefreshFamilyContext,
  refreshFamily,
} from 'authgraph/machines'
import { createService, memoryStore, type Service, type ServiceOptions, type Store } from 'authgraph/service'
import type { SnapshotFrom } from 'xstate'

/** The registered client. */
export const CLIENT = { clientId: 'deploy-tool', name: 'Deploy Tool' }

/** The URL of the service. No request is sent there. */
export const AUTH_URL = 'https://login.example'

/** Milliseconds that issuing a token takes. */
const ISSUING = 300

/** A grant as the store keeps it. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** A family of refresh tokens as the store keeps it. */
export interface Family extends RefreshFamilyContext {
  readonly state: SnapshotFrom<typeof refreshFamily>['value']
}

/** Creates a service that reports each change of its store. It has no leeway: a poll one millisecond early is too early. */
export function createWatchedService(
  clock: Clock,
  onChange: (key: string, before: unknown, after: unknown) => void,
  options: Pick<ServiceOptions, 'refreshTokens' | 'onEvent'> = {},
): Service {
  return createService({
    clients: [CLIENT],
    authUrl: AUTH_URL,
    leeway: 0,
    clock,
    store: watchedStore(memoryStore({ clock }), onChange),
    issueToken: async () => {
      await new Promise((resolve) => clock.setTimeout(() => resolve(undefined), ISSUING))
      return `gho_${crypto.randomUUID().replaceAll('-', '')}`
    },
    identify: () => ({ user: { id: 1, login: 'octocat' } }),
    // The warnings are about production.
    onWarning: () => undefined,
    ...options,
  })
}

function watchedStore(store: Store, onChange: (key: string, before: unknown, after: unknown) => void): Store {
  return {
    update: (key, change) =>
      store.update(key, (value) => {
        const made = change(value)
        if (made.value) onChange(key, value, made.value)
        return made
      }),
  }
}
