import { BadOptionError } from '../errors.ts'
import type { ReceivedResponse } from '../request/response.ts'
import type { Secret } from '../secret.ts'
import { isDpop } from './syntax.ts'

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

/** Binds tokens to a key: `dpop()` of `authgraph/dpop` creates one. */
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

/**
 * Throws a BadOptionError for an option `dpop` of another kind, and for a token that is bound to a key if its key or the
 * option is missing: without a proof, the server would take its owner for a thief.
 */
export function assertDpop(
  dpop: Dpop | undefined,
  { tokenType = '', dpopKey }: { readonly tokenType?: string; readonly dpopKey?: Secret | undefined } = {},
): void {
  const isBound = dpopKey ?? isDpop(tokenType)
  if (isBound ? dpop?.prove && dpopKey : !dpop || dpop.prove) return
  throw new BadOptionError('pass dpop: dpop() of authgraph/dpop, with the key of the token')
}
