import type { ResumeRecord } from '../../client/options.ts'
import type { CodesResponseName } from './codes-responses.ts'
import type { PollResponseName } from './poll-responses.ts'
import type { WireResponse } from './wire-response.ts'

/**
 * One step of a device path, for you to make happen. Durations are milliseconds.
 *
 * - `start`: the login starts, or resumes from `resume`.
 * - `codes`: the request for codes gets `response`; without one, the connection breaks.
 * - `response`: the running poll gets `response`; without one, the connection breaks.
 * - `silence`: the running request gets no response until the client gives up.
 * - `wait`: time passes until 1 ms before the next poll (`early`: nothing may be sent), until it would be due without
 *   faults (`usual`: nothing may be sent), or until it is due.
 * - `sleep`: the device sleeps. Its clock jumps past the expiry of the codes while no timer runs; then the client's
 *   timer fires.
 * - `wake`: the device sleeps for `milliseconds`, and the client is sent `wake` before any timer fires. It did not
 *   sleep at all (`not`), slept until the next poll was due (`due`), or past the expiry of the codes (`over`).
 * - `cancel`: the user cancels.
 */
export type DeviceStep =
  | { readonly type: 'start'; readonly resume?: ResumeRecord }
  | { readonly type: 'codes'; readonly result: CodesResponseName; readonly response?: WireResponse }
  | { readonly type: 'response'; readonly result: PollResponseName; readonly response?: WireResponse }
  | { readonly type: 'silence'; readonly milliseconds: number }
  | { readonly type: 'wait'; readonly until: 'early' | 'usual' | 'due'; readonly milliseconds: number }
  | { readonly type: 'sleep'; readonly milliseconds: number }
  | { readonly type: 'wake'; readonly slept: 'not' | 'due' | 'over'; readonly milliseconds: number }
  | { readonly type: 'cancel' }
