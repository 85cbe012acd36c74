import type { ResumeRecord } from '../../client/resume.ts'
import type { CodesResponseName } from './codes-responses.ts'
import type { PollResponseName } from './poll-responses.ts'
import type { WireResponse } from './wire-response.ts'

/**
 * One thing that happens to a device, for you to make happen. Durations are milliseconds.
 *
 * - `start`: the login is started, or goes on from `resume`.
 * - `codes`: the request for codes is answered with `response`; without one, the connection breaks.
 * - `answer`: the poll that is on its way is answered with `response`; without one, the connection breaks.
 * - `silence`: the request that is on its way gets no answer, until the client gives it up.
 * - `wait`: time passes, up to 1 ms before the next poll (`early`: nothing may be sent) or until it is due.
 * - `sleep`: the device sleeps: its clock jumps beyond the end of the codes, and no timer runs meanwhile. The timer of the
 *   client fires then.
 * - `wake`: the device sleeps for `milliseconds`, and the client is sent `wake` before any timer fires: it did not sleep at
 *   all (`not`), until the next poll was due (`due`), or beyond the end of the codes (`over`).
 * - `cancel`: the user gives up.
 *
 * @group Testing
 */
export type DeviceStep =
  | { readonly type: 'start'; readonly resume?: ResumeRecord }
  | { readonly type: 'codes'; readonly result: CodesResponseName; readonly response?: WireResponse }
  | { readonly type: 'response'; readonly result: PollResponseName; readonly response?: WireResponse }
  | { readonly type: 'silence'; readonly milliseconds: number }
  | { readonly type: 'wait'; readonly until: 'early' | 'due'; readonly milliseconds: number }
  | { readonly type: 'sleep'; readonly milliseconds: number }
  | { readonly type: 'wake'; readonly slept: 'not' | 'due' | 'over'; readonly milliseconds: number }
  | { readonly type: 'cancel' }
