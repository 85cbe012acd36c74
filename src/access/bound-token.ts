import { AccessError } from '../errors.ts'
import { challenge } from './challenge.ts'
import type { Credential } from './incoming-request.ts'
import { PROOF_ALGORITHMS, type Proof, ProofError, type SentRequest } from './proof.ts'

export interface ProofChecks {
  /** Rejects with a ProofError for a proof that is not valid, or not recent. */
  verify(header: string | undefined, sent: SentRequest): Promise<Proof>
  /** Rejects with a ProofError for a proof that was used before. */
  spend?(proof: Proof): Promise<void>
}

export interface Presented {
  readonly scheme: Credential['scheme']
  readonly token: string
  readonly method: string
  /** The URL as the client saw it; `undefined` if the API does not know it. */
  readonly url: string | undefined
  readonly proof: string | undefined
}

/**
 * Makes sure that a token that is bound to a key comes with a proof of that key, and no other token as if it were bound. A
 * bound token is never accepted as a bearer token.
 *
 * @throws {@link AccessError}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1 RFC 9449, section 7.1}
 */
export async function assertProven(
  { jkt }: { readonly jkt?: string },
  { scheme, token, method, url, proof: header }: Presented,
  checks: ProofChecks | undefined,
): Promise<void> {
  if (jkt === undefined && scheme !== 'dpop') return
  const algs = PROOF_ALGORITHMS.join(' ')
  const refusal = (message: string, error = 'invalid_token', nonce?: string) =>
    new AccessError({ status: 401, challenge: challenge('DPoP', { error, algs }), nonce }, message)
  if (jkt === undefined) throw refusal('the access token is not bound to a key: send it as a bearer token')
  if (scheme !== 'dpop' || checks === undefined)
    throw refusal('the access token is bound to a key: send it with the scheme DPoP and a proof')
  try {
    if (url === undefined) throw new ProofError('the API does not know its URL: set the baseUrl of the route')
    const proof = await checks.verify(header, { method, url, token })
    if (proof.jkt !== jkt) throw refusal('the access token is bound to another key')
    await checks.spend?.(proof)
  } catch (error) {
    if (error instanceof ProofError) throw refusal(error.message, error.code, error.nonce)
    throw error
  }
}
