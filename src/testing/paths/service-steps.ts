import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import type { RefreshFamilyState } from '../../../machines/refresh-family.ts'
import type { Decision } from '../../service/grants.ts'

/**
 * One step of a service path, for you to make happen. Durations are milliseconds.
 *
 * - `codes`: a device requests codes.
 * - `poll`: the device polls.
 * - `wait`: time passes until one interval after the last poll that was not early (`due`), until the codes have expired
 *   (`over`), or until a poll no longer gets the token again (`windowOver`).
 * - `approve`, `deny`: the user decides.
 *
 * With refresh tokens also:
 *
 * - `refresh`: the client refreshes with its newest refresh token, with the one before, or with the one before that.
 * - `wait`: time passes until the reuse window has ended (`windowOver`), or until the refresh tokens have expired (`over`).
 * - `revoke`: the client revokes its newest refresh token.
 */
export type ServiceStep =
  | { readonly type: 'codes' }
  | { readonly type: 'poll' }
  | { readonly type: 'wait'; readonly until: 'due' | 'over' | 'windowOver'; readonly milliseconds: number }
  | { readonly type: 'approve' }
  | { readonly type: 'deny' }
  | { readonly type: 'refresh'; readonly token: 'newest' | 'previous' | 'older' }
  | { readonly type: 'revoke' }

/** How the service must respond to a poll. `unknownCode` is `incorrect_device_code`, or `invalid_grant` in RFC 6749. */
export type PollResult = 'pending' | 'slowDown' | 'token' | 'denied' | 'expired' | 'unknownCode'

/** What must be true of the service after a step. */
export interface ServiceExpectation {
  /** The state that the service keeps. It is not visible on the wire. */
  readonly state: DeviceGrantState
  /** The result of the poll in this step. */
  readonly result?: PollResult
  /** Seconds between two polls from now on. */
  readonly interval: number
  /** The outcome of the decision in this step: `decided` if there already is one, `expired` if it is too late. */
  readonly decision?: Exclude<Decision, 'unknown'>
  /** With refresh tokens: the state of the login that has begun. `revoked` and `expired` end its access tokens too. */
  readonly login?: RefreshFamilyState
  /** The result of the refresh in this step: a new pair of tokens, the pair of an earlier refresh again, or an error. */
  readonly refreshed?: 'newPair' | 'samePair' | 'refused'
}

/** One step of a path. */
export interface ServicePathStep {
  /** The step to make happen. */
  readonly event: ServiceStep
  /** What happens, in words: `polled too early`. */
  readonly description: string
  /** What must be true afterwards. */
  readonly expected: ServiceExpectation
}
