import type { ShownCodes } from '../client/options.ts'
import type { Provider } from '../protocol/provider.ts'
import type { Clock } from '../request/options.ts'
import type { Secret } from '../secret.ts'
import type { CheckResult } from './report.ts'

/** Options of {@link checkService}. */
export interface CheckOptions {
  /** A client of the service. */
  readonly clientId: string | Secret
  /** A second client of the service, which must not be able to use the codes of the first one. */
  readonly otherClientId?: string | Secret
  /** The endpoints of the service. Default of `revocationEndpoint`: the one of its metadata, on the same origin. */
  readonly provider: Pick<Provider, 'deviceAuthorizationEndpoint' | 'tokenEndpoint' | 'revocationEndpoint'>
  /** The dialect of the service. Default: `auto`, which detects it from the status of the first poll error. */
  readonly dialect?: 'github' | 'rfc8628' | 'auto'
  /** The issuer whose metadata is checked. Default: the origin of the token endpoint. */
  readonly issuer?: string
  /**
   * The origin of the verification page, such as `https://www.example.com`. Default: the origins of the endpoints and of
   * the issuer. A page on any other origin is not requested.
   */
  readonly pageOrigin?: string
  /** The scopes to request. Give two or more to check how the service separates them. Default: none. */
  readonly scopes?: readonly string[]
  /**
   * A URL that needs an access token, such as `https://api.example.com/user`. It receives a token before and after that
   * token is revoked. Default: none.
   */
  readonly resource?: string
  /**
   * Approves as the user, and resolves when done. Called for two logins, and for another one whenever the service has ended
   * the second, as it may after a misuse. If the metadata says that the service supports DPoP, it is also called for a login
   * with DPoP. Without it, nothing after an approval is checked. If the first call rejects, `approved` fails.
   */
  readonly approve?: (codes: ShownCodes) => unknown
  /** Denies as the user, and resolves when done. Without it, the denial is not checked. If it rejects, `denied` fails. */
  readonly deny?: (codes: ShownCodes) => unknown
  /** Waits for codes to expire, even if they live longer than a minute. Default: `false`. */
  readonly waitExpiry?: boolean
  /** Allows a service on another machine. Default: `false`. */
  readonly remote?: boolean
  /** Called with each result as it is found, but not for requirements that the check did not reach. */
  readonly onResult?: (result: CheckResult) => void
  /** Aborts the check. */
  readonly signal?: AbortSignal | undefined
  /** Sends the requests. Default: the `fetch` of the runtime. */
  readonly fetch?: typeof globalThis.fetch
  /** Clock and timers. Default: those of the runtime. */
  readonly clock?: Clock
}
