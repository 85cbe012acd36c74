/**
 * One step of a service path, for you to make happen. Durations are milliseconds.
 *
 * - `codes`: a device requests codes.
 * - `poll`: the device polls.
 * - `wait`: time passes until one interval after the last poll that was not early (`due`), or until the codes have
 *   expired (`over`).
 * - `approve`, `deny`: the user decides.
 *
 * @group Testing
 */
export type ServiceStep =
  | { readonly type: 'codes' }
  | { readonly type: 'poll' }
  | { readonly type: 'wait'; readonly until: 'due' | 'over'; readonly milliseconds: number }
  | { readonly type: 'approve' }
  | { readonly type: 'deny' }

/**
 * How the service must respond to a poll. `unknownCode` is `incorrect_device_code`, or `invalid_grant` in RFC 6749.
 *
 * @group Testing
 */
export type PollResult = 'pending' | 'slowDown' | 'token' | 'denied' | 'expired' | 'unknownCode'
