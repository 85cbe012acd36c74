import type { Clock, ShownCodes } from '../client/options.ts'
import type { Provider } from '../protocol/provider.ts'
import type { Secret } from '../secret.ts'
import type { CheckResult } from './verdicts.ts'

/**
 * What `checkService` takes.
 *
 * @group Service check
 */
export interface CheckOptions {
  readonly clientId: string | Secret
  /** Another client of the service, to which the codes of the first one mean nothing. */
  readonly otherClientId?: string | Secret
  /** The addresses of the service. */
  readonly provider: Pick<Provider, 'deviceAuthorizationEndpoint' | 'tokenEndpoint'>
  /** Whose dialect the service has: found out from the status of its first poll error by default. */
  readonly dialect?: 'github' | 'rfc8628' | 'auto'
  /** Whose metadata to look for: that of the host of the token endpoint by default. */
  readonly issuer?: string
  /**
   * The origin of the verification page, such as `https://www.example.com`: that of an endpoint or of the issuer by
   * default. A page on any other origin is not requested, whatever address the service gives.
   */
  readonly pageOrigin?: string
  /** To be asked for: two or more show how the service separates them. */
  readonly scopes?: readonly string[]
  /** Approves as the user would, and resolves when that is done. Without it, what follows an approval is not looked at. */
  readonly approve?: (codes: ShownCodes) => unknown
  /** Denies as the user would. */
  readonly deny?: (codes: ShownCodes) => unknown
  /** Waits until codes run out, however long they live. Codes of a minute or less are waited for anyway. */
  readonly waitExpiry?: boolean
  /** Allows a service on another machine. */
  readonly remote?: boolean
  /** Hears of each result as it is found: not of what the check did not come to, where there are no codes say. */
  readonly onResult?: (result: CheckResult) => void
  readonly signal?: AbortSignal | undefined
  /** The runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
  /** The runtime's own by default. */
  readonly clock?: Clock
}

/**
 * What a check found.
 *
 * @group Service check
 */
export interface CheckReport {
  /** Every requirement, in the order in which it was looked at. */
  readonly results: readonly CheckResult[]
  readonly passed: number
  readonly failed: number
  /** What no specification demands, and would be better. */
  readonly advised: number
  readonly notApplicable: number
  /** Whose dialect the service has, as said or as found out. */
  readonly dialect: 'github' | 'rfc8628' | undefined
  /** Requests that were sent: 40 at most. */
  readonly requests: number
}
