import type { Session, SessionOptions } from '../../session/create-session.ts'
import { type SessionView, viewOfSession } from '../../session/view-of-session.ts'
import { REFRESH_RESPONSES } from './refresh-responses.ts'
import { runPath } from './run-path.ts'
import { SessionEnvironment } from './session-environment.ts'
import type { SessionMoment, SessionStep } from './session-steps.ts'
import { type SessionSituation, type SessionWalkStep, sessionWalk } from './session-walk.ts'
import type { Meanwhile } from './stored-login.ts'
import { narrowed, type PathKind, pathsOf, type WalkedStep } from './walk.ts'

/** What a session must show after a step: a part of what `viewOfSession` returns, without times. */
export interface SessionExpectation extends Pick<SessionView, 'status' | 'text' | 'isUsable' | 'isStored'> {
  /** The code of the last fault. */
  readonly error?: NonNullable<SessionView['error']>['code']
}

/** One step of a path. */
export interface SessionPathStep {
  /** What the path makes happen. */
  readonly event: SessionStep
  /** What happens, in words: `claimed by another process`. */
  readonly description: string
  /** What the session must show afterwards. */
  readonly expected: SessionExpectation
}

/** One way that a login can go after the login. */
export interface SessionPath {
  /** A name for a test, without secrets: `opened with a login, then stored, then token due`. */
  readonly name: string
  /** The steps in order. */
  readonly steps: readonly SessionPathStep[]
  /**
   * Makes each step happen to a session, and checks the result.
   *
   * @throws {@link BadOptionError} if `open` or `state` is missing.
   * @throws `Error` that names the failed step; its cause is what was thrown.
   */
  test(executors: SessionExecutors): Promise<void>
}

/**
 * How to run a path with your user interface. The path is the store, the provider, the time and the other processes.
 */
export interface SessionExecutors {
  /** Opens the session with these options (add your own, such as `onCodes`), and returns it. */
  readonly open: (options: SessionOptions) => Session
  /** Called after each step, to check the result. */
  readonly state: (expected: SessionExpectation, step: SessionStep) => unknown
  /** Makes the user log in. Default: sends `login` to the session. */
  readonly login?: () => unknown
  /** Makes the user log out. Default: sends `logout` to the session. */
  readonly logout?: () => unknown
  /** Makes the user cancel a login. Default: sends `cancel` to the session. */
  readonly cancel?: () => unknown
}

/** Options of `sessionPaths`. */
export interface SessionPathsOptions {
  /** How paths are chosen. Default: `shortest`, where every edge of the graph is on a path. */
  readonly paths?: PathKind
  /** Return `false` to leave out a step, and everything that only it leads to. */
  readonly filter?: (step: SessionStep) => boolean
}

/** When each path starts. Epoch milliseconds. */
const START = Date.UTC(2026, 0, 1)

/**
 * Generates test paths from the graph of the session machine: everything that can happen to a login that several processes
 * share, with a store that fails and a provider that does not respond.
 *
 * Each path runs a real session over a store in memory and a scripted provider, in virtual time.
 *
 * @example
 * ```ts
 * import { createSession } from 'authgraph/session'
 * import { sessionPaths } from 'authgraph/testing'
 * import { expect, test } from 'vitest'
 *
 * for (const path of sessionPaths({
 *   filter: (step) => step.type !== 'rejected',
 * })) {
 *   test(path.name, () =>
 *     path.test({
 *       open: (options) => page.show(createSession(options)),
 *       logout: () => page.press('Log out'),
 *       state: ({ text }) => expect(page.text()).toContain(text),
 *     }),
 *   )
 * }
 * ```
 */
export function sessionPaths({
  paths = 'shortest',
  filter = () => true,
}: SessionPathsOptions = {}): SessionPath[] {
  const keeps = (step: SessionWalkStep): step is SessionStep => step.type !== 'defect' && filter(step)
  return pathsOf(narrowed(sessionWalk({ now: START }), keeps), paths).map(sessionPath)
}

function sessionPath(walked: readonly WalkedStep<SessionSituation, SessionStep>[]): SessionPath {
  const path = {
    name: nameOfSessionPath(walked.map(({ step }) => step)),
    steps: walked.map(({ step, situation }) => ({
      event: step,
      description: tell(step),
      expected: expectationOf(situation),
    })),
  }
  return { ...path, test: (executors) => runPath(path, complete(executors)) }
}

/** One executor for each type of step. */
function complete({ open, state, ...user }: SessionExecutors) {
  const environment = new SessionEnvironment(START)
  const ask = (type: 'login' | 'logout' | 'cancel') => async () => {
    const act = user[type]
    if (act === undefined) return environment.send(type)
    await act()
    await environment.time.settle()
  }
  return {
    state,
    open: open && ((step: SessionStep & { type: 'open' }) => environment.open(step, open)),
    need: () => environment.send('need'),
    login: ask('login'),
    logout: ask('logout'),
    cancel: ask('cancel'),
    keep: () => environment.keep(),
    rejected: environment.reject.bind(environment),
    authorize: environment.authorize.bind(environment),
    store: environment.update.bind(environment),
    refresh: environment.refresh.bind(environment),
    revoke: environment.revoke.bind(environment),
    wait: environment.wait.bind(environment),
  }
}

/** What the session must show. */
export function expectationOf({ session, now }: SessionSituation): SessionExpectation {
  if (session === undefined) throw new TypeError('the session was not opened')
  const { status, text, isUsable, isStored, error } = viewOfSession(session, now)
  return { status, text, isUsable, isStored, ...(error && { error: error.code }) }
}

/** Describes a path in words. */
export function nameOfSessionPath(steps: readonly SessionWalkStep[]): string {
  return steps.map(tell).join(', then ')
}

const OPENED = {
  nothing: 'opened without a login',
  login: 'opened with a login',
  lastingLogin: 'opened with a login that cannot be renewed',
}

const MEANWHILE: Readonly<Record<Meanwhile, string>> = {
  renewed: 'renewed by another process',
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
