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
