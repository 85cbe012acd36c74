/**
 * Base class of all errors in this package. Each has a stable `code`. The message names fields, hosts and paths, but
 * never contains their values.
 */
export abstract class AuthgraphError extends Error {
  abstract readonly code: ErrorCode

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * The user denied the request. Start a new one only when the user asks for it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export class DeniedError extends AuthgraphError {
  readonly code = 'denied'

  constructor() {
    super('the user denied the request')
  }
}

/**
 * The code expired before the user decided. Start a new request only when the user asks for it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export class ExpiredError extends AuthgraphError {
  readonly code = 'expired'

  constructor() {
    super('the code expired before the user decided')
  }
}

/** The authorization was cancelled. `cause` is the reason of the abort signal, if there is one. */
export class CancelledError extends AuthgraphError {
  readonly code = 'cancelled'

  constructor(reason?: unknown) {
    super('the authorization was cancelled', reason === undefined ? undefined : { cause: reason })
  }
}

/**
 * The connection failed or broke. `reason` is the system error code, such as `ECONNREFUSED`, or `BAD_PORT` if Node's
 * `fetch` blocks the port.
 *
 * `cause` is what `fetch` threw, but only if it cannot contain a secret: the errors of HTTP clients often contain the
 * request.
 */
export class UnreachableError extends AuthgraphError {
  readonly code = 'unreachable'
  declare readonly reason: string | undefined

  constructor(host: string, reason?: string, options?: ErrorOptions & { readonly request?: string }) {
    super(`${host} cannot be reached${inBrackets(reason, options?.request)}`, options)
    keep(this, { reason })
  }

  /** Creates the error from what an HTTP client threw. Keeps only the system error code. */
  static of(
    host: string,
    thrown: unknown,
    options?: ErrorOptions & { readonly request?: string },
  ): UnreachableError {
    return new this(host, systemCode(thrown), options)
  }
}

/** Finds the system error code in an error or its causes. */
function systemCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const { code } = error as { code?: unknown }
  // Node's `fetch` has a code of its own for this, and none for a port that it blocks.
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (error.message === 'bad port') return 'BAD_PORT'
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,39}$/.test(code)) return code
  return systemCode(error.cause, depth + 1)
}

/** The service did not respond within the request timeout. */
export class TimedOutError extends AuthgraphError {
  readonly code = 'timed_out'

  constructor(request?: string) {
    super(`the service did not respond in time${inBrackets(request)}`)
  }
}

/**
 * The service responded with a redirect. It was not followed, and nothing was sent to the other URL. `host` is the host of
 * that URL if it is another one, else `path` is its path if that is another one. Both come from the service: check them before you use them.
 */
export class RedirectedError extends AuthgraphError {
  readonly code = 'redirected'
  declare readonly host: string | undefined
  /** Without the query. Not part of the message. */
  declare readonly path: string | undefined

  constructor(
    request: string,
    { host, path }: { readonly host?: string | undefined; readonly path?: string } = {},
  ) {
    super(
      host === undefined
        ? `${request} responded with a redirect: redirects are not followed`
        : `${request} redirects to ${host}: redirects are not followed`,
    )
    keep(this, { host })
    Object.defineProperty(this, 'path', { value: path })
  }
}

/**
 * A URL is neither `https` nor a loopback address, or it is not at the expected host. Nothing was sent to it.
 */
export class WrongHostError extends AuthgraphError {
  readonly code = 'wrong_host'
}

/** The response does not have the shape that the specification defines. */
export class BadResponseError extends AuthgraphError {
  readonly code = 'bad_response'
}

/** The response is larger than any response of this protocol. The rest of it was not read. */
export class ResponseTooLargeError extends AuthgraphError {
  readonly code = 'response_too_large'

  constructor(limit: number, request?: string) {
    super(`the response is larger than ${limit} bytes${inBrackets(request)}`)
  }
}

/** What a {@link RefusedError} is made of. */
export interface RefusalDetails {
  readonly error?: string | undefined
  readonly description?: string | undefined
  readonly status: number
  readonly retryAfter?: number | undefined
  readonly request?: string | undefined
}

/**
 * The service refused the request. The message names the request: its method, host and path.
 *
 * `error` is the OAuth error code, if the response has one; `status` is the HTTP status; `retryAfter` is the number of
 * seconds to wait before the next request, if the service asked for it.
 *
 * `description` is the `error_description` that the server writes for developers, and the `error_uri` if that is an https
 * URL. It is **untrusted text**: one line of at most 500 characters, without control characters. Quote it, but never match on it. The message does not contain it.
 * Neither `error` nor `description` contains a secret of the request.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2 RFC 6749, section 5.2}
 */
export class RefusedError extends AuthgraphError {
  readonly code: 'refused' | 'forbidden' = 'refused'
  declare readonly error: string | undefined
  declare readonly description: string | undefined
  readonly status: number
  declare readonly retryAfter: number | undefined

  constructor(refusal: RefusalDetails, message = refusalMessage(refusal)) {
    super(message)
    const { error, description, status, retryAfter } = refusal
    this.status = status
    keep(this, { error, description, retryAfter })
  }
}

/**
 * This client may not use the device flow (`unauthorized_client`), or an administrator has blocked the login for the user,
 * the device or the app. Another attempt has the same result: the message says what to do.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2 RFC 6749, section 5.2: unauthorized_client}
 */
export class ForbiddenError extends RefusedError {
  override readonly code = 'forbidden'

  constructor(refusal: RefusalDetails) {
    super(
      refusal,
      refusal.error === 'unauthorized_client'
        ? refusalMessage(refusal)
        : `a policy of the provider forbids this login${inBrackets(refusal.request)}: ask an administrator to allow it, or use another flow`,
    )
  }
}

/** An option is missing or invalid. The message names the option and says what is expected. */
export class BadOptionError extends AuthgraphError {
  readonly code = 'bad_option'
}

/** A resume record cannot be read: it is damaged, or has an unknown version. */
export class BadResumeError extends AuthgraphError {
  readonly code = 'bad_resume'

  /** @param why What is wrong with the record. */
  constructor(why: string) {
    super(`${why}; start again to get new codes`)
  }
}

/**
 * Why an app JWT could not be signed: the key, the app ID, the clock, or the signing. The meaning of a code never
 * changes.
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
 * The app JWT cannot be signed. `code` is the reason, and the message says what to do about it.
 *
 * It has no `cause`: errors of cryptography libraries may quote the key.
 */
export class JwtError extends AuthgraphError {
  readonly code: JwtErrorCode

  constructor(code: JwtErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The store cannot be reached, read or written: the operation failed, or its outcome is unknown. Throw this error in
 * your own store to make the service respond with status 503.
 */
export class StoreUnavailableError extends AuthgraphError {
  readonly code = 'store_unavailable'
}

/**
 * A stored record cannot be parsed or decrypted, and will not be: delete it, and log in again. Any other
 * {@link StoreUnavailableError} may pass.
 */
export class DamagedRecordError extends StoreUnavailableError {}

/**
 * There is no usable token: nobody is logged in, the provider has ended the login, or the token has expired and cannot
 * be refreshed. Start a login. `cause` is the provider's refusal, if there is one.
 */
export class LoginRequiredError extends AuthgraphError {
  readonly code = 'login_required'

  /** @param why Why there is no token. */
  constructor(why = 'not logged in', options?: ErrorOptions) {
    super(`${why}: log in`, options)
  }
}

/** What a {@link LoginPendingError} shows. */
export interface PendingCodes {
  /** The URL of the server that wants the login. */
  readonly server: string
  /** The issuer at which the user logs in. */
  readonly issuer: string
  /** The code that the user enters. */
  readonly userCode: string
  /** The URL where the user enters the code. */
  readonly verificationUri: string
  /** The URL that contains the code, if the service sent one. */
  readonly verificationUriComplete?: string
  /** When the code expires, in epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The user has not decided in time. The login continues: show the code of `codes`, and try again later. The message is for the
 * user, and contains the code.
 */
export class LoginPendingError extends AuthgraphError {
  readonly code = 'login_pending'
  readonly codes: PendingCodes

  constructor(codes: PendingCodes) {
    const { server, issuer, userCode, verificationUri } = codes
    super(
      `${server} needs a login: enter ${userCode} at ${verificationUri} (issuer: ${issuer}), then try again`,
    )
    this.codes = codes
  }
}

/** Another process is refreshing this login and does not finish. `pid` is its process ID, if it runs on this host. */
export class BusyError extends AuthgraphError {
  readonly code = 'busy'
  declare readonly pid: number | undefined

  constructor(pid?: number) {
    super(
      `${pid === undefined ? 'another process' : `process ${pid}`} is still refreshing this login; try again later`,
    )
    keep(this, { pid })
  }
}

/**
 * New tokens were issued but could not be stored. They are in `token`: store them, or they are lost when the process
 * ends. `cause` is what the store threw.
 */
export class NotKeptError<Token extends object = object> extends AuthgraphError {
  readonly code = 'not_kept'
  /** An `OAuthToken`. */
  readonly token: Token

  constructor(token: Token, options?: ErrorOptions) {
    super('the new tokens could not be stored: they are in the property "token" of this error', options)
    this.token = token
  }
}

/**
 * The ID token is missing or not valid. Do not trust the user that it names. `claim` is the claim that is wrong, if it is
 * one.
 *
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation OpenID Connect Core 1.0, section
 * 3.1.3.7}
 */
export class BadIdTokenError extends AuthgraphError {
  readonly code = 'bad_id_token'
  declare readonly claim: string | undefined

  constructor(why: string, claim?: string) {
    super(`the ID token is not valid: ${why}`)
    keep(this, { claim })
  }
}

/** The response of an {@link AccessError}. */
export interface AccessRefusal {
  readonly status: 400 | 401 | 403 | 429 | 503
  /** The header `WWW-Authenticate`. */
  readonly challenge?: string
  /** The header `Retry-After`, in seconds. */
  readonly retryAfter?: number
  /** The header `DPoP-Nonce`: what the next proof must contain. */
  readonly nonce?: string | undefined
  readonly cause?: unknown
}

/**
 * A request to your API has no valid credential, or lacks a scope. The error contains the response: Express, Fastify and
 * Hono send it if you let the error propagate. In a `fetch` handler, return `error.getResponse()`.
 *
 * `status` is 401 if there is no valid credential, 403 if the token lacks a scope, 400 if the request has several
 * credentials, 429 after too many wrong passwords, and 503 if the credential cannot be checked at the moment. `cause` then
 * is the reason. `headers` are those of the response, such as `www-authenticate`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1 RFC 6750, section 3.1}
 */
export class AccessError extends AuthgraphError {
  readonly code = 'no_access'
  readonly status: AccessRefusal['status']
  readonly headers: Readonly<Record<string, string>>

  constructor({ status, challenge, retryAfter, nonce, ...options }: AccessRefusal, message: string) {
    super(message, options)
    this.status = status
    this.headers = {
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(nonce !== undefined && { 'dpop-nonce': nonce }),
    }
  }

  /** Returns the response as a web `Response`. */
  getResponse(): Response {
    const { status, headers, message } = this
    return Response.json({ message }, { status, headers: { 'cache-control': 'no-store', ...headers } })
  }
}

/** Union of all errors in this package, so that TypeScript can check a `switch (error.code)` for completeness. */
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
  | ForbiddenError
  | BadOptionError
  | BadResumeError
  | JwtError
  | StoreUnavailableError
  | LoginRequiredError
  | LoginPendingError
  | BusyError
  | NotKeptError
  | BadIdTokenError
  | AccessError

/** The `code` of every error in this package. The meaning of a code never changes. */
export type ErrorCode = AnyAuthgraphError['code']

/** Sets properties, and hides those without a value from whoever prints the error. */
export function keep(error: Error, properties: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(error, name, { value, enumerable: value !== undefined })
}

function inBrackets(...details: readonly (string | undefined)[]): string {
  const known = details.filter((detail) => detail !== undefined).join(', ')
  return known && ` (${known})`
}

/** What to do about a refusal. Only these codes are quoted: any other code is untrusted text. */
const ADVICE: Record<string, string> = {
  bad_verification_code: 'the device code is unknown or has already been used',
  device_flow_disabled: 'enable the device flow in the settings of the app',
  incorrect_client_credentials: 'check the client ID',
  incorrect_device_code: 'the device code is unknown or has already been used',
  invalid_client: 'check the client ID',
  invalid_grant: 'the code or refresh token is unknown, expired or already used',
  invalid_request: 'the service rejected the request parameters',
  invalid_scope: 'check the scopes',
  server_error: 'try again later',
  temporarily_unavailable: 'try again later',
  too_many_requests: 'wait before you try again',
  unauthorized_client: 'enable the device flow in the settings of the app, or check the client ID',
  unsupported_grant_type: 'the service does not support the device flow',
}

/** Says what the service did, with which request, and what to do about it. */
export function refusalMessage({ error, status, request }: RefusalDetails): string {
  const refused = `the service ${status >= 500 ? 'failed' : 'refused the request'}${inBrackets(request)} with`
  if (error === undefined || status >= 500 || !Object.hasOwn(ADVICE, error))
    return `${refused} status ${status}`
  return `${refused} error code ${error}: ${ADVICE[error]}`
}
