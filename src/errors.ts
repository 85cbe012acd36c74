/**
 * What an error of this package can be about. A code never changes its meaning.
 *
 * @group Errors
 */
export type ErrorCode =
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'unreachable'
  | 'timed_out'
  | 'redirected'
  | 'wrong_host'
  | 'bad_response'
  | 'response_too_large'
  | 'refused'
  | 'bad_option'
  | 'bad_resume'
  | 'store_unavailable'
  | JwtErrorCode

/**
 * The base of every error of this package: one stable `code` each, and a message that names fields, hosts and
 * paths, never values.
 *
 * @group Errors
 */
export abstract class AuthgraphError extends Error {
  abstract readonly code: ErrorCode

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * The user said no. Start a new request only when the user asks for it.
 *
 * @group Errors
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export class DeniedError extends AuthgraphError {
  readonly code = 'denied'

  constructor() {
    super('the user denied the authorization')
  }
}

/**
 * The codes ran out before the user decided. Start a new request only when the user asks for it.
 *
 * @group Errors
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export class ExpiredError extends AuthgraphError {
  readonly code = 'expired'

  constructor() {
    super('the codes expired before the user decided; start again to get new ones')
  }
}

/**
 * The caller cancelled. `cause` is the reason of the signal that did it.
 *
 * @group Errors
 */
export class CancelledError extends AuthgraphError {
  readonly code = 'cancelled'

  constructor(reason?: unknown) {
    super('the authorization was cancelled', reason === undefined ? undefined : { cause: reason })
  }
}

/**
 * No connection, or one that broke. `reason` is the system's code for it, such as `ECONNREFUSED`.
 *
 * What `fetch` threw is its `cause` only where it cannot hold a secret: errors of HTTP clients hold the request.
 *
 * @group Errors
 */
export class UnreachableError extends AuthgraphError {
  readonly code = 'unreachable'
  readonly reason: string | undefined

  constructor(host: string, reason?: string, options?: ErrorOptions) {
    super(`${host} cannot be reached${reason ? `: ${reason}` : ''}`, options)
    this.reason = reason
  }

  /** Makes the error from what an HTTP client threw. Keeps only the system's code of it. */
  static of(host: string, thrown: unknown, options?: ErrorOptions): UnreachableError {
    return new this(host, systemCode(thrown), options)
  }
}

/** The system's code in an error or in one of its causes. */
function systemCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,39}$/.test(code)) return code
  return systemCode(error.cause, depth + 1)
}

/**
 * No answer within the time a request may take.
 *
 * @group Errors
 */
export class TimedOutError extends AuthgraphError {
  readonly code = 'timed_out'

  constructor() {
    super('the service did not respond in time')
  }
}

/**
 * The service answered with a redirect. It was not followed, and nothing was sent to the other address.
 *
 * @group Errors
 */
export class RedirectedError extends AuthgraphError {
  readonly code = 'redirected'

  constructor(host: string) {
    super(`${host} responded with a redirect, which is never followed: use the final URL`)
  }
}

/**
 * An address that may not be used: not `https` although it is no loopback address, or another host than the
 * credentials are for. Nothing was sent.
 *
 * @group Errors
 * @see Spec 4
 */
export class WrongHostError extends AuthgraphError {
  readonly code = 'wrong_host'
}

/**
 * An answer of another shape than the specification gives.
 *
 * @group Errors
 * @see Spec 4
 */
export class BadResponseError extends AuthgraphError {
  readonly code = 'bad_response'
}

/**
 * An answer of more bytes than any answer of this protocol has. The rest of it was not read.
 *
 * @group Errors
 */
export class ResponseTooLargeError extends AuthgraphError {
  readonly code = 'response_too_large'

  constructor(limit: number) {
    super(`the response is larger than ${limit} bytes`)
  }
}

/**
 * The service said no: `error` is the code on the wire, where it gave one, `status` the HTTP status, and
 * `retryAfter` the seconds after which it asked to be called again.
 *
 * `description` is what the server says to developers (`error_description`): **untrusted text**, one line of at most
 * 500 characters without control characters. Quote it, never match on it. The message does not contain it. Neither
 * `error` nor `description` contains a secret of the request.
 *
 * @group Errors
 * @see Spec 7
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2 RFC 6749, section 5.2}
 */
export class RefusedError extends AuthgraphError {
  readonly code = 'refused'
  readonly error: string | undefined
  readonly description: string | undefined
  readonly status: number
  readonly retryAfter: number | undefined

  constructor(refusal: {
    error?: string | undefined
    description?: string | undefined
    status: number
    retryAfter?: number | undefined
  }) {
    super(refusalMessage(refusal))
    this.error = refusal.error
    this.description = refusal.description
    this.status = refusal.status
    this.retryAfter = refusal.retryAfter
  }
}

/**
 * The API refused a call. Holds what the response said about it: these are the server's own words, so show and log them
 * with care.
 *
 * @group Errors
 */
export class ApiError extends RefusedError {
  /** The headers of the response, such as `x-ratelimit-reset`. */
  readonly headers: Headers
  /** The parsed body where it is JSON: GitHub sends `message`, `errors` and `documentation_url`. Otherwise its text. */
  readonly body: unknown

  constructor(
    refusal: ConstructorParameters<typeof RefusedError>[0],
    { headers, body }: { headers: Headers; body: unknown },
  ) {
    super(refusal)
    this.headers = headers
    this.body = body
  }
}

/**
 * An option that cannot be used. The message names it and says what is wanted.
 *
 * @group Errors
 */
export class BadOptionError extends AuthgraphError {
  readonly code = 'bad_option'
}

/**
 * A resume record that cannot be read: damaged, or of a version this package does not know.
 *
 * @group Errors
 */
export class BadResumeError extends AuthgraphError {
  readonly code = 'bad_resume'

  /** @param why What is wrong with the record. */
  constructor(why: string) {
    super(`${why}; start again to get new codes`)
  }
}

/**
 * What is wrong with an application's key, its id, the clock, or the signing itself. A code never changes its meaning.
 *
 * @group Errors
 */
export type JwtErrorCode =
  | 'key_truncated'
  | 'key_public'
  | 'key_certificate'
  | 'key_openssh'
  | 'key_encrypted'
  | 'key_not_rsa'
  | 'key_unreadable'
  | 'key_too_short'
  | 'bad_app_id'
  | 'clock_skew'
  | 'sign_failed'

/**
 * The application token cannot be signed. `code` names why, and the message says what to do about it.
 *
 * It keeps no `cause`: an error of a cryptography library may quote the key.
 *
 * @group Errors
 * @see Spec 7
 */
export class JwtError extends AuthgraphError {
  readonly code: JwtErrorCode

  constructor(code: JwtErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The store of the service cannot be reached, or takes nothing more. What was asked for was not done; or, where the
 * connection broke before the answer came, it is not known whether it was. A store of your own throws it so that the
 * service answers 503: try again soon.
 *
 * @group Errors
 */
export class StoreUnavailableError extends AuthgraphError {
  readonly code = 'store_unavailable'
}

/**
 * Every error of this package, so that `switch (error.code)` is checked for completeness.
 *
 * @group Errors
 */
export type AnyAuthgraphError =
  | DeniedError
  | ExpiredError
  | CancelledError
  | UnreachableError
  | TimedOutError
  | RedirectedError
  | WrongHostError
  | BadResponseError
  | ResponseTooLargeError
  | RefusedError
  | BadOptionError
  | BadResumeError
  | JwtError
  | StoreUnavailableError

/** What a person can do about a refusal. Only codes of this table are quoted: others are the service's own text. */
const ADVICE: Record<string, string> = {
  access_denied: 'the user denied the request',
  device_flow_disabled: 'enable the device flow in the settings of the app',
  expired_token: 'start again to get new codes',
  incorrect_client_credentials: 'check the client id',
  incorrect_device_code: 'the device code is unknown or has already been used',
  invalid_client: 'check the client id',
  invalid_grant: 'the code or refresh token is unknown, expired or already used',
  invalid_request: 'the service rejected the request parameters',
  invalid_scope: 'check the scopes',
  server_error: 'the service failed; try again later',
  temporarily_unavailable: 'try again later',
  too_many_requests: 'wait before you try again',
  unauthorized_client: 'this client is not allowed to use the device flow',
  unsupported_grant_type: 'the service does not support the device flow',
}

function refusalMessage({ error, status }: { error?: string | undefined; status: number }): string {
  if (error === undefined) return `the service refused the request with status ${status}`
  const advice = Object.hasOwn(ADVICE, error) ? ADVICE[error] : undefined
  if (advice === undefined)
    return `the service refused the request with status ${status} and a non-standard code (see .error)`
  return `the service refused: ${error} (${advice})`
}
