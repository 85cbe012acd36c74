import { describe, expect, test, vi } from 'vitest'
import { Secret } from '../../src/secret.ts'
import { embedded } from '../support/service.ts'

describe('a request for codes', () => {
  test('is answered with the device codes record', async () => {
    const { post } = embedded()
    const { status, headers, body } = await post('/login/device/code', {
      client_id: 'id',
      scope: 'repo,gist',
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[0-9a-f]{40}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost/login/device',
      verification_uri_complete: `http://localhost/login/device?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    })
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(Number(headers.get('content-length'))).toBe(JSON.stringify(body).length)
  })

  test.each([
    ['github', {}, 400, 'invalid_request'],
    ['github', { client_id: '' }, 400, 'invalid_request'],
    ['github', { client_id: 'unknown' }, 404, 'incorrect_client_credentials'],
    ['rfc8628', { client_id: 'unknown' }, 401, 'invalid_client'],
  ] as const)('is refused by %s for %j with %d and %s', async (profile, fields, status, error) => {
    const answer = await embedded({ profile }).post('/login/device/code', fields)
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.any(String) } })
  })
})

describe('a poll', () => {
  test.each([
    ['github', 200, 'incorrect_device_code'],
    ['rfc8628', 400, 'invalid_grant'],
  ] as const)('of the profile %s is refused with status %d', async (profile, status, unknownCode) => {
    const { codes, poll, wait } = embedded({
      profile,
      clients: [
        { clientId: 'id', name: 'A' },
        { clientId: 'b', name: 'B' },
      ],
    })
    const { device_code } = await codes()
    expect(await poll('unknown')).toMatchObject({ status, body: { error: unknownCode } })
    expect(await poll(device_code, { client_id: 'b' })).toMatchObject({
      status,
      body: { error: unknownCode },
    })
    expect(await poll(device_code, { grant_type: 'other' })).toMatchObject({
      status,
      body: { error: 'unsupported_grant_type' },
    })
    expect(await poll(device_code)).toMatchObject({ status, body: { error: 'authorization_pending' } })
    expect(await poll(device_code)).toMatchObject({ status, body: { error: 'slow_down', interval: 10 } })
    wait(900)
    expect(await poll(device_code)).toMatchObject({ status, body: { error: 'expired_token' } })
  })

  test('after an approval brings the token, with the scopes of the request, exactly once', async () => {
    const { service, codes, poll } = embedded()
    const { device_code, user_code } = await codes({ scope: 'repo gist,repo' })
    await poll(device_code)
    expect(await service.approve(user_code, { id: 1, login: 'octocat' })).toBe('done')
    const { status, body } = await poll(device_code)
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gho_/),
      token_type: 'bearer',
      scope: 'repo,gist',
    })
    expect((await poll(device_code)).body.error).toBe('incorrect_device_code')
    const answer = await service.fetch('http://localhost/user', {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(await answer.json()).toEqual({ id: 1, login: 'octocat' })
    expect(answer.headers.get('x-oauth-scopes')).toBe('repo, gist')
  })

  test('separates scopes by a space in the profile rfc8628, and answers an empty string for none', async () => {
    const { service, codes, poll } = embedded({ profile: 'rfc8628' })
    for (const [scope, granted] of [
      ['a,b', 'a b'],
      ['', ''],
    ] as const) {
      const { device_code, user_code } = await codes({ scope })
      await service.approve(user_code, 'octocat')
      expect((await poll(device_code)).body.scope).toBe(granted)
    }
  })

  test('after a denial hears of it, however often', async () => {
    const { service, codes, poll } = embedded()
    const { device_code, user_code } = await codes()
    expect(await service.deny(user_code)).toBe('done')
    expect((await poll(device_code)).body.error).toBe('access_denied')
    expect((await poll(device_code)).body.error).toBe('access_denied')
  })

  test('sent twice within a moment still brings the decision', async () => {
    const { service, codes, poll, wait } = embedded()
    const { device_code, user_code } = await codes()
    for (let round = 0; round < 5; round += 1) {
      await poll(device_code)
      wait(0.003)
      await poll(device_code)
      wait(5)
    }
    await service.approve(user_code, 'octocat')
    const answers = await Promise.all([poll(device_code), poll(device_code)])
    expect(answers.filter(({ body }) => body.access_token)).toHaveLength(1)
  })

  test('a little early, again and again, is no reason to slow down', async () => {
    const { codes, poll, wait } = embedded()
    const { device_code } = await codes()
    for (let round = 0; round < 50; round += 1) {
      expect((await poll(device_code)).body.error).toBe('authorization_pending')
      wait(4.975)
    }
  })

  test('of a client that waits as it was told recovers', async () => {
    const { codes, poll, wait } = embedded({ leeway: 0 })
    const { device_code } = await codes()
    await poll(device_code)
    wait(1)
    const { body } = await poll(device_code)
    wait(body.interval)
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
  })

  test('may be the first one early only where it is free', async () => {
    const { codes, poll } = embedded({ firstPoll: 'counted' })
    expect((await poll((await codes()).device_code)).body).toMatchObject({ error: 'slow_down', interval: 10 })
  })
})

describe('a decision', () => {
  test('is one, and lasts', async () => {
    const { service, codes, wait } = embedded()
    const { user_code } = await codes()
    const outcomes = await Promise.all([
      service.approve(user_code, 'a'),
      service.deny(user_code),
      service.approve(user_code, 'b'),
    ])
    expect(outcomes).toEqual(['done', 'decided', 'decided'])
    wait(900)
    expect(await service.approve(user_code, 'a')).toBe('decided')
  })

  test('comes too late after the end, and cannot be made on a code that is none', async () => {
    const { service, codes, wait } = embedded()
    const { user_code } = await codes()
    expect(await service.approve('XXXX-XXXX', 'a')).toBe('unknown')
    expect(await service.approve('short', 'a')).toBe('unknown')
    wait(900)
    expect(await service.deny(user_code)).toBe('expired')
  })

  test.each([
    (code: string) => code.toLowerCase(),
    (code: string) => code.replace('-', ''),
    (code: string) => ` ${code.split('').join(' ')} `,
  ])('reads the code as people type it', async (typed) => {
    const { service, codes } = embedded()
    expect(await service.approve(typed((await codes()).user_code), 'a')).toBe('done')
  })
})

describe('issuing the token', () => {
  test('is told the user, the client and the scopes', async () => {
    const issueToken = vi.fn(() => 'my-own-token')
    const { service, codes, poll } = embedded({ issueToken })
    const { device_code, user_code } = await codes({ scope: 'repo' })
    await service.approve(user_code, 'octocat')
    expect((await poll(device_code)).body.access_token).toBe('my-own-token')
    expect(issueToken.mock.calls).toEqual([
      [{ user: 'octocat', client: { clientId: expect.any(Secret), name: 'App' }, scopes: ['repo'] }],
    ])
  })

  test('that fails keeps the approval for the next poll, and is told to the host', async () => {
    const onError = vi.fn()
    const issueToken = vi.fn().mockRejectedValueOnce(new Error('no database')).mockReturnValue('token')
    const { service, codes, poll } = embedded({ issueToken, onError })
    const { device_code, user_code } = await codes()
    await service.approve(user_code, 'octocat')
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'no database' }))
    expect((await poll(device_code)).body.access_token).toBe('token')
  })

  test('that is slow keeps other polls waiting, and loses its token once another one has the lease', async () => {
    const finish: ((token: string) => void)[] = []
    const issueToken = () => new Promise<string>((resolve) => finish.push(resolve))
    const { service, codes, poll, wait } = embedded({ issueToken })
    const { device_code, user_code } = await codes()
    await service.approve(user_code, 'octocat')
    const first = poll(device_code)
    await vi.waitFor(() => expect(finish).toHaveLength(1))
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
    wait(10)
    const second = poll(device_code)
    await vi.waitFor(() => expect(finish).toHaveLength(2))
    finish[0]?.('first')
    expect((await first).body.error).toBe('authorization_pending')
    finish[1]?.('second')
    expect((await second).body.access_token).toBe('second')
    const who = async (token: string) =>
      service.authenticate({ headers: new Headers({ authorization: `Bearer ${token}` }) })
    expect(await who('first')).toMatchObject({ form: 'refused', status: 401 })
    expect(await who('second')).toMatchObject({ form: 'oauth', user: 'octocat' })
  })
})
