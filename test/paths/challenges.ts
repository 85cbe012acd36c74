import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { dpop } from '../../src/dpop/index.ts'

/** What the tokens of a login with DPoP are for. */
export const RESOURCE = 'https://api.example'

/** A key of an earlier process. */
export const KEY = await dpop().createKey()

/** Its public part. */
export const PUBLIC_KEY = (({ d, ...jwk }) => jwk)(JSON.parse(KEY.reveal()))

/** A request as the client sent it. */
interface Sent {
  readonly url: string
  readonly proof: string | null
  /** Epoch milliseconds. */
  readonly now: number
}

/** How many nonces the server has given out. Clients remember the newest one from login to login. */
let nonces = 0

/** A server that accepts each nonce once, so that every request of a client is challenged first. */
export class Challenges {
  #isChallenged = false
  /** The public key of the last proof. */
  jwk: unknown
  readonly #used = new Set<unknown>()

  /** Returns the challenge that a request gets, as use_dpop_nonce of RFC 9449, section 8. Of its repetition it requires a proof with the nonce, and accepts it. */
  respondTo({ url, proof, now }: Sent): Response | undefined {
    const { jti, ...claims } = readProof(proof)
    expect(this.#used.has(jti), 'a proof was used twice').toBe(false)
    this.#used.add(jti)
    const { jwk, ...header } = decodeProtectedHeader(proof ?? '')
    expect(header).toEqual({ typ: 'dpop+jwt', alg: 'ES256' })
    if (this.#isChallenged) expect(jwk, 'the key of the repetition').toEqual(this.jwk)
    this.jwk = jwk
    expect(claims).toEqual({
      htm: 'POST',
      htu: url,
      iat: Math.floor(now / 1000),
      ...(nonces > 0 && { nonce: `nonce-${nonces}` }),
    })
    this.#isChallenged = !this.#isChallenged
    if (!this.#isChallenged) return undefined
    nonces += 1
    const headers = { 'dpop-nonce': `nonce-${nonces}`, 'content-type': 'application/json' }
    return new Response('{"error":"use_dpop_nonce"}', { status: 400, headers })
  }
}

/** The claims of a proof whose signature is that of its own key. RFC 9449, section 4.2; RFC 7515, section 5.2. */
function readProof(proof: string | null): Record<string, unknown> {
  if (proof === null) throw new Error('the request has no proof')
  const { jwk } = decodeProtectedHeader(proof)
  const [header, payload, signature = ''] = proof.split('.')
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  expect(isSigned, 'the signature of the proof').toBe(true)
  return decodeJwt(proof)
}
