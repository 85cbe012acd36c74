import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createApi, oauth } from '../../src/auth/index.ts'
import { dpop } from '../../src/dpop/index.ts'
import { discover, exportToken, importToken, refresh } from '../../src/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { logInBySteps, tokenOf } from './support/log-in-by-steps.ts'
import { startOidcProvider } from './support/oidc-provider.ts'

let server: Awaited<ReturnType<typeof startOidcProvider>>

beforeAll(async () => {
  const nonceSecret = createHash('sha256').update('for this test alone').digest()
  server = await startOidcProvider({
    features: {
      dPoP: { enabled: true, nonceSecret, requireNonce: () => true },
      userinfo: { enabled: true },
    },
  })
  return server.close
})

/** A login whose user approves after the first poll, with what was sent to the token endpoint. */
async function login(clock = systemClock) {
  const provider = { ...(await discover(server.issuer)), baseUrl: server.issuer }
  const answers: string[] = []
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (String(input) === provider.tokenEndpoint)
      answers.push((await response.clone().json()).error ?? 'token')
    return response
  }
  const options = { provider, fetch: watched, dpop: dpop(), clock }
  const first = { clientId: 'device', scopes: ['openid'] }
  const { step, ...rest } = await logInBySteps(first, options, server.approve)
  return { provider, options, answers, token: tokenOf(step), ...rest }
}

const systemClock = { now: () => Date.now(), setTimeout, clearTimeout }

test('our client logs in at oidc-provider with a key, refreshes and calls an API', async () => {
  const { token, provider, options } = await login()
  expect(token).toMatchObject({ tokenType: 'DPoP' })
  const session = createSession({ clientId: 'device', store: memoryStore(), ...options })
  const api = createApi({ auth: session, provider })
  await session.keep(token)
  expect(await api('/me')).toEqual({ sub: 'user' })
  const used = await refresh(token, { clientId: 'device', ...options })
  expect(used.tokenType).toBe('DPoP')
  await session.keep(importToken(JSON.parse(JSON.stringify(exportToken(used)))))
  expect(await api('/me')).toEqual({ sub: 'user' })
  session.actor.stop()
})

test('a nonce challenge on a poll at oidc-provider is no poll of its own: the interval stays', async () => {
  const { answers, pending, begun } = await login()
  expect(answers.filter((answer) => answer !== 'use_dpop_nonce')).toEqual(['authorization_pending', 'token'])
  const { interval } = begun.record
  expect(pending).toMatchObject({ status: 'pending', record: { interval, faults: 0 } })
})

test('a copy of a request is refused by oidc-provider, and so is a bound token without a proof', async () => {
  const { token, provider } = await login()
  const sent: Headers[] = []
  const keep: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    sent.push(new Headers(request.headers))
    return fetch(request)
  }
  const api = createApi({ auth: oauth(token, { dpop: dpop() }), provider, fetch: keep })
  expect(await api('/me')).toEqual({ sub: 'user' })
  const copy = await fetch(`${server.issuer}/me`, { headers: sent.at(-1) ?? {} })
  const challenge = copy.headers.get('www-authenticate')
  expect([copy.status, challenge]).toEqual([401, expect.stringContaining('invalid_token')])
  const asBearer = { authorization: `Bearer ${token.accessToken.reveal()}` }
  expect((await fetch(`${server.issuer}/me`, { headers: asBearer })).status).toBe(401)
})

test('a clock that is 5 minutes behind logs in at oidc-provider, by its nonces', async () => {
  const now = () => Date.now() - 300_000
  expect((await login({ ...systemClock, now })).token.tokenType).toBe('DPoP')
})
