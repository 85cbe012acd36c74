/** A request in the form that handlers and hooks receive, in any runtime. */
export interface ServiceRequest {
  /** The HTTP method, such as `GET`. */
  readonly method: string
  /** Host and port of the request; `undefined` if it names none, as in HTTP/1.0. */
  readonly host: string | undefined
  /** The path, without the query. */
  readonly path: string
  /** The remote address of the connection; `undefined` if unknown, as with `fetch`. */
  readonly address: string | undefined
  /** The query parameters. */
  readonly query: URLSearchParams
  /** Returns a header. The name must be in lower case. */
  header(name: string): string | undefined
  /** The body as text; `undefined` if another middleware has read it. */
  readonly body: string | undefined
  /** Whether the client has disconnected, so that nobody would receive a response. */
  isGone(): boolean
}

/** A response of the service, before a runtime sends it. */
export interface ServiceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Handler = (request: ServiceRequest) => Promise<ServiceResponse>

/** Bytes of the largest body that is accepted. */
export const LARGEST_REQUEST = 64 * 1024

export const TOO_LARGE = json(413, { message: `the body is larger than ${LARGEST_REQUEST} bytes` })

/** The host has made a mistake that a retry does not mend. */
export class HostMistakeError extends Error {}

/** Another middleware has read the body of a request: a body can be read only once, and a part of it says something else. */
export class BodyReadError extends HostMistakeError {
  constructor() {
    super('another middleware has read the body: mount the service before body parsers')
  }
}

/**
 * Returns the body of a request.
 *
 * @throws {@link BodyReadError}
 */
export function bodyOf({ body }: ServiceRequest): string {
  if (body === undefined) throw new BodyReadError()
  return body
}

export function hostError({ message }: HostMistakeError): ServiceResponse {
  return json(500, { error: 'server_error', error_description: message })
}

/** Responds with JSON that must not be cached, nor taken for anything else. RFC 6749, section 5.1. */
export function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: JSON.stringify(body),
  }
}

export function noContent(): ServiceResponse {
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: '' }
}

/**
 * Responds with status 429. RFC 6585, section 4.
 *
 * @param retryAfter In seconds.
 */
export function tooManyRequests(retryAfter: number): ServiceResponse {
  return tryLater(429, 'too_many_requests', `too many requests: wait ${retryAfter} seconds`, retryAfter)
}

/** Seconds after which a client may retry when the service is not available. */
export const SHORT_WAIT = 5

export function unavailable(): ServiceResponse {
  const description = 'the service cannot respond at the moment: try again later'
  return tryLater(503, 'temporarily_unavailable', description, SHORT_WAIT)
}

function tryLater(status: number, error: string, description: string, retryAfter: number): ServiceResponse {
  return json(status, { error, error_description: description }, { 'retry-after': String(retryAfter) })
}

/** Explains the errors. Octokit shows this link, and prints "undefined" without it. */
const ERROR_URI = 'https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5'

/** Responds with an OAuth error. RFC 6749, section 5.2. */
export function oauthError(
  status: number,
  error: string,
  description: string,
  more: { readonly interval?: number; readonly error_uri?: string } = {},
): ServiceResponse {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="authgraph"' } : {}
  return json(status, { error, error_description: description, error_uri: ERROR_URI, ...more }, challenge)
}
