/**
 * A request as the service reads it, from whichever runtime it came.
 *
 * @group Service
 */
export interface ServiceRequest {
  readonly method: string
  /** Host and port, as the request names them; `undefined` where it names none, as HTTP/1.0 may. */
  readonly host: string | undefined
  readonly path: string
  /** Where the connection comes from; `undefined` where the runtime does not say, as with `fetch`. */
  readonly address: string | undefined
  readonly query: URLSearchParams
  /** Reads a header; the name in lower case. */
  header(name: string): string | undefined
  readonly body: string
  /** Whether the client has hung up, so that nobody would hear an answer. */
  isGone(): boolean
}

/** An answer of the service, before a runtime sends it. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Answers one request. */
export type Handler = (request: ServiceRequest) => Promise<ServiceResponse>

/** Bytes of the largest body that is read. */
export const LARGEST_REQUEST = 64 * 1024

/** What is said of a larger one. */
export const TOO_LARGE = json(413, { message: `the body is larger than ${LARGEST_REQUEST} bytes` })

/** Answers with JSON that no cache keeps. RFC 6749, section 5.1. */
export function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  }
}

/** Answers that something was asked for too often. `retryAfter` in seconds. RFC 6585, section 4. */
export function tooManyRequests(retryAfter: number): ServiceResponse {
  return json(
    429,
    { error: 'too_many_requests', error_description: `too many requests: wait ${retryAfter} seconds` },
    { 'retry-after': String(retryAfter) },
  )
}

/** Seconds after which a client may ask again when the service cannot answer. */
export const PAUSE = 5

/** Answers that the service cannot answer at the moment. */
export function unavailable(): ServiceResponse {
  return json(
    503,
    { error: 'temporarily_unavailable', error_description: 'the service is busy: try again later' },
    { 'retry-after': String(PAUSE) },
  )
}

/** What explains the errors: Octokit shows it, and prints "undefined" where there is none. */
const ERROR_URI = 'https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5'

/** Answers with an error as OAuth writes it. RFC 6749, section 5.2. */
export function oauthError(
  status: number,
  error: string,
  description: string,
  more: { readonly interval?: number } = {},
): ServiceResponse {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="authgraph"' } : {}
  return json(status, { error, error_description: description, error_uri: ERROR_URI, ...more }, challenge)
}
