import { REFRESH_RESPONSES } from './refresh-responses.ts'
import type { SessionMoment } from './session-steps.ts'
import type { SessionWalkStep } from './session-walk.ts'
import type { Meanwhile } from './stored-login.ts'

/** Describes a path in words. */
export function nameOfSessionPath(steps: readonly SessionWalkStep[]): string {
  return steps.map(tell).join(', then ')
}

const OPENED = {
  nothing: 'opened without a login',
  login: 'opened with a login',
  lastingLogin: 'opened with a login that cannot be refreshed',
}

const MEANWHILE: Readonly<Record<Meanwhile, string>> = {
  refreshed: 'refreshed by another process',
  claimed: 'claimed by another process',
  released: 'given back by another process',
  ended: 'ended in another process',
  signedOut: 'logged out by another process',
  loggedIn: 'logged in anew by another process',
}

const AUTHORIZED = { authorized: 'authorized', denied: 'denied', unreachable: 'cut off during the login' }

const REVOKED = {
  revoked: 'revoked',
  refused: 'revocation refused',
  unreachable: 'revocation cut off',
  silence: 'revocation left without a response',
}

const WAITED: Readonly<Record<SessionMoment, string>> = {
  due: 'waited until the token is due',
  rested: 'rested after the fault',
  aged: 'waited a minute',
  pause: 'waited for the other process',
  impatient: 'gave up waiting for the other process',
  retry: 'waited for the store',
  outage: 'waited for the store until the token is due',
}

const ASKED = {
  need: 'token needed',
  login: 'login',
  logout: 'logout',
  cancel: 'login cancelled',
  keep: 'given a token',
}

/** Describes a step for path names. */
export function tell(step: SessionWalkStep): string {
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
    case 'defect':
      return 'broken by a defect'
    default:
      return ASKED[step.type]
  }
}
