import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError, BadResponseError } from '../errors.ts'
import type { Dpop, ProofResponse, ProvenRequest } from '../protocol/dpop.ts'
import { isDpop } from '../protocol/syntax.ts'
import { base64url } from '../request/base64url.ts'
import { errorCodeOf } from '../request/http.ts'
import { sha256 } from '../request/sha256.ts'
import { Secret } from '../secret.ts'

/** Options of {@link dpop}. */
export interface DpopOptions {
  /**
   * Whether to refuse a token that the server did not bind to the key: a login then fails, and a session does not send the
   * token. Default: `false`, and such a token has the warning `not_bound`.
   */
  readonly required?: boolean
}

/** What a server has said. */
interface Known {
  /** The nonce for the next proof. */
  readonly nonce?: string | undefined
  /** Milliseconds by which its clock is ahead of ours. */
  readonly ahead?: number | undefined
}

/** What this process knows of each origin, the oldest first. Never stored: another process gets its own nonce. */
const servers = new Map<string, Known>()

/** How many servers are remembered. */
const MOST_SERVERS = 1000

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Imported keys: each proof needs one. */
const imported = new WeakMap<Secret, Promise<ProofKey>>()

interface ProofKey {
  readonly privateKey: CryptoKey
  readonly jwk: JsonWebKey
}

/**
 * Binds the tokens of a login to a key (DPoP): each request carries a proof that is signed with the key, and a stolen token
 * is useless without it. Each login creates an ES256 key. It is stored with the token, so protect the store: see `sealed`
 * from `authgraph/session`.
 *
 * A server that asks for a nonce gets the request once more, with the nonce. A server that refuses the time of a proof gets
 * one with the time of its own clock, if its response has a `Date`.
 *
 * @example
 * ```ts
 * import { discover } from 'authgraph'
 * import { dpop } from 'authgraph/dpop'
 * import { createSession, memoryStore } from 'authgraph/session'
 *
 * const session = createSession({
 *   clientId: 'my-client',
 *   provider: await discover('https://login.example.com'),
 *   store: memoryStore(),
 *   dpop: dpop(),
 *   onCodes,
 * })
 * ```
 *
 * @throws {@link BadOptionError} if an option is unknown, or the runtime has no WebCrypto. Browsers provide it on https
 * pages only.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
 */
export function dpop(options: DpopOptions = {}): Dpop {
  assertKnown(options, { required: true } satisfies Names<DpopOptions>)
  if (globalThis.crypto?.subtle === undefined)
    throw new BadOptionError('dpop needs WebCrypto, which browsers provide on https pages only')
  const { required = false } = options
  return {
    createKey,
    prove,
    learn,
    check(tokenType) {
      if (required && !isDpop(tokenType))
        throw new BadResponseError('the server ignored DPoP: the token is not bound to the key')
    },
  }
}

async function createKey(): Promise<Secret> {
  const { privateKey } = await crypto.subtle.generateKey(ES256, true, ['sign'])
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', privateKey)
  return new Secret(JSON.stringify({ kty, crv, x, y, d }))
}

/** RFC 9449, section 4.2. */
async function prove(key: Secret, { method, url, token, now }: ProvenRequest): Promise<Secret> {
  const { privateKey, jwk } = await importKey(key)
  const { origin, pathname } = new URL(url)
  const { nonce, ahead = 0 } = servers.get(origin) ?? {}
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk }
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor((now + ahead) / 1000),
    nonce,
    ath: token && base64url(await sha256(token.reveal())),
  }
  const content = [header, claims].map((part) => base64url(bytesOf(JSON.stringify(part)))).join('.')
  const signature = await crypto.subtle.sign(ES256, privateKey, bytesOf(content))
  return new Secret(`${content}.${base64url(new Uint8Array(signature))}`)
}

function importKey(key: Secret): Promise<ProofKey> {
  const known = imported.get(key) ?? readKey(key)
  imported.set(key, known)
  return known
}

async function readKey(key: Secret): Promise<ProofKey> {
  try {
    const { kty, crv, x, y, d } = JSON.parse(key.reveal())
    const jwk = { kty, crv, x, y }
    return { jwk, privateKey: await crypto.subtle.importKey('jwk', { ...jwk, d }, ES256, false, ['sign']) }
  } catch {
    throw new BadOptionError('the key of the token cannot be read: log in again')
  }
}

function learn(url: string, { body, nonce, date, at }: ProofResponse): boolean | undefined {
  const error = errorCodeOf(body)
  const { origin } = new URL(url)
  const known = servers.get(origin)
  const isLate = error === 'invalid_dpop_proof' && date !== undefined
  if (nonce !== undefined || isLate) {
    const ahead = isLate ? date - at : known?.ahead
    servers.delete(origin)
    servers.set(origin, { nonce: nonce ?? known?.nonce, ahead })
    const [oldest] = servers.keys()
    if (servers.size > MOST_SERVERS && oldest !== undefined) servers.delete(oldest)
  }
  if (error === 'use_dpop_nonce') return nonce !== undefined
  return error === 'invalid_dpop_proof' ? isLate || nonce !== undefined : undefined
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
