import type { ReceivedResponse } from '../request/received-response.ts'
import type { Secret } from '../secret.ts'

/** A request that a proof is for. */
export interface ProvenRequest {
  readonly method: string
  readonly url: string
  /** The access token of a request to an API. */
  readonly token?: Secret | undefined
  /** The current time in epoch milliseconds. */
  readonly now: number
}

/** What is known of the response to a request with a proof. */
export type ProofResponse = Pick<ReceivedResponse, 'body' | 'nonce' | 'date' | 'at'>

/** Binds tokens to a key: `dpop()` from `authgraph/dpop` creates one. */
export interface Dpop {
  /** Throws a BadResponseError for a token that is not bound to the key, if that is required. */
  readonly check: (tokenType: string) => void
  /** Creates a key, as a private JWK. */
  readonly createKey: () => Promise<Secret>
  /** Creates a proof for one request: the `DPoP` header. */
  readonly prove: (key: Secret, request: ProvenRequest) => Promise<Secret>
  /**
   * Learns from a response. Returns `undefined` if it is not a refusal of the proof; otherwise, whether a new proof may be
   * accepted.
   */
  readonly learn: (url: string, response: ProofResponse) => boolean | undefined
}
