import type { User } from '../../machines/device-grant.ts'
import { githubApi } from '../../src/github-api/github-api.ts'
import {
  createService,
  type MemoryStore,
  memoryStore,
  type ServiceEvent,
  type ServiceOptions,
  type Store,
} from '../../src/service/index.ts'

export const CLIENT_ID = 'client-id-in-the-clear'
export const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
export const HOST = 'http://localhost'
export const CODES_PATH = '/login/device/code'
export const TOKEN_PATH = '/login/oauth/access_token'

type Fields = Readonly<Record<string, string>>

/** A response, with its body parsed as JSON. */
export interface Said {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests check the response field by field.
  readonly body: any
}

/** Options of a service. Its store may also be built around the one in memory, which has the clock of the service. */
export type TestOptions = Partial<Omit<ServiceOptions, 'store'>> & {
  readonly store?: Store | ((memory: MemoryStore) => Store)
}

/**
 * A service whose clock advances only with `wait`, and the requests of a device. Its events, warnings and errors are
 * recorded, and the address of a client is what the header `x-from` says.
 */
export function startService({ store = (memory) => memory, ...options }: TestOptions = {}) {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const memory = memoryStore({ clock: options.clock ?? clock })
  const events: ServiceEvent[] = []
  const warnings: string[] = []
  const errors: unknown[] = []
  const service = createService({
    clients: [
      { clientId: CLIENT_ID, name: 'App' },
      { clientId: 'another', name: 'Another app' },
    ],
    clock,
    api: githubApi(options.apps),
    clientAddress: ({ header, address }) => header('x-from') ?? address,
    store: typeof store === 'function' ? store(memory) : store,
    onEvent: (event) => events.push(event),
    onWarning: (message) => warnings.push(message),
    onError: (error) => errors.push(error),
    ...options,
  })

  async function send(path: string, init: RequestInit = {}): Promise<Said> {
    const response = await service.fetch(`${HOST}${path}`, init)
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }

  const post = (path: string, fields: Fields, headers: Fields = {}) =>
    send(path, { method: 'POST', headers, body: new URLSearchParams(fields) })

  const askForCodes = (fields: Fields = {}, headers: Fields = {}) =>
    post(CODES_PATH, { client_id: CLIENT_ID, ...fields }, headers)

  const poll = (device_code: string, fields: Fields = {}, headers: Fields = {}) =>
    post(TOKEN_PATH, { client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE, ...fields }, headers)

  /** Requests the codes of a new authorization, and polls with them. */
  async function begin(fields?: Fields) {
    const { body } = await askForCodes(fields)
    return {
      deviceCode: body.device_code as string,
      userCode: body.user_code as string,
      poll: () => poll(body.device_code, fields),
    }
  }

  /** An authorization of two scopes that the user has approved. */
  async function approved(fields: Fields = {}, user: User = { id: 7, login: 'octocat' }) {
    const grant = await begin({ scope: 'repo,gist', ...fields })
    await service.approve(grant.userCode, user)
    return grant
  }

  return {
    ...service,
    clock,
    memory,
    errors,
    warnings,
    events,
    /** The events since the last call. */
    told: () => events.splice(0),
    /** Advances the clock by seconds. */
    wait: (seconds: number) => {
      clock.time += seconds * 1000
    },
    send,
    post,
    askForCodes,
    poll,
    begin,
    approved,
    /** The token response of a user who approves two scopes. */
    login: async (fields?: Fields): Promise<Said['body']> => (await (await approved(fields)).poll()).body,
    /** Spends a refresh token. */
    refresh: (refresh_token: string, fields: Fields = {}) =>
      post(TOKEN_PATH, { client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token, ...fields }),
    /** The user of a token, according to the API. */
    whoIs: (token: string) => send('/user', { headers: { authorization: `Bearer ${token}` } }),
  }
}
