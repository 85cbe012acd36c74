import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client, FindClient } from '../../src/service/index.ts'
import { CLIENT_ID, CODES_PATH, GRANT_TYPE, startService, TOKEN_PATH } from '../support/start-service.ts'

const API = 'https://api.example'
const APP: Client = { clientId: CLIENT_ID, name: 'App' }

/** A service that asks a function of the host, which a test may replace. */
function world() {
  const host: { find: FindClient } = { find: async (clientId) => (clientId === CLIENT_ID ? APP : undefined) }
  const service = startService({
    clients: (clientId) => host.find(clientId),
    dialect: 'rfc8628',
    refreshTokens: { lifetime: 3600 },
    resources: [{ uri: API, name: 'API', secret: 'secret of the API' }],
  })
  return { host, service }
}

type World = ReturnType<typeof world>

/** The requests that look a client up, each of a login for the API, and the status of the response if it is found. */
const ENDPOINTS: Record<string, (at: World) => Promise<() => Promise<{ status: number; body: object }>>> = {
  'device code': async ({ service }) => service.askForCodes,
  refresh: async ({ service }) => {
    const { refresh_token } = await service.login({ scope: 'repo', resource: API })
    return () => service.refresh(refresh_token)
  },
  introspection: async ({ service }) => {
    const { access_token: token } = await service.login({ scope: 'repo', resource: API })
    const asked = { client_id: API, client_secret: 'secret of the API', token }
    return () => service.post('/login/oauth/introspect', asked)
  },
}

describe.each(Object.entries(ENDPOINTS))('a client of a function, at the %s endpoint', (name, begin) => {
  test('is found, by this instance and by another one', async () => {
    const at = world()
    const send = await begin(at)
    const { status, body } = await send()
    expect(status).toBe(200)
    if (name === 'introspection') expect(body).toMatchObject({ active: true, client_id: CLIENT_ID })
  })

  test.each<[string, FindClient, number, string]>([
    ['fails', () => Promise.reject(new Error('down')), 503, 'temporarily_unavailable'],
    ['throws', () => raise(), 503, 'temporarily_unavailable'],
    ['returns no client', () => ({ name: 'App' }) as never, 500, 'server_error'],
    ['returns an unknown option', () => ({ ...APP, scope: [] }) as never, 500, 'server_error'],
  ])('is no reason to give up if the function %s', async (_, find, status, error) => {
    const at = world()
    const send = await begin(at)
    at.host.find = find
    expect(await send()).toMatchObject({ status, body: { error } })
    expect(String(at.service.errors[0])).toMatch(/down|the function clients returned no valid client: /)
    at.host.find = () => APP
    expect((await send()).status).toBe(200)
  })

  test('is unknown once the function does not find it, or finds one with another id', async () => {
    if (name === 'introspection') return
    for (const found of [undefined, null as never, { ...APP, clientId: CLIENT_ID.toUpperCase() }]) {
      const at = world()
      const send = await begin(at)
      at.host.find = () => found
      expect(await send()).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
  })
})

test('an id that is too long is never looked up', async () => {
  const { host, service } = world()
  const asked: string[] = []
  host.find = (clientId) => void asked.push(clientId)
  const clientId = 'a'.repeat(2049)
  expect((await service.post(CODES_PATH, { client_id: clientId })).status).toBe(401)
  await service.post(CODES_PATH, { client_id: clientId.slice(1) })
  expect(asked).toEqual([clientId.slice(1)])
})

test('a function that takes longer than ten seconds has failed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { host, service } = world()
  host.find = () => new Promise(() => {})
  const sent = service.askForCodes()
  await vi.advanceTimersByTimeAsync(10_000)
  expect((await sent).status).toBe(503)
  expect(service.errors).toEqual([new Error('the function clients took longer than ten seconds')])
})

test('the secret of a client that the function finds is checked', async () => {
  const { host, service } = world()
  const { deviceCode } = await service.begin()
  host.find = () => ({ ...APP, clientSecret: 'right' })
  const poll = (client_secret: string) =>
    service.post(TOKEN_PATH, {
      client_id: CLIENT_ID,
      client_secret,
      device_code: deviceCode,
      grant_type: GRANT_TYPE,
    })
  expect((await poll('wrong')).body.error).toBe('invalid_client')
  expect((await poll('right')).body.error).toBe('authorization_pending')
})

test('logins go on when the list of clients becomes a function', async () => {
  const options = { dialect: 'rfc8628', refreshTokens: { lifetime: 3600 } } as const
  const before = startService(options)
  const { refresh_token, access_token } = await before.login({ scope: 'repo' })
  const after = startService({ ...options, store: before.memory, clients: () => APP })
  expect((await after.refresh(refresh_token)).status).toBe(200)
  const gate = after.requireToken()
  const headers = new Headers({ authorization: `Bearer ${access_token}` })
  expect((await gate({ headers })).client?.name).toBe('App')
})

test('an approval counts while the function fails, and its event is told without the client', async () => {
  const { host, service } = world()
  const { userCode } = await service.begin()
  host.find = () => Promise.reject(new Error('down'))
  service.told()
  expect(await service.approve(userCode, 'mona')).toBe('done')
  expect(service.told()).toMatchObject([{ type: 'decision', decision: 'approved' }])
})

function raise(): never {
  throw new Error('down')
}
