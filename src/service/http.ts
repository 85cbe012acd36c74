/**
 * A request as the service reads it, from whichever runtime it came.
 *
 * @group Service
 */
export interface ServiceRequest {
  readonly method: string
  /** Host and port, as the request names them; empty where it names none, as HTTP/1.0 may. */
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  /** Reads a header; the name in lower case. */
  header(name: string): string | undefined
  readonly body: string
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

/** Answers with an error as OAuth writes it. RFC 6749, section 5.2. */
export function oauthError(
  status: number,
  error: string,
  description: string,
  more: { readonly interval?: number } = {},
): ServiceResponse {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="authgraph"' } : {}
  return json(status, { error, error_description: description, ...more }, challenge)
}
