import type { Secret } from '../secret.ts'
import type { NamedRequest } from './name-request.ts'

/** A response of the service, read but not yet interpreted. */
export interface ReceivedResponse {
  readonly status: number
  /** The JSON value, or the fields of a form; `undefined` if the body is neither. */
  readonly body: unknown
  /** When the response arrived, in epoch milliseconds. */
  readonly at: number
  /** Seconds to wait before the next request, from the `Retry-After` header. */
  readonly retryAfter?: number | undefined
  /** The `Date` header, in epoch milliseconds. */
  readonly date?: number | undefined
  /** The `DPoP-Nonce` header. RFC 9449, section 8. */
  readonly nonce?: string | undefined
  /** The request, for errors. */
  readonly request?: NamedRequest | undefined
  /** The secrets of the request, because a server may repeat them. */
  readonly sent?: readonly Secret[] | undefined
}
