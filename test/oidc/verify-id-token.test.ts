import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { type OAuthToken, Secret } from '../../src/index.ts'
import { type VerifyIdTokenOptions, verifyIdToken } from '../../src/oidc/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { oldToken } from '../support/old-token.ts'
import { scriptedService } from '../support/scripted-service.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'current', alg: 'ES256' }] }

const time = new VirtualTime()
const seconds = Math.floor(time.now / 1000)

const claims: JWTPayload = {
  iss: 'https://login.example',
  sub: 'the user',
  aud: 'my-client',
  iat: seconds - 10,
  exp: seconds + 300,
}

const options = { issuer: 'https://login.example', clientId: 'my-client', jwks, clock: time.clock() }

function tokenWith(idToken: string | undefined): OAuthToken {
  return { ...oldToken, ...(idToken !== undefined && { idToken: new Secret(idToken) }) }
}

async function signed(
  payload: JWTPayload,
  { key = pair.privateKey, kid = 'current', ...more }: { key?: KeyObject; kid?: string; typ?: string } = {},
) {
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid, ...more }).sign(key)
}

async function verify(idToken: string | undefined, more: Partial<VerifyIdTokenOptions> = {}) {
  return verifyIdToken(tokenWith(idToken), { ...options, ...more })
}

describe('an ID token', () => {
  test('that is valid yields its claims', async () => {
    expect(await verify(await signed(claims))).toEqual(claims)
    expect(await verify(await signed(claims, { typ: 'JWT' }))).toEqual(claims)
    expect(await verify(await signed({ ...claims, nonce: 'n' }), { nonce: 'n' })).toMatchObject({
      nonce: 'n',
    })
    const unasked = { ...claims, nonce: 'of its provider' }
    expect(await verify(await signed(unasked))).toEqual(unasked)
    const azp = { ...claims, aud: ['my-client', 'an-api'], azp: 'my-client' }
    expect(await verify(await signed(azp), { clientId: new Secret('my-client') })).toEqual(azp)
  })

  test('may be a minute too late or too early, because clocks differ', async () => {
    await verify(await signed({ ...claims, exp: seconds - 50 }))
    await verify(await signed({ ...claims, nbf: seconds + 50 }))
  })

  test.each<[string, Record<string, unknown>, Partial<VerifyIdTokenOptions>]>([
    ['iss', { iss: 'https://evil.example' }, {}],
    ['iss', { iss: undefined }, {}],
    ['aud', { aud: 'another-client' }, {}],
    ['aud', { aud: undefined }, {}],
    ['azp', { aud: ['my-client', 'an-api'] }, {}],
    ['azp', { azp: 'another-client' }, {}],
    ['sub', { sub: undefined }, {}],
    ['sub', { sub: '' }, {}],
    ['sub', { sub: 42 }, {}],
    ['exp', { exp: seconds - 61 }, {}],
    ['exp', { exp: undefined }, {}],
    ['iat', { iat: undefined }, {}],
    ['nbf', { nbf: seconds + 120 }, {}],
    ['nonce', { nonce: 'another' }, { nonce: 'n' }],
    ['nonce', {}, { nonce: 'n' }],
  ])('is refused for its claim "%s" where %j', async (claim, wrong, more) => {
    const error = await verify(await signed({ ...claims, ...wrong }), more).catch((error) => error)
    expect(error).toMatchObject({
      code: 'bad_id_token',
      claim,
      message: expect.stringContaining(`"${claim}"`),
    })
    expect(error).not.toHaveProperty('cause')
  })

  const unsigned = [{ alg: 'none' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )

  type Refused = [string, () => string | undefined | Promise<string>, string]

  test.each<Refused>([
    ['that is missing', () => undefined, 'request the scope "openid"'],
    ['signed with another key', () => signed(claims, { key: other.privateKey }), 'signature'],
    ['signed with an unknown key', () => signed(claims, { kid: 'unknown' }), 'no key'],
    ['without a signature', () => `${unsigned.join('.')}.`, 'signature with a public key'],
    [
      'signed with a shared secret',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32)),
      'signature with a public key',
    ],
    ...['at+jwt', 'application/at+jwt', 'AT+JWT', 'logout+jwt'].map(
      (typ) =>
        [`that is another kind of JWT, ${typ},`, () => signed(claims, { typ }), 'its type'] satisfies Refused,
    ),
    ['that is no JWT', () => 'no-jwt', 'cannot be read'],
  ])('%s is refused', async (_, make, why) => {
    const error = await verify(await make()).catch((error) => error)
    expect(error).toMatchObject({ code: 'bad_id_token', claim: undefined })
    expect(error.message).toContain(why)
  })

  test.each([{ issuer: undefined }, { jwks: undefined }, { clientId: '' }, { clientId: undefined }])(
    'is not verified without its issuer, keys and client: %j',
    async (missing) => {
      const idToken = await signed(claims)
      await expect(verify(idToken, missing as object)).rejects.toMatchObject({ code: 'bad_option' })
    },
  )
})

describe('an ID token of Entra ID for accounts of any tenant', () => {
  const issuer = 'https://login.microsoftonline.com/{tenantid}/v2.0'
  const tid = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
  const ofTenant = { ...claims, tid, iss: `https://login.microsoftonline.com/${tid}/v2.0` }
  const keysOf = (issuer: unknown) => ({ keys: jwks.keys.map((key) => ({ ...key, issuer })) })

  test('is valid if its issuer is that of its tenant', async () => {
    for (const jwks of [keysOf(issuer), keysOf(ofTenant.iss), options.jwks])
      expect(await verify(await signed(ofTenant), { issuer, jwks })).toEqual(ofTenant)
  })

  test.each([
    ['iss', { iss: 'https://login.microsoftonline.com/another/v2.0' }],
    ['iss', { iss: 'https://evil.example' }],
    ['iss', { iss: issuer }],
    ['iss', { tid: '9188040d-6c67-4c5b-b112-36a304b66dad' }],
    ['tid', { tid: undefined }],
    ['tid', { tid: '{tenantid}', iss: issuer }],
    ['tid', { tid: [tid] }],
    ['tid', { tid: 'another', iss: 'https://login.microsoftonline.com/another/v2.0' }],
  ])('is refused for its claim "%s" with %j', async (claim, wrong) => {
    const verified = verify(await signed({ ...ofTenant, ...wrong }), { issuer, jwks: keysOf(issuer) })
    await expect(verified).rejects.toMatchObject({ code: 'bad_id_token', claim })
  })

  test('is refused if it is signed with a key of another tenant', async () => {
    const of = keysOf('https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0')
    const first = { ...(await exportJWK(other.publicKey)), kid: 'of all tenants', issuer }
    for (const jwks of [of, { keys: [first, ...of.keys] }]) {
      const verified = verify(await signed(ofTenant), { issuer, jwks })
      await expect(verified).rejects.toMatchObject({ code: 'bad_id_token', claim: 'iss' })
    }
  })

  test.each<unknown>([5, {}, { toString: null }])('is refused if the issuer of its key is %j', async (of) => {
    const verified = verify(await signed(ofTenant), { issuer, jwks: keysOf(of) })
    await expect(verified).rejects.toMatchObject({ code: 'bad_id_token', claim: 'iss' })
  })
})

describe('the keys', () => {
  test('are fetched from their URL', async () => {
    const { fetch, sent } = scriptedService(time, jwks)
    expect(await verify(await signed(claims), { jwks: 'https://login.example/keys', fetch })).toEqual(claims)
    expect(sent.map(({ url, redirect }) => [url, redirect])).toEqual([
      ['https://login.example/keys', 'manual'],
    ])
  })

  test.each([
    ['no key set', Response.json({ error: 'server_error' }, { status: 500 }), 'bad_id_token'],
    ['a redirect', new Response(null, { status: 302 }), 'redirected'],
    ['nothing', new TypeError('fetch failed'), 'unreachable'],
  ])('are refused if the URL yields %s', async (_, response, code) => {
    const { fetch } = scriptedService(time, response)
    const verified = verify(await signed(claims), { jwks: 'https://login.example/keys', fetch })
    await expect(verified).rejects.toMatchObject({ code })
  })

  test('are not fetched over an insecure connection', async () => {
    const verified = verify(await signed(claims), { jwks: 'http://login.example/keys' })
    await expect(verified).rejects.toMatchObject({ code: 'wrong_host' })
  })
})
