import { describe, expect, test } from 'vitest'
import { type OAuthToken, refresh, Secret } from '../../src/index.ts'
import { oldToken } from '../support/old-token.ts'
import { scripted } from '../support/scripted-service.ts'

const old: OAuthToken = { ...oldToken, refreshTokenExpiresAt: 5 }
const pair = {
  access_token: 'ghu_new',
  token_type: 'bearer',
  scope: '',
  expires_in: 28_800,
  refresh_token: 'ghr_new',
}

describe('refresh', () => {
  test('buys a new pair with the refresh token', async () => {
    const { time, sent, options } = scripted(pair)
    const token = await refresh(old, { ...options, clientAuthentication: { clientSecret: 'secret' } })
    expect(token.accessToken.reveal()).toBe('ghu_new')
    expect(token.refreshToken?.reveal()).toBe('ghr_new')
    expect(token).toMatchObject({ scopes: [], expiresIn: 28_800 })
    expect(sent[0]?.url).toBe('https://github.com/login/oauth/access_token')
    expect(Object.fromEntries(new URLSearchParams(sent[0]?.body))).toEqual({
      client_id: 'id',
      client_secret: 'secret',
      grant_type: 'refresh_token',
      refresh_token: 'ghr_old',
    })
    expect(time.timers).toBe(0)
  })

  test('keeps the ID token unless there is a new one', async () => {
    const withIdToken = { ...old, idToken: new Secret('old') }
    const { time, options } = scripted(pair, { ...pair, id_token: 'new' })
    const first = await refresh(withIdToken, options)
    const second = await refresh(first, options)
    expect([first.idToken?.reveal(), second.idToken?.reveal()]).toEqual(['old', 'new'])
    expect(time.timers).toBe(0)
  })

  test('asks once for calls at the same time, and again for later ones', async () => {
    const { sent, options } = scripted(pair)
    const [first, second] = await Promise.all([refresh(old, options), refresh(old, options)])
    expect(first).toBe(second)
    expect(sent).toHaveLength(1)
    await refresh(old, options)
    expect(sent).toHaveLength(2)
  })

  test.each([0, 1])('caller %i of two who gives up leaves the pair to both', async (leaver) => {
    const { sent, options } = scripted(pair)
    let release = () => {}
    const fetch: typeof globalThis.fetch = async (input, init) => {
      await new Promise<void>((resolve, reject) => {
        release = resolve
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
      return options.fetch(input, init)
    }
    const kept: string[] = []
    const callers = [new AbortController(), new AbortController()]
    const calls = callers.map(({ signal }, caller) =>
      refresh(old, {
        ...options,
        fetch,
        signal,
        onToken: ({ accessToken }) => void kept.push(`${caller} ${accessToken.reveal()}`),
      }),
    )
    const ended = Promise.allSettled(calls)
    await new Promise(setImmediate)
    callers[leaver]?.abort('enough')
    await expect(calls[leaver]).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' })
    release()
    const other = await calls[1 - leaver]
    await ended
    expect(other?.accessToken.reveal()).toBe('ghu_new')
    expect(kept).toEqual(['0 ghu_new', '1 ghu_new'])
    expect(sent).toHaveLength(1)
  })

  test('a caller whose pair cannot be saved fails alone, and those who come meanwhile spend nothing', async () => {
    const { sent, options } = scripted(pair)
    let fail = () => {}
    const onToken = () => new Promise<void>((_, reject) => (fail = () => reject(new Error('disk full'))))
    const failing = expect(refresh(old, { ...options, onToken })).rejects.toMatchObject({
      code: 'not_kept',
      token: { accessToken: expect.objectContaining({}), refreshToken: expect.objectContaining({}) },
      cause: new Error('disk full'),
    })
    await new Promise(setImmediate)
    for (let call = 0; call < 2; call += 1)
      expect((await refresh(old, options)).accessToken.reveal()).toBe('ghu_new')
    fail()
    await failing
    expect(sent).toHaveLength(1)
  })

  test.each([undefined, '', 'ghr_\u001b[2J'])(
    'keeps the old refresh token where the new one is %j',
    async (refresh_token) => {
      const { options } = scripted({ access_token: 'ghu_new', refresh_token })
      const token = await refresh({ ...old, refreshTokenExpiresIn: 9 }, options)
      expect(token.refreshToken?.reveal()).toBe('ghr_old')
      expect(token).toMatchObject({ scopes: ['repo'], refreshTokenExpiresIn: 9, refreshTokenExpiresAt: 5 })
      const { refreshTokenExpiresAt: _, ...lasting } = old
      expect(Object.keys(await refresh(lasting, options)).join()).not.toContain('refreshTokenExpires')
    },
  )

  test.each([
    ['bad_refresh_token', 200, { access_token: '' }],
    ['invalid_grant', 400, {}],
    ['interaction_required', 400, {}],
    ['consent_required', 400, {}],
    ['mfa_required', 403, {}],
    ['deleted_client', 401, {}],
    ['disabled_client', 401, {}],
  ])('says that the login has ended after %s with status %i', async (error, status, more) => {
    const { options } = scripted(Response.json({ ...more, error }, { status }))
    await expect(refresh(old, options)).rejects.toMatchObject({
      code: 'login_required',
      message: 'the provider has ended the login: log in',
      cause: { code: 'refused', error, status },
    })
  })

  test.each([
    [Response.json({ error: 'invalid_client' }, { status: 401 }), { code: 'refused', status: 401 }],
    [Response.json({ error: 'invalid_grant' }, { status: 500 }), { code: 'refused', status: 500 }],
    [new Response('', { status: 503 }), { code: 'refused', status: 503 }],
    [new Response('', { status: 429 }), { code: 'refused', status: 429 }],
    [
      new Response('<html>'),
      { message: 'the token response (POST github.com/login/oauth/access_token) is not a JSON object' },
    ],
    [Response.json({}), { code: 'bad_response' }],
    [Response.json({ access_token: 5 }), { code: 'bad_response' }],
    [Response.json({ ...pair, access_token: 'ghu_\u202e' }), { code: 'bad_response' }],
    [new TypeError('fetch failed'), { code: 'unreachable' }],
  ])(
    'keeps the login after any other failure: the refresh can be tried again',
    async (response, expected) => {
      const { options } = scripted(response, pair)
      await expect(refresh(old, options)).rejects.toMatchObject(expected)
      expect((await refresh(old, options)).accessToken.reveal()).toBe('ghu_new')
    },
  )

  test('is given up after 15 seconds, or when it is cancelled', async () => {
    const { time, options } = scripted('hang')
    // Whatever error the fetch rejects with.
    const fetch: typeof globalThis.fetch = (...request) =>
      options.fetch(...request).catch(() => Promise.reject(new Error('aborted')))
    const late = expect(refresh(old, { ...options, fetch })).rejects.toMatchObject({ code: 'timed_out' })
    await time.advance(15_000)
    await late
    await expect(refresh(old, { ...options, signal: AbortSignal.abort('enough') })).rejects.toMatchObject({
      code: 'cancelled',
      cause: 'enough',
    })
    expect(time.timers).toBe(0)
  })

  test('needs a refresh token', async () => {
    const { refreshToken, ...without } = old
    await expect(refresh(without, { clientId: 'id' })).rejects.toMatchObject({ code: 'bad_option' })
  })
})
