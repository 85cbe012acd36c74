import { describe, expect, test } from 'vitest'
import { type Said, startService } from '../support/start-service.ts'

const DIALECTS = [
  {
    dialect: 'github',
    status: 200,
    unknownCode: 'incorrect_device_code',
    unknownClient: { status: 200, error: 'incorrect_client_credentials' },
  },
  {
    dialect: 'rfc8628',
    status: 400,
    unknownCode: 'invalid_grant',
    unknownClient: { status: 401, error: 'invalid_client' },
  },
] as const

const errorOf = ({ body }: Said) => body.error as string | undefined

describe.each(DIALECTS)('dialect $dialect', ({ dialect, status, unknownCode, unknownClient }) => {
  test('returns the poll result for each state of a grant', async () => {
    const service = startService({ dialect })
    const pending = await service.begin()
    expect(await pending.poll()).toMatchObject({ status, body: { error: 'authorization_pending' } })
    expect(await pending.poll()).toMatchObject({ status, body: { error: 'slow_down', interval: 10 } })
    expect(await pending.poll()).toMatchObject({ status, body: { error: 'slow_down', interval: 15 } })

    await service.deny(pending.userCode)
    expect(await pending.poll()).toMatchObject({ status, body: { error: 'access_denied' } })
    service.wait(900)
    expect(await pending.poll()).toMatchObject({ status, body: { error: 'expired_token' } })

    const approved = await service.begin({ scope: 'repo' })
    await service.approve(approved.userCode, 'octocat')
    expect(await approved.poll()).toMatchObject({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^gho_[0-9a-f]{40}$/),
        token_type: 'bearer',
        scope: 'repo',
      },
    })
  })

  test('an unknown code and one of another client get the same response, which is not cached', async () => {
    const service = startService({ dialect })
    const { deviceCode, poll, userCode } = await service.begin()
    const foreign = await service.poll(deviceCode, { client_id: 'another' })
    expect(foreign).toMatchObject({ status, body: { error: unknownCode } })
    expect((await service.poll('f'.repeat(40))).body).toEqual(foreign.body)
    // And the grant is unaffected: neither polled nor redeemed.
    const pending = await poll()
    expect(errorOf(pending)).toBe('authorization_pending')
    for (const { body, headers } of [foreign, pending, await poll()]) {
      expect(body.error_description).toMatch(/\w+ \w+/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
    await service.approve(userCode, 'octocat')
    expect(errorOf(await service.poll(deviceCode, { client_id: 'another' }))).toBe(unknownCode)
    expect((await poll()).body.access_token).toBeDefined()
  })

  test.each([
    [{ grant_type: 'authorization_code' }, status, 'unsupported_grant_type'],
    [{ client_id: '' }, 400, 'invalid_request'],
    [{ device_code: '' }, 400, 'invalid_request'],
    [{ grant_type: '' }, 400, 'invalid_request'],
    [{ client_id: 'nobody' }, unknownClient.status, unknownClient.error],
  ])('a poll with %j gets %i %s', async (fields, expected, error) => {
    const service = startService({ dialect })
    const { deviceCode } = await service.begin()
    expect(await service.poll(deviceCode, { ...fields })).toMatchObject({ status: expected, body: { error } })
  })
})

test('the end of the lifetime is reported for ten minutes', async () => {
  const service = startService()
  const approved = await service.begin()
  await service.approve(approved.userCode, 'octocat')
  service.wait(900)
  expect(errorOf(await approved.poll())).toBe('expired_token')
  service.wait(599)
  expect(errorOf(await approved.poll())).toBe('expired_token')
  service.wait(1)
  expect(errorOf(await approved.poll())).toBe('incorrect_device_code')
})

describe('a decision', () => {
  test.each(['', 'BCDF', 'BCDF-GHJK', 'not a code', '🙂'])('for %j is unknown', async (userCode) => {
    const service = startService()
    expect(await service.approve(userCode, 'octocat')).toBe('unknown')
    expect(await service.deny(userCode)).toBe('unknown')
  })

  test.each([
    ['in lower case', (code: string) => code.toLowerCase()],
    ['without the hyphen', (code: string) => code.replace('-', '')],
    ['with spaces', (code: string) => ` ${code.replace('-', ' ')} `],
    ['with a dash', (code: string) => code.replace('-', '–')],
  ])('accepts a user code %s', async (_, write) => {
    const service = startService()
    const { userCode } = await service.begin()
    expect(await service.approve(write(userCode), 'octocat')).toBe('done')
  })
})
