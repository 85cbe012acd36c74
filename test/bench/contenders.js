import { createPrivateKey, generateKeyPairSync, verify } from 'node:crypto'
import { createAppAuth } from '@octokit/auth-app'
import { createSigner } from 'fast-jwt'
import { CompactSign } from 'jose'
import jsonwebtoken from 'jsonwebtoken'
import githubAppJwt from 'universal-github-app-jwt'
import { createAppJwtSigner } from '../../dist/src/app-jwt/index.js'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' })
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' })
const cryptoKey = await crypto.subtle.importKey(
  'pkcs8',
  privateKey.export({ type: 'pkcs8', format: 'der' }),
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  false,
  ['sign'],
)

const appId = 12345
const header = { alg: 'RS256', typ: 'JWT' }
const encoder = new TextEncoder()
const signingInput = encoder.encode(
  [header, claims()].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.'),
)

const fromPkcs1 = createAppJwtSigner({ appId, privateKey: pkcs1 })
const fromPkcs8 = createAppJwtSigner({ appId, privateKey: pkcs8 })
const octokit = createAppAuth({ appId, privateKey: pkcs8 })
const fast = createSigner({ key: pkcs8, algorithm: 'RS256', noTimestamp: true })
const keyObject = createPrivateKey(pkcs8)

/** What no signer that uses WebCrypto can be faster than: the bare signature with a key imported before. */
export const limit = 'raw `crypto.subtle.sign` (the limit)'

/**
 * Each signs one token, with its key prepared as its documentation allows. Those that take the key anew at every
 * call are given PKCS#8, which spares them a conversion.
 *
 * @type {Record<string, { sign: () => unknown, synchronous?: true }>}
 */
export const contenders = {
  [limit]: { sign: () => crypto.subtle.sign('RSASSA-PKCS1-v1_5', cryptoKey, signingInput) },
  'authgraph/app-jwt, PKCS#1 key': { sign: async () => (await fromPkcs1.sign()).reveal() },
  'authgraph/app-jwt, PKCS#8 key': { sign: async () => (await fromPkcs8.sign()).reveal() },
  'jose `CompactSign`, same key': {
    sign: () =>
      new CompactSign(encoder.encode(JSON.stringify(claims()))).setProtectedHeader(header).sign(cryptoKey),
  },
  'universal-github-app-jwt': {
    sign: async () => (await githubAppJwt({ id: appId, privateKey: pkcs8 })).token,
  },
  '@octokit/auth-app': { sign: async () => (await octokit({ type: 'app' })).token },
  'jsonwebtoken (synchronous)': {
    sign: () => jsonwebtoken.sign(claims(), keyObject, { algorithm: 'RS256', noTimestamp: true }),
    synchronous: true,
  },
  'fast-jwt (synchronous)': { sign: () => fast(claims()), synchronous: true },
}

function claims() {
  const now = Math.floor(Date.now() / 1000)
  return { iss: appId, iat: now - 60, exp: now + 540 }
}

// A figure counts for nothing when the token is wrong.
for (const [name, { sign }] of Object.entries(contenders)) {
  const token = await sign()
  if (typeof token !== 'string') continue
  const [head, body, signature] = token.split('.')
  const { iss } = JSON.parse(Buffer.from(body, 'base64url').toString())
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  )
  if (!good || iss !== appId) throw new Error(`${name} made a wrong token`)
}
