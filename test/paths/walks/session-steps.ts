import type { WireResponse } from '../../../src/testing/paths/wire-response.ts'
import type { RefreshResponseName } from './refresh-responses.ts'
import type { Meanwhile } from './stored-login.ts'

/**
 * One step of a session path.
 *
 * - `open`: the session is opened. The store holds nothing, a login, or one whose token neither expires nor can be
 *   refreshed.
 * - `need`: a token is needed, and the one at hand is due.
 * - `rejected`: an API responds with 401 to the token in use, or to another one.
 * - `login`, `logout`, `cancel`: what the user asks for.
 * - `keep`: the session is given a token that was received elsewhere.
 * - `authorize`: the device authorization ends.
 * - `store`: the running update of the store goes through or fails; `meanwhile` says what another process did before it.
 * - `refresh`: the refresh request gets `response`; without one, the connection breaks (`unreachable`), also while the
 *   process is stopped (`stopped`), or nothing comes until the client gives up (`silence`).
 * - `revoke`: the same for the revocation.
 * - `wait`: time passes.
 */
export type SessionStep =
  | { readonly type: 'open'; readonly stored: 'nothing' | 'login' | 'lastingLogin' }
  | { readonly type: 'need' | 'login' | 'logout' | 'cancel' | 'keep' }
  | { readonly type: 'rejected'; readonly token: 'inUse' | 'another' }
  | { readonly type: 'authorize'; readonly result: 'authorized' | 'denied' | 'unreachable' }
  | { readonly type: 'store'; readonly meanwhile?: Meanwhile; readonly fails?: true }
  | { readonly type: 'refresh'; readonly result: RefreshResponseName; readonly response?: WireResponse }
  | { readonly type: 'revoke'; readonly result: 'revoked' | 'refused' | 'unreachable' | 'silence' }
  | { readonly type: 'wait'; readonly until: SessionMoment; readonly milliseconds: number }

/**
 * What a wait of a session path waits for.
 *
 * - `due`: the token is due.
 * - `rested`: a refresh may be tried again after a fault.
 * - `aged`: the token was refreshed a minute ago.
 * - `pause`: the next try to claim the login, which another process is refreshing.
 * - `impatient`: that process has not finished after all tries.
 * - `retry`: the next try to write a token.
 * - `outage`: the store fails until the token in memory is due.
 */
export type SessionMoment = 'due' | 'rested' | 'aged' | 'pause' | 'impatient' | 'retry' | 'outage'
