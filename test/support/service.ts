import { createService, type ServiceOptions } from '../../src/service/index.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** A service whose time passes by `wait`, and a client that asks it whatever it likes. */
export function embedded(options: Partial<ServiceOptions> = {}) {
  const clock = {
    at: Date.UTC(2026, 0, 1),
    now: () => clock.at,
  }
  const service = createService({ clients: [{ clientId: 'id', name: 'App' }], clock, ...options })

  async function post(
    path: string,
    body: string | Record<string, string>,
    headers: Record<string, string> = {},
  ) {
    const isForm = typeof body === 'object'
    const answer = await service.fetch(`http://localhost${path}`, {
      method: 'POST',
      headers: { ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
      body: isForm ? new URLSearchParams(body).toString() : body,
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  return {
    service,
    post,
    /** Lets this many seconds pass. */
    wait: (seconds: number) => {
      clock.at += seconds * 1000
    },
    codes: async (fields: Record<string, string> = {}) =>
      (await post('/login/device/code', { client_id: 'id', ...fields })).body,
    poll: (device_code: string, fields: Record<string, string> = {}) =>
      post('/login/oauth/access_token', { client_id: 'id', device_code, grant_type: GRANT_TYPE, ...fields }),
  }
}
