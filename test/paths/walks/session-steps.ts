import type { WireResponse } from '../../../src/testing/paths/wire-response.ts'
import { REFRESH_RESPONSES, type RefreshResponseName } from './refresh-responses.ts'
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
 * - `defect`: an error in the session's own code, which neither a store nor a provider nor a user can cause.
 */
export type SessionStep =
  | { readonly type: 'open'; readonly stored: keyof typeof OPENED }
  | { readonly type: keyof typeof ASKED }
  | { readonly type: 'rejected'; readonly token: 'inUse' | 'another' }
  | { readonly type: 'authorize'; readonly result: keyof typeof AUTHORIZED }
  | { readonly type: 'store'; readonly meanwhile?: Meanwhile; readonly fails?: true }
  | { readonly type: 'refresh'; readonly result: RefreshResponseName; readonly response?: WireResponse }
  | { readonly type: 'revoke'; readonly result: keyof typeof REVOKED }
  | { readonly type: 'wait'; readonly until: SessionMoment; readonly milliseconds: number }

export type StepOf<Type extends SessionStep['type']> = Extract<SessionStep, { type: Type }>

/** What a wait of a session path waits for. */
export type SessionMoment = keyof typeof WAITED

const OPENED = {
  nothing: 'opened without a login',
  login: 'opened with a login',
  lastingLogin: 'opened with a login that cannot be refreshed',
}

const ASKED = {
  need: 'token needed',
  login: 'login',
  logout: 'logout',
  cancel: 'login cancelled',
  keep: 'given a token',
  defect: 'broken by a defect',
}

const AUTHORIZED = {
  authorized: 'authorized',
  denied: 'denied',
  unreachable: 'connection lost during the login',
}

const MEANWHILE: Readonly<Record<Meanwhile, string>> = {
  refreshed: 'refreshed by another process',
  claimed: 'claimed by another process',
  released: 'given back by another process',
  ended: 'ended in another process',
  signedOut: 'logged out by another process',
  loggedIn: 'logged in anew by another process',
}

const REVOKED = {
  revoked: 'revoked',
  refused: 'revocation refused',
  unreachable: 'revocation: connection lost',
  silence: 'revocation: no response',
}

const WAITED = {
  due: 'waited until the token is due',
  rested: 'rested after the fault',
  aged: 'waited a minute',
  pause: 'waited for the other process',
  impatient: 'gave up waiting for the other process',
  retry: 'waited for the store',
  outage: 'waited for the store until the token is due',
}

/** Describes a step. */
export function tell(step: SessionStep): string {
  switch (step.type) {
    case 'open':
      return OPENED[step.stored]
    case 'rejected':
      return step.token === 'inUse' ? 'refused by an API' : 'another token refused by an API'
    case 'authorize':
      return AUTHORIZED[step.result]
    case 'store':
      if (step.fails) return 'store failed'
      return step.meanwhile ? MEANWHILE[step.meanwhile] : 'store updated'
    case 'refresh':
      return REFRESH_RESPONSES[step.result].told
    case 'revoke':
      return REVOKED[step.result]
    case 'wait':
      return WAITED[step.until]
    default:
      return ASKED[step.type]
  }
}
