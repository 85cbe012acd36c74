import { createHmac, createPublicKey } from 'node:crypto'
import { CompactSign, FlattenedSign } from 'jose'
import { describe, expect, test } from 'vitest'
import { signAppJwt } from '../../src/app-jwt/index.ts'
import { type Auth, app, basic, createApi, github, none, oauth, personalToken } from '../../src/auth/index.ts'
import type { ServiceOptions } from '../../src/service/index.ts'
import { rsaKeys } from '../support/rsa-keys.ts'
import { HOST, startService } from '../support/start-service.ts'

const old = rsaKeys()
const present = rsaKeys()
const stranger = rsaKeys()

const callers: Partial<ServiceOptions> = {
  users: [{ username: 'Jürgen', password: 'pässword' }],
  personalTokens: [
    { token: 'ghp_1', user: { id: 7, login: 'hubot' }, scopes: ['gist'] },
    { token: 'like.a.jwt', user: 'mona' },
  ],
  apps: [
    { appId: 5, publicKeys: [old.publicKey, createPublicKey(present.publicKey).export({ format: 'jwk' })] },
    { appId: 'Iv1.client', publicKeys: [present.publicKey] },
  ],
}

const NOW = Date.UTC(2026, 0, 1)
const seconds = NOW / 1000

async function ask(authorization: string | undefined, url = 'http://localhost/user') {
  const service = startService(callers)
  return service.authenticate({
    url,
    headers: new Headers(authorization === undefined ? {} : { authorization }),
  })
}

test('names the requests that it takes when it gets only the headers of one', async () => {
  const { authenticate } = startService(callers)
  const headers = { authorization: 'Bearer ghp_1' } as unknown as Headers
  await expect(authenticate({ headers })).rejects.toMatchObject({
    code: 'bad_option',
    message:
      'the request must be a web Request, or that of Node, Express, Fastify or Hono, not only its headers',
  })
})

test('the client and the service understand each other in all five forms of authentication', async () => {
  const { fetch, login } = startService({ ...callers, clock: Date })
  const provider = github({ authUrl: HOST, baseUrl: HOST })
  const call = (auth: Auth, path = '/user') => createApi({ auth, provider, fetch })(path)

  await expect(call(none())).rejects.toMatchObject({ status: 401 })
  expect(await call(basic('Jürgen', 'pässword'))).toEqual({ login: 'Jürgen' })
  expect(await call(personalToken('ghp_1'))).toEqual({ id: 7, login: 'hubot' })
  expect(await call(oauth((await login()).access_token))).toEqual({ id: 7, login: 'octocat' })
  for (const { privateKey } of [old, present])
    for (const appId of [5, '5']) expect(await call(app({ appId, privateKey }), '/app')).toEqual({ id: 5 })
  const { privateKey } = present
  expect(await call(app({ appId: 'Iv1.client', privateKey }), '/app')).toEqual({ id: 'Iv1.client' })
  await expect(call(app({ appId: 5, privateKey }))).rejects.toMatchObject({ status: 403 })
  await expect(call(personalToken('ghp_1'), '/app')).rejects.toMatchObject({ status: 403 })
})

describe('authenticate', () => {
  test('recognizes each form', async () => {
    const jwt = await signAppJwt({ appId: 5, privateKey: old.privateKey, clock: { now: () => NOW } })
    expect(await ask(undefined)).toBeUndefined()
    expect(await ask(`Basic ${Buffer.from('Jürgen:pässword').toString('base64')}`)).toEqual({
      form: 'basic',
      user: 'Jürgen',
    })
    expect(await ask('bearer  ghp_1')).toEqual({
      form: 'personalToken',
      user: { id: 7, login: 'hubot' },
      scopes: ['gist'],
    })
    expect(await ask('token ghp_1')).toMatchObject({ form: 'personalToken' })
    // Tokens of the host come before app JWTs.
    expect(await ask('Bearer like.a.jwt')).toMatchObject({ form: 'personalToken', user: 'mona' })
    expect(await ask(`Bearer ${jwt.reveal()}`)).toEqual({ form: 'app', appId: 5 })
  })

  test.each([
    ['Basic bm9ib2R5OnNlY3JldA==', 401, 'Basic realm="authgraph", charset="UTF-8"'],
    ['Basic /w==', 401, 'Basic realm="authgraph", charset="UTF-8"'],
    ['Bearer ghp_2', 401, 'Bearer realm="authgraph", error="invalid_token"'],
    ['Bearer a.b.c', 401, 'Bearer realm="authgraph", error="invalid_token"'],
    ['Bearer a.bnVsbA.c', 401, 'Bearer realm="authgraph", error="invalid_token"'],
    ['token unknown', 401, 'Bearer realm="authgraph", error="invalid_token"'],
    ['Bearer ghp_1, Basic x', 400, 'Bearer realm="authgraph", error="invalid_request"'],
    ['Bearer', 400, 'Bearer realm="authgraph", error="invalid_request"'],
    ['Digest x', 400, 'Bearer realm="authgraph", error="invalid_request"'],
    ['', 400, 'Bearer realm="authgraph", error="invalid_request"'],
  ])('refuses %j with %d and a challenge', async (authorization, status, challenge) => {
    await expect(ask(authorization)).rejects.toMatchObject({
      code: 'no_access',
      status,
      headers: { 'www-authenticate': challenge },
    })
  })

  test.each(['/user', '/app'])('%s requests a credential if there is none', async (path) => {
    const { status, headers } = await startService(callers).send(path)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="authgraph"'])
  })

  test('refuses a credential in the query', async () => {
    const url = 'http://localhost/user?access_token=ghp_1'
    await expect(ask('Bearer ghp_1', url)).rejects.toMatchObject({ code: 'no_access', status: 400 })
    await expect(ask(undefined, url)).rejects.toMatchObject({ code: 'no_access', status: 400 })
  })
})

describe('an app JWT', () => {
  const good = { iss: 5, iat: seconds - 60, exp: seconds + 540 }

  function sign(claims: object, key = old.keyObject) {
    return new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: 'RS256' }).sign(key)
  }

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  const signedBy = 'the signature of the token is not valid'

  test.each<[string, object, string?, typeof old.keyObject?]>([
    ['expired', { exp: seconds }, 'the claim exp is in the past'],
    ['valid for another second', { exp: seconds + 1 }],
    ['valid for the longest time', { exp: seconds + 600 }],
    ['good for too long', { exp: seconds + 601 }, 'the claim exp is too far in the future'],
    ['a little from the future', { iat: seconds + 5 }],
    ['from the future', { iat: seconds + 6 }, 'the claim iat is in the future'],
    ['of half a second', { exp: seconds + 1.5 }, 'the claim exp is not a whole number of seconds'],
    ['of a beginning in words', { iat: 'now' }, 'the claim iat is not a whole number of seconds'],
    ['of an issuer in words', { iss: '5' }],
    ['of nobody', { iss: 6 }, 'the token was issued by an unknown app'],
    ['of a list', { iss: ['5'] }, 'the token was issued by an unknown app'],
    ['signed with another key', {}, signedBy, stranger.keyObject],
    ['signed with the old key of another app', { iss: 'Iv1.client' }, signedBy],
  ])('that is %s is accepted, or refused with the reason', async (_, claims, message, key) => {
    const asked = ask(`Bearer ${await sign({ ...good, ...claims }, key)}`)
    if (message) await expect(asked).rejects.toMatchObject({ code: 'no_access', status: 401, message })
    else expect(await asked).toEqual({ form: 'app', appId: 5 })
  })

  test('with another algorithm, or a payload that was signed without encoding, is refused', async () => {
    const payload = Buffer.from(JSON.stringify(good))
    const bare = `${encode({ alg: 'none' })}.${encode(good)}`
    const hs256 = `${encode({ alg: 'HS256' })}.${encode(good)}`
    const mac = createHmac('sha256', old.publicKey).update(hs256).digest('base64url')
    const rs512 = await new CompactSign(payload).setProtectedHeader({ alg: 'RS512' }).sign(old.keyObject)
    const unencoded = await new FlattenedSign(Buffer.from(encode(good)))
      .setProtectedHeader({ alg: 'RS256', b64: false, crit: ['b64'] })
      .sign(old.keyObject)
    const signed = `${unencoded.protected}.${encode(good)}.${unencoded.signature}`
    for (const token of [`${bare}.x`, `${hs256}.${mac}`, rs512, signed])
      await expect(ask(`Bearer ${token}`)).rejects.toMatchObject({ code: 'no_access', status: 401 })
  })

  test('is refused under the scheme "token"', async () => {
    await expect(ask(`token ${await sign(good)}`)).rejects.toMatchObject({ status: 401 })
  })

  test('cannot be verified with an invalid public key: the error is reported to the host', async () => {
    const { send, errors } = startService({ apps: [{ appId: 5, publicKeys: ['garbage'] }] })
    const headers = { authorization: `Bearer ${await sign(good)}` }
    expect((await send('/app', { headers })).status).toBe(503)
    expect(errors).toMatchObject([{ code: 'bad_option', message: expect.stringContaining('of the app 5') }])
  })
})
