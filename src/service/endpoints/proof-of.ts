import { type Proof, ProofError } from '../../access/proof.ts'
import type { KnownClient } from '../credentials/clients.ts'
import { RefusedRequest } from '../host/refused-request.ts'
import { HostMistakeError, oauthError, type ServiceRequest, type ServiceResponse } from '../http/types.ts'
import type { Parts } from '../parts.ts'

/**
 * Verifies the proof of a request of a client; `undefined` if it has none, or proofs are ignored.
 *
 * @param at The endpoint. At the request for codes, no client must send a proof: most libraries send none there.
 * @throws RefusedRequest for a proof that is not valid, and without one if the client must send it.
 */
export async function proofOf(
  { proofs, authUrl }: Parts,
  request: ServiceRequest,
  client: KnownClient,
  at: 'atCodes' | 'atPoll' = 'atPoll',
): Promise<Proof | undefined> {
  const header = request.header('dpop')
  if (client.dpop === 'off') return undefined
  const isRequired = client.dpop === 'required' && at === 'atPoll'
  if (!isRequired && (proofs === undefined || header === undefined)) return undefined
  // A client that the host's function found.
  if (proofs === undefined)
    throw new HostMistakeError('the dpop of a client is "required": set the option dpop of the service, too')
  const { origin } = new URL(authUrl())
  return accepted(() => proofs.verify(header, { method: request.method, url: origin + request.path }))
}

/**
 * Accepts a proof once.
 *
 * @throws RefusedRequest if it was used before.
 */
export async function spendProof({ proofs }: Parts, proof: Proof | undefined): Promise<void> {
  if (proof) await accepted(async () => proofs?.spend(proof))
}

/** Refuses a proof. It ends no login: the same request may succeed with another one. RFC 9449, sections 5 and 8. */
export function refuseProof({ code, message, nonce }: ProofError): never {
  const more = { error_uri: 'https://www.rfc-editor.org/rfc/rfc9449.html#section-5' }
  const response = oauthError(400, code, message, more)
  const headers = { ...response.headers, ...(nonce && { 'dpop-nonce': nonce }) }
  throw new RefusedRequest({ ...response, headers })
}

/** Adds what the next proof should contain, for a client that sends proofs. RFC 9449, section 8.2. */
export async function withNonce(
  { proofs }: Parts,
  request: ServiceRequest,
  response: ServiceResponse,
): Promise<ServiceResponse> {
  const nonce = request.header('dpop') && (await proofs?.nextNonce())
  return nonce ? { ...response, headers: { ...response.headers, 'dpop-nonce': nonce } } : response
}

async function accepted<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof ProofError) return refuseProof(error)
    throw error
  }
}
