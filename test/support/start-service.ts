import { createService, type ServiceOptions } from '../../src/service/index.ts'

export const CLIENT_ID = 'client-id-in-the-clear'
export const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
export const HOST = 'http://localhost'
export const TOKEN_PATH = '/login/oauth/access_token'

/** A response, with its body parsed as JSON. */
export interface Said {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests check the response field by field.
  readonly body: any
}

/** A service whose clock advances only with `wait`, and the requests of a device. */
export function startService(options: Partial<ServiceOptions> = {}) {
  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const errors: unknown[] = []
  const service = createService({
    clients: [
      { clientId: CLIENT_ID, name: 'App' },
      { clientId: 'another', name: 'Another app' },
    ],
    clock,
    onError: (error) => errors.push(error),
    onWarning: () => undefined,
    ...options,
  })

  async function send(path: string, init: RequestInit = {}): Promise<Said> {
    const response = await service.fetch(`${HOST}${path}`, init)
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }

  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', headers, body: new URLSearchParams(fields) })

  const askForCodes = (fields: Record<string, string> = {}) =>
    post('/login/device/code', { client_id: CLIENT_ID, ...fields })

  const poll = (device_code: string, fields: Record<string, string> = {}) =>
    post(TOKEN_PATH, {
      client_id: CLIENT_ID,
      device_code,
      grant_type: GRANT_TYPE,
      ...fields,
    })

  /** Requests the codes of a new authorization, and polls with them. */
  async function begin(fields?: Record<string, string>) {
    const { body } = await askForCodes(fields)
    return {
      deviceCode: body.device_code as string,
      userCode: body.user_code as string,
      poll: () => poll(body.device_code, fields),
    }
  }

  return {
    ...service,
    errors,
    clock,
    /** Advances the clock by seconds. */
    wait: (seconds: number) => {
      clock.time += seconds * 1000
    },
    send,
    post,
    askForCodes,
    poll,
    begin,
    /** The token response of a user who approves two scopes. */
    login: async (fields?: Record<string, string>): Promise<Said['body']> => {
      const { userCode, poll } = await begin({ scope: 'repo,gist', ...fields })
      await service.approve(userCode, { id: 7, login: 'octocat' })
      return (await poll()).body
    },
    /** Spends a refresh token. */
    refresh: (refresh_token: string, fields: Record<string, string> = {}) =>
      post(TOKEN_PATH, { client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token, ...fields }),
    /** The user of a token, according to the API. */
    whoIs: (token: string) => send('/user', { headers: { authorization: `Bearer ${token}` } }),
  }
}
