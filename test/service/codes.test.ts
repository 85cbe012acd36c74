import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseDeviceCodes } from '../../src/protocol/device-codes.ts'
import { Secret } from '../../src/secret.ts'
import { newUserCode } from '../../src/service/credentials/random-codes.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

describe('the device code response', () => {
  test('has the fields and defaults of the specification', async () => {
    const { status, body, headers } = await startService().askForCodes({ scope: 'repo,gist' })
    expect(status).toBe(200)
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[0-9a-f]{40}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost/login/device',
      verification_uri_complete: `http://localhost/login/device?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0)
    expect(parseDeviceCodes(body).userCode).toBe(body.user_code)
  })

  test('has the interval and the lifetime from the options, and different codes for each request', async () => {
    const service = startService({ interval: 7, expiresIn: 60 })
    const [{ body: one }, { body: two }] = [await service.askForCodes(), await service.askForCodes()]
    expect(one).toMatchObject({ interval: 7, expires_in: 60 })
    expect(one.device_code).not.toBe(two.device_code)
    expect(one.user_code).not.toBe(two.user_code)
  })

  test('uses every letter of user codes with the same probability', () => {
    let byte = 240
    const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
      return (bytes as unknown as Uint8Array).map(() => byte++ % 256) as unknown as typeof bytes
    })
    onTestFinished(() => random.mockRestore())
    // 240 of 256 byte values are used, which make 30 codes.
    const letters = Array.from({ length: 30 }, newUserCode).join('').replaceAll('-', '')
    const counts = [...new Set(letters)].map((letter) => letters.split(letter).length - 1)
    expect(counts).toEqual(Array(20).fill(12))
  })

  test('never repeats a user code that is still valid', async () => {
    const drawn: string[] = []
    const service = startService({
      store: {
        // The first two user codes are taken.
        update: async (key, change) => {
          if (!key.startsWith('user-code:')) return change(undefined).result
          drawn.push(key.slice('user-code:'.length))
          return change(drawn.length < 3 ? { grant: 'grant:of another' } : undefined).result
        },
      },
    })
    const { body } = await service.askForCodes()
    expect(drawn).toEqual([expect.any(String), expect.any(String), body.user_code])
  })
})

/** A number of distinct scopes. */
const scopes = (count: number) => Array.from({ length: count }, (_, index) => index).join(' ')

test.each([
  ['github', { client_id: 'nobody' }, 404, 'incorrect_client_credentials'],
  ['rfc8628', { client_id: 'nobody' }, 401, 'invalid_client'],
  ['github', { client_id: '' }, 400, 'invalid_request'],
  ['rfc8628', { client_id: '' }, 400, 'invalid_request'],
] as const)(
  'in the dialect %s, a request for codes with %j gets %i %s',
  async (dialect, fields, status, error) => {
    const response = await startService({ dialect }).askForCodes(fields)
    expect(response).toMatchObject({ status, body: { error, error_description: expect.any(String) } })
    expect(response.headers.has('www-authenticate')).toBe(status === 401)
  },
)

describe('scopes', () => {
  test.each(['a"b', 'a\\b', 'ä', 'a\nb', 'x'.repeat(2001), `${scopes(50)} one`])(
    'are refused as %j',
    async (scope) => {
      const response = await startService().askForCodes({ scope })
      expect(response).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    },
  )

  test('may be any, 2,000 characters long, or fifty in number, if the client has no list', async () => {
    for (const scope of ['delete_repo,unknown', 'x'.repeat(2000), `${scopes(50)} 7`])
      expect((await startService().askForCodes({ scope })).status).toBe(200)
  })

  test('that a client is not allowed to request are refused', async () => {
    const client = { clientId: CLIENT_ID, name: 'App', scopes: ['repo', 'read:user'] }
    const { askForCodes } = startService({ clients: [client] })
    for (const scope of ['', 'repo', 'read:user,repo', 'repo repo'])
      expect((await askForCodes({ scope })).status).toBe(200)
    for (const scope of ['repo,delete_repo', 'rep', 'toString'])
      expect(await askForCodes({ scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    const { body } = await askForCodes({ scope: 'repo admin:org' })
    expect(body.error_description).toBe('the client may not request the scope admin:org')
  })

  test.each([
    [' repo,  gist,repo ', 'repo,gist', 'repo gist'],
    ['', '', ''],
  ])('%j is granted as %j or %j', async (scope, comma, space) => {
    for (const [dialect, granted] of [
      ['github', comma],
      ['rfc8628', space],
    ] as const) {
      const service = startService({ dialect })
      const { userCode, poll } = await service.begin({ scope })
      await service.approve(userCode, 'octocat')
      expect((await poll()).body.scope).toBe(granted)
    }
  })
})

test('a client ID wrapped in a Secret is the same client', async () => {
  const service = startService({ clients: [{ clientId: new Secret(CLIENT_ID), name: 'App' }] })
  expect((await service.askForCodes()).status).toBe(200)
})
