import { BadOptionError } from '../errors.ts'
import type { Secret } from '../secret.ts'

/** The API that a request goes to. */
export interface ApiTarget {
  /** The base URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Sends requests to it, without credentials of its own. */
  readonly fetch: typeof globalThis.fetch
}

/** A request that a form proves. */
export interface AuthRequest {
  /** The method, as a `Request` spells it. */
  readonly method: string
  /** The whole URL. */
  readonly url: string
}

/**
 * A form of client authentication. Implement it to add your own.
 *
 * Use a class with private fields, so that debug output shows no secrets.
 */
export interface Auth {
  /** The name of the form, such as `basic`. */
  readonly form: string
  /** Returns the `Authorization` header of one request; `undefined` for no header. */
  authorization(target: ApiTarget): Secret | undefined | Promise<Secret | undefined>
  /**
   * Returns the `DPoP` header of one request: a proof for its method, its URL and the token of the `Authorization` header.
   *
   * @param sent The `Authorization` header that the request will have.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html#section-7 RFC 9449, section 7}
   */
  prove?(request: AuthRequest, sent: Secret): Secret | undefined | Promise<Secret | undefined>
  /**
   * Called with every response. Returns `true` if a retry with a new header may succeed. A request is sent at most four
   * times. An error that it throws ends the request.
   *
   * @param sent The `Authorization` header that the request had.
   */
  learn?(response: Response, sent: Secret | undefined, request?: AuthRequest): boolean | Promise<boolean>
}

/** The key under which a session has its form. A registered symbol, since a process may load several copies of this file. */
export const FORM: unique symbol = Symbol.for('authgraph.form')

/** What has a form of client authentication, such as a session. */
export interface HasForm {
  /** @internal */
  readonly [FORM]: Auth
}

/** The form itself, or that of a session. */
export function formOf(auth: Auth | HasForm): Auth {
  const form: Auth | undefined = Object(auth)[FORM] ?? auth
  if (typeof form?.authorization === 'function') return form
  throw new BadOptionError('auth must be a form such as personalToken(…), or a session')
}
