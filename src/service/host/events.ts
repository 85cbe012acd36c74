import type { Origin, User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Limits } from '../limits/limits.ts'

/**
 * What happened in the service, for an audit log and for metrics. It contains no secrets: `client.clientId` is a `Secret`,
 * and `grant` and `family` open nothing.
 *
 * - `client.registered`: somebody registered a client, which nobody has checked.
 * - `codes.issued`: a device got its codes.
 * - `code.viewed`: a signed-in user opened the code and may decide. Emitted again if the same user opens it again.
 * - `code.refused`: a signed-in user could not decide, by `reason`: another user or browser `opened` the code first; it came
 *   with a link and must be typed (`linked`); or the policy requires a step-up (`stepUp`).
 * - `decision`: the grant was approved or denied: on the page (`user`), by `service.approve` or `service.deny` (`host`), or
 *   by the policy, which refused an approval (`policy`).
 * - `token.issued`: the token was sent to the device or, if `replayed`, sent again. A grant has at most one that is not
 *   `replayed`, and none if the instance ended before it could emit it.
 * - `token.refreshed`: a client spent a refresh token for a new pair or, if `replayed`, got the same pair again.
 * - `token.revoked`: a login or all logins of a user ended: a client or the host revoked them, or the user had more logins
 *   than `limits.loginsOfUser` (`by: 'limit'`).
 * - `reuse.detected`: a spent refresh token was used again after the reuse window, or after the token that replaced it:
 *   possible theft. The login has ended.
 * - `limited`: a request exceeded a limit. Emitted once in each time window for each user, network, login or whatever the
 *   limit counts, however many requests are refused. The limit `interval` means a poll that had to slow down, once in the
 *   window of `earlyPolls`; `retryAfter` is then the new interval.
 */
export type ServiceEvent = {
  /** When it happened, by the clock of the service. Epoch milliseconds. */
  readonly at: number
  /** The client, unless it is unknown or no longer registered. */
  readonly client?: { readonly clientId: Secret; readonly name: string }
  /** Where the request that caused it came from. Absent if it happened `by` the `host` or the `limit` of logins. */
  readonly origin?: Origin
} & (
  | { readonly type: 'client.registered' }
  | {
      readonly type: 'codes.issued'
      /** Identifies the grant in all its events. */
      readonly grant: string
      readonly scopes: readonly string[]
      /** The URI of the API that the token is for, if the device named one. */
      readonly resource?: string
      /** When the codes expire. Epoch milliseconds. */
      readonly expiresAt: number
    }
  | {
      readonly type: 'code.viewed'
      readonly grant: string
      readonly user: User
      /** Where the codes were requested. */
      readonly device: Origin
    }
  | {
      readonly type: 'code.refused'
      readonly reason: 'opened' | 'linked' | 'stepUp'
      readonly grant: string
      readonly user: User
      /** Where the codes were requested. */
      readonly device: Origin
    }
  | {
      readonly type: 'decision'
      readonly decision: 'approved' | 'denied'
      readonly by: 'user' | 'host' | 'policy'
      readonly grant: string
      readonly user?: User
      readonly scopes: readonly string[]
      readonly resource?: string
      /** Where the codes were requested. */
      readonly device: Origin
    }
  | {
      readonly type: 'token.issued'
      readonly grant: string
      readonly user: User
      readonly scopes: readonly string[]
      readonly resource?: string
      /** Identifies the login in all its events, if there are refresh tokens. */
      readonly family?: string
      readonly replayed: boolean
    }
  | {
      readonly type: 'token.refreshed'
      readonly family: string
      readonly user: User
      readonly scopes: readonly string[]
      readonly resource?: string
      readonly replayed: boolean
    }
  | {
      readonly type: 'token.revoked'
      readonly by: 'client' | 'host' | 'limit'
      readonly user: User
      /** The login; absent for a token without a refresh token, and for all logins of a user. */
      readonly family?: string
      /** The grant of a token without a refresh token. */
      readonly grant?: string
    }
  | { readonly type: 'reuse.detected'; readonly family: string; readonly user: User }
  | {
      readonly type: 'limited'
      readonly limit: keyof Limits | 'interval'
      /** In seconds. */
      readonly retryAfter: number
      readonly user?: User
      readonly grant?: string
      readonly family?: string
    }
)
