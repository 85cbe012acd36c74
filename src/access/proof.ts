import type { CryptoKey, JWK } from 'jose'
import { isLoopback } from '../protocol/syntax.ts'
import { base64url } from '../request/base64url.ts'
import { sha256 } from '../request/sha256.ts'

/** The algorithms of proofs, all asymmetric. */
export const PROOF_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256']

/** Seconds by which the time of a proof may differ from ours. */
export const TOLERANCE = 60

/** Characters of the longest exponent of an RSA key, 32 bits: a long one makes each verification cost 30 times as much. */
const LONGEST_EXPONENT = 6

/** Characters of the longest proof: one with an RSA key of 4096 bits is half as long. A longer key would cost time to verify. */
const LONGEST = 4096

/** The members of a public key by its type, in RFC 7638 and here: all others are ignored, or private. */
const PUBLIC: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
  ['RSA', ['e', 'n']],
])

/** Keys that have signed a valid proof, the oldest first: importing one costs more than verifying a signature. */
const recent = new Map<string, VerifyingKey>()

const MOST_KEYS = 1000

interface VerifyingKey {
  readonly key: CryptoKey | Uint8Array
  readonly jkt: string
}

/** What a URL resolves, and a router may not: the path of the proof and the route would differ. */
const RELATIVE = /\/(?:\.|%2e){1,2}(?:\/|$)|\\/i

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** A request as its client sent it. */
export interface SentRequest {
  readonly method: string
  /** As the client saw it, without its query: a proxy may have changed what arrived. */
  readonly url: string
  /** The access token, at an API. */
  readonly token?: string
}

/** A proof with a valid signature, for one request. Whether it is recent is for the caller to decide. */
export interface Proof {
  readonly jkt: string
  readonly jti: string
  /** When it was made, by the clock of the client. Epoch seconds. */
  readonly iat: number
  readonly nonce: string | undefined
}

/** A proof that is not accepted. The message says why. */
export class ProofError extends Error {
  /** What the next proof must contain, if nothing else is wrong. */
  readonly nonce: string | undefined

  constructor(message: string, nonce?: string) {
    super(message)
    this.nonce = nonce
  }

  get code() {
    return this.nonce === undefined ? 'invalid_dpop_proof' : 'use_dpop_nonce'
  }
}

/**
 * Verifies a proof of the possession of a key.
 *
 * @param header The header `DPoP`, with all its values.
 * @throws ProofError
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html#section-4.3 RFC 9449, section 4.3}
 */
export async function verifyProof(header: string | undefined, sent: SentRequest): Promise<Proof> {
  if (header === undefined) throw new ProofError('the request has no header DPoP')
  if (header.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(header))
    throw new ProofError('the header DPoP must hold one proof, a signed JWT')
  const { alg, jwk } = await readHeader(header)
  const { claims, jkt } = await verifySignature(header, alg, jwk)
  const { htm, htu, iat, jti, nonce, ath } = claims
  const [method, url] = [sent.method, normalized(sent.url)]
  if (RELATIVE.test(sent.url)) throw new ProofError('the path of the request must have no dot segments')
  if (htm !== method) throw new ProofError(`the proof is not for the method ${method}`)
  if (typeof htu !== 'string' || !URL.canParse(htu) || normalized(htu) !== url)
    throw new ProofError(`the proof is not for the URL ${url}`)
  if (typeof jti !== 'string' || jti === '') throw new ProofError('the proof has no jti')
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new ProofError('the proof has no iat')
  if (sent.token !== undefined && ath !== base64url(await sha256(sent.token)))
    throw new ProofError('the proof is not for this access token')
  if (nonce !== undefined && typeof nonce !== 'string') throw new ProofError('the nonce must be text')
  return { jkt, jti, iat, nonce }
}

/**
 * Says how far the clock of a client is off, if a proof without a nonce cannot be accepted for it.
 *
 * @param now Epoch milliseconds.
 */
export function skewOf({ iat }: Proof, now: number): string | undefined {
  const ahead = iat - now / 1000
  if (Math.abs(ahead) < TOLERANCE) return undefined
  return `the clock of the client is ${Math.round(Math.abs(ahead))} seconds ${ahead < 0 ? 'behind' : 'ahead'}`
}

async function readHeader(proof: string): Promise<{ readonly alg: string; readonly jwk: JWK }> {
  const { decodeProtectedHeader } = await import('jose/decode/protected_header')
  const { typ, alg = '', jwk } = attempt(() => decodeProtectedHeader(proof))
  if (typ !== 'dpop+jwt') throw new ProofError('the proof must have the typ dpop+jwt')
  if (!PROOF_ALGORITHMS.includes(alg)) throw new ProofError(`the alg must be one of ${PROOF_ALGORITHMS}`)
  const members = Object(jwk)
  const names = PUBLIC.get(members.kty)
  const isPublic = names?.every((name) => typeof members[name] === 'string')
  if (names === undefined || !isPublic || PRIVATE.some((name) => name in members))
    throw new ProofError('the jwk of the proof must be a public key')
  if (members.kty === 'RSA' && members.e.length > LONGEST_EXPONENT)
    throw new ProofError('the exponent of the key must have 32 bits at most')
  return { alg, jwk: Object.fromEntries(['kty', ...names].map((name) => [name, members[name]])) as JWK }
}

async function verifySignature(
  proof: string,
  alg: string,
  jwk: JWK,
): Promise<{ readonly claims: Record<string, unknown>; readonly jkt: string }> {
  const { compactVerify } = await import('jose/jws/compact/verify')
  const name = alg + JSON.stringify(jwk)
  try {
    const known = recent.get(name) ?? (await importKey(alg, jwk))
    const { payload } = await compactVerify(proof, known.key, { algorithms: [alg] })
    recent.delete(name)
    recent.set(name, known)
    const [oldest = ''] = recent.keys()
    if (recent.size > MOST_KEYS) recent.delete(oldest)
    return { claims: Object(JSON.parse(new TextDecoder().decode(payload))), jkt: known.jkt }
  } catch {
    throw new ProofError('the signature of the proof is not valid')
  }
}

async function importKey(alg: string, jwk: JWK): Promise<VerifyingKey> {
  const [{ importJWK }, { calculateJwkThumbprint }] = await Promise.all([
    import('jose/key/import'),
    import('jose/jwk/thumbprint'),
  ])
  return { key: await importJWK(jwk, alg), jkt: await calculateJwkThumbprint(jwk) }
}

function attempt<Result>(read: () => Result): Result {
  try {
    return read()
  } catch {
    throw new ProofError('the proof cannot be read')
  }
}

/**
 * A URL without query and fragment, in one spelling. The names of a loopback address are one: clients choose among them.
 * RFC 9449, section 4.3; RFC 3986, sections 6.2.2 and 6.2.3.
 */
function normalized(address: string): string {
  const url = new URL(address)
  if (isLoopback(url.hostname)) url.hostname = 'localhost'
  const path = url.pathname.replace(/%[\da-f]{2}/gi, (escaped) => {
    const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase()
  })
  return url.origin + path
}
