import { assign, type DoneActorEvent, type ErrorActorEvent, fromPromise, type SnapshotFrom, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { OAuthToken } from '../src/protocol/oauth-record.ts'
import type { Secret } from '../src/secret.ts'
import { deviceAuthorization } from './device-authorization.ts'
import type { DeviceAuthorizationInput, DeviceResult } from './device-context.ts'

/**
 * Milliseconds between two attempts to claim a login that another process is renewing, and for how long a session makes
 * them for a process that is alive.
 */
const CLAIM_PAUSE = 500
const PATIENCE = 10_000

/** For how many milliseconds a session tries to claim a login whose claim lapses if it does not change. */
export const LAPSE_PATIENCE = 30_000

/** Milliseconds after a renewal in which a refusal by an API does not start another one. */
const RENEWAL_PAUSE = 60_000

/** Milliseconds of the first pause after a fault, and of the longest. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000

/** The transitions of states without a login. They read the store again first: another process may have logged in. */
const withoutLogin = {
  need: 'restoring',
  login: 'authorizing',
  keep: { target: 'settling', actions: { type: 'keepGivenToken', params: givenToken } },
  logout: 'erasing',
} as const

/** The share of its lifetime by which a token is renewed early, at most. */
const EARLY_SHARE = 1 / 2

/** A token as a session keeps it. */
export interface KeptToken {
  /** A random id, created at each login. */
  readonly login: string
  /** How many renewals have been stored since the login. */
  readonly generation: number
  readonly token: OAuthToken
  /** When the token was requested, in epoch milliseconds, by the clock of the process that requested it. */
  readonly sentAt: number
}

/**
 * The result of a refresh request. `ended`: the provider says that the refresh token is used, expired or revoked.
 * `unclear`: no usable response, so the refresh token may have been used. `fault`: any other failure; the refresh token
 * is still valid. `late`: nothing was sent, since too much time has passed since the claim.
 */
export type RefreshResult = SentResult | { readonly type: 'late'; readonly error: AnyAuthgraphError }

/**
 * The result of a refresh request that was sent.
 *
 * @inline
 */
type SentResult =
  | { readonly type: 'token'; readonly token: OAuthToken; readonly sentAt: number }
  | { readonly type: 'ended'; readonly error: AnyAuthgraphError }
  | { readonly type: 'unclear'; readonly error: AnyAuthgraphError; readonly retryAfter?: number | undefined }
  | { readonly type: 'fault'; readonly error: AnyAuthgraphError; readonly retryAfter?: number | undefined }

/** What a session writes to its store: the token of a login, or the result of a renewal. */
export type SessionResult = SentResult | { readonly type: 'login'; readonly token: OAuthToken; readonly sentAt: number }

/** What the store contains. */
export type ReadResult = { readonly type: 'found'; readonly kept: KeptToken } | { readonly type: 'ended' | 'nothing' }

/** What is claimed. If an API refused the token (`distrusted`), and it cannot be renewed, the login ends. */
export type ClaimInput = Pick<SessionContext, 'flow' | 'distrusted'> & { readonly kept: KeptToken }

/** The token whose refresh token is used. */
export type RefreshInput = Pick<SessionContext, 'flow' | 'logins'> & { readonly kept: KeptToken }

/** Whether this process may use the refresh token. */
export type ClaimResult =
  | { readonly type: 'mine' | 'nothingToSpend' | 'gone' }
  | { readonly type: 'newer'; readonly kept: KeptToken }
  | ({ readonly type: 'busy' } & Holder)

/**
 * Who holds a claim.
 *
 * @inline
 */
interface Holder {
  readonly pid?: number | undefined
  /** Whether the claim lapses if it does not change, since nobody can tell whether its owner is alive. */
  readonly lapses: boolean
}

/** Whether a result was written. `gone`: the login was ended, or replaced by another one, in the meantime. */
export type SettleResult =
  | { readonly type: 'written'; readonly kept?: KeptToken | undefined }
  | { readonly type: 'newer'; readonly kept: KeptToken }
  | { readonly type: 'gone' }

/** What was erased from the store. */
export interface EraseResult {
  readonly removed: OAuthToken | undefined
}

/** Whether the tokens were revoked. */
export interface Revocation {
  readonly revoked: boolean
  /** Why they were not. */
  readonly why?: string | undefined
}

/** The input of the machine: what does not change while a session runs. */
export interface SessionInput {
  /** The input of the device authorization of each login. */
  readonly device: DeviceAuthorizationInput
  /** Milliseconds for which a returned token must remain valid. */
  readonly minValidity: number
  /** A number from 0 up to 1, which spreads the retries of many processes. */
  readonly jitter: number
}

/** The context of the machine. */
export interface SessionContext {
  readonly flow: SessionInput
  /** The stored token. */
  readonly kept: KeptToken | undefined
  /** What is not written yet. */
  readonly result: SessionResult | undefined
  /** Counts the logins of this session, to tell them apart. */
  readonly logins: number
  /** Whether the user logged out while a renewal was in flight. */
  readonly leaving: boolean
  /** Whether an API refused the token. */
  readonly distrusted: boolean
  /** Attempts to claim, or to write, so far. */
  readonly tries: number
  /** Whether an unclear request was sent again. */
  readonly repeated: boolean
  /** Faults since the last renewal. */
  readonly faults: number
  /** Between these times, in epoch milliseconds, no renewal starts. */
  readonly restsSince: number
  readonly restsUntil: number
  /** The process that is renewing the login, if it is known. */
  readonly busy: Holder | undefined
  readonly error: AnyAuthgraphError | undefined
  /**
   * The device authorization, while one is running: `viewOfSession` shows it.
   *
   * @internal
   */
  readonly authorization: SnapshotFrom<typeof deviceAuthorization> | undefined
  /** How the last login ended, if it returned no token. */
  readonly outcome: DeviceResult | undefined
  /** Tokens to revoke. */
  readonly revoking: readonly OAuthToken[]
  readonly revocation: Revocation | undefined
}

/** What is to be written, and over what. */
export type SettleInput = Pick<SessionContext, 'flow' | 'kept' | 'result' | 'logins'>

/**
 * The events that callers send. `need`: a valid token is needed. `rejected`: an API refused this token. `keep`: a token
 * that was received elsewhere becomes a new login. `login`, `logout` and `cancel`: what the user asks for.
 */
export type SessionEvent =
  | { readonly type: 'need' | 'login' | 'logout' | 'cancel' }
  | { readonly type: 'rejected'; readonly token: Secret }
  | { readonly type: 'keep'; readonly token: OAuthToken }

/**
 * The life of a login, from the device authorization to the logout. Any number of processes can run this machine over
 * the same store.
 *
 * It performs nothing: all actors must be provided. A refresh token is used only under a claim; new tokens stay in
 * memory, usable, until they are stored; only the provider can end a login.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749, section 6}
 */
export const session = setup({
  types: {} as {
    context: SessionContext
    events: SessionEvent
    input: SessionInput
    tags: 'settled' | 'busy'
    meta: { text: string }
  },
  actors: {
    authorize: deviceAuthorization,
    read: fromPromise<ReadResult, { readonly flow: SessionInput }>(() => notProvided('read')),
    claim: fromPromise<ClaimResult, ClaimInput>(() => notProvided('claim')),
    refresh: fromPromise<RefreshResult, RefreshInput>(() => notProvided('refresh')),
    settle: fromPromise<SettleResult, SettleInput>(() => notProvided('settle')),
    erase: fromPromise<EraseResult, { readonly flow: SessionInput }>(() => notProvided('erase')),
    revoke: fromPromise<Revocation, Pick<SessionContext, 'flow' | 'revoking'>>(() => notProvided('revoke')),
  },
  delays: {
    claimPause: ({ context }) => CLAIM_PAUSE * (1 + context.flow.jitter),
    untilRetry: ({ context }) => pauseAfter(context.tries),
  },
  guards: {
    found: (_, result: ReadResult) => result.type === 'found',
    endedBefore: (_, result: ReadResult) => result.type === 'ended',
    authorized: (_, result: DeviceResult) => result.status === 'authorized',
    resting: ({ context }) => {
      const now = nowOf(context)
      // Earlier than the beginning: the clock was set back.
      return now >= context.restsSince && now < context.restsUntil
    },
    notRejected: ({ context }, token: Secret) => !isRejected(context, token),
    mine: (_, result: ClaimResult) => result.type === 'mine',
    newer: (_, result: ClaimResult | SettleResult) => result.type === 'newer',
    taken: (_, result: ClaimResult) => result.type === 'busy',
    nothingToSpend: (_, result: ClaimResult) => result.type === 'nothingToSpend',
    patient: ({ context }) => isPatient(context, context.busy?.lapses ? LAPSE_PATIENCE : PATIENCE),
    late: ({ context }, result: RefreshResult) =>
      result.type === 'late' && !context.leaving && isPatient(context, LAPSE_PATIENCE),
    unclearOnce: ({ context }, result: RefreshResult) => result.type === 'unclear' && !context.repeated,
    leaving: ({ context }) => context.leaving,
    writtenEnd: ({ context }, result: SettleResult) => result.type === 'written' && context.result?.type === 'ended',
    written: (_, result: SettleResult) => result.type === 'written',
    pairInHand: ({ context }) => pairInHand(context) !== undefined,
    unfinished: ({ context }) => context.result !== undefined || context.leaving,
    toRevoke: ({ context }, { removed }: EraseResult) => removed !== undefined || pairInHand(context) !== undefined,
  },
  actions: {
    keepFound: assign((_, result: ReadResult) => (result.type === 'found' ? trusted(result.kept) : {})),
    adopt: assign((_, result: ClaimResult | SettleResult) => (result.type === 'newer' ? trusted(result.kept) : {})),
    keepDeviceToken: assign(({ context }, result: DeviceResult) => loggedIn(context, result)),
    keepGivenToken: assign(({ context }, token: OAuthToken) => newLogin(context, received(token, nowOf(context)))),
    keepAuthorization: assign((_, authorization: SnapshotFrom<typeof deviceAuthorization>) => ({
      authorization,
    })),
    forgetAuthorization: assign({ authorization: undefined }),
    keepOutcome: assign((_, outcome: DeviceResult) => ({ outcome })),
    cancelOutcome: assign({ outcome: { status: 'cancelled' } }),
    forgetOutcome: assign({ outcome: undefined, revocation: undefined, error: undefined }),
    keepError: assign((_, error: unknown) => ({ error: error as AnyAuthgraphError })),
    beginRenewal: assign({ tries: 0, repeated: false, busy: undefined, error: undefined }),
    keepBusy: assign((_, result: ClaimResult) => ({
      busy: result.type === 'busy' ? { pid: result.pid, lapses: result.lapses } : undefined,
    })),
    forgetBusy: assign({ busy: undefined }),
    keepResult: assign(({ context }, result: RefreshResult) => renewed(context, result)),
    keepDefect: assign(({ context }, error: unknown) => renewed(context, { type: 'fault', error: error as AnyAuthgraphError })),
    keepSettled: assign((_, result: SettleResult) => settled(result)),
    restAfterStoreFault: assign(({ context }, error: unknown) => rested(context, error as AnyAuthgraphError)),
    distrust: assign({ distrusted: true }),
    leave: assign({ leaving: true }),
    stay: assign({ leaving: false }),
    countTry: assign({ tries: ({ context }) => context.tries + 1 }),
    repeat: assign({ repeated: true }),
    revokePairInHand: assign(({ context }) => ({ revoking: tokensOf(pairInHand(context)?.token) })),
    revokeRemoved: assign(({ context }, { removed }: EraseResult) => ({
      // The newest first: it matters most if the provider fails.
      revoking: tokensOf(pairInHand(context)?.token, removed),
    })),
    keepRevocation: assign((_, revocation: Revocation) => ({ revocation })),
    keepNoRevocation: assign((_, error: unknown) => ({ revocation: { revoked: false, why: String(error) } })),
    forget: assign({ kept: undefined, result: undefined, revoking: [], distrusted: false, leaving: false }),
  },
}).createMachine({
  id: 'session',
  description: 'The life of a login, from the device authorization to the logout.',
  context: ({ input }) => ({
    flow: input,
    kept: undefined,
    result: undefined,
    logins: 0,
    leaving: false,
    distrusted: false,
    tries: 0,
    repeated: false,
    faults: 0,
    restsSince: 0,
    restsUntil: 0,
    busy: undefined,
    error: undefined,
    authorization: undefined,
    outcome: undefined,
    revoking: [],
    revocation: undefined,
  }),
  initial: 'restoring',
  states: {
    restoring: {
      description: 'The stored login is being read.',
      tags: 'busy',
      meta: { text: 'Looking for a stored login.' },
      invoke: {
        id: 'read',
        src: 'read',
        input: ({ context: { flow } }) => ({ flow }),
        onDone: [
          {
            guard: { type: 'found', params: output },
            target: 'signedIn',
            actions: { type: 'keepFound', params: output },
            description: 'a login',
          },
          {
            guard: { type: 'endedBefore', params: output },
            target: 'ended',
            description: 'a login that has ended',
          },
          { target: 'signedOut', description: 'no login' },
        ],
        onError: {
          target: 'unavailable',
          actions: { type: 'keepError', params: reason },
          description: 'store fails',
        },
      },
      on: { logout: 'erasing' },
    },
    unavailable: {
      description: 'The store cannot be read or written. Whether there is a login is unknown.',
      tags: 'settled',
      meta: { text: 'The stored login cannot be read.' },
      on: withoutLogin,
    },
    signedOut: {
      description: 'There is no login.',
      tags: 'settled',
      meta: { text: 'Not logged in.' },
      entry: 'forget',
      on: withoutLogin,
    },
    ended: {
      description: 'The provider has ended the login, or its token has expired and cannot be renewed.',
      tags: 'settled',
      meta: { text: 'The login has ended. Log in again.' },
      entry: 'forget',
      on: withoutLogin,
    },
    authorizing: {
      description: 'A device authorization is running.',
      tags: 'busy',
      meta: { text: 'Logging in.' },
      entry: 'forgetOutcome',
      exit: 'forgetAuthorization',
      invoke: {
        id: 'authorize',
        src: 'authorize',
        input: ({ context }) => context.flow.device,
        onSnapshot: { actions: { type: 'keepAuthorization', params: progress }, description: 'its progress' },
        onDone: [
          {
            guard: { type: 'authorized', params: output },
            target: 'settling',
            actions: { type: 'keepDeviceToken', params: output },
            description: 'authorized',
          },
          {
            target: 'restoring',
            actions: { type: 'keepOutcome', params: output },
            description: 'any other end',
          },
        ],
        onError: {
          target: 'restoring',
          actions: { type: 'keepError', params: reason },
          description: 'login throws',
        },
      },
      on: {
        cancel: { target: 'restoring', actions: 'cancelOutcome' },
        logout: { target: 'erasing', actions: 'cancelOutcome' },
      },
    },
    signedIn: {
      description: 'There is a token. Its expiry is checked when it is needed: no timer runs.',
      tags: 'settled',
      meta: { text: 'Logged in.' },
      on: {
        need: [
          { guard: 'resting', description: 'soon after a fault' },
          { target: 'claiming', actions: 'beginRenewal', description: 'token is due' },
        ],
        rejected: [
          {
            guard: { type: 'notRejected', params: rejectedToken },
            description: 'another token, or just renewed',
          },
          { target: 'claiming', actions: ['beginRenewal', 'distrust'], description: 'this token' },
        ],
        login: 'authorizing',
        keep: withoutLogin.keep,
        logout: 'erasing',
      },
    },
    claiming: {
      description: 'This process asks the store for the right to use the refresh token.',
      tags: 'busy',
      meta: { text: 'Renewing the login.' },
      entry: 'countTry',
      invoke: {
        id: 'claim',
        src: 'claim',
        input: ({ context }) => ({
          flow: context.flow,
          kept: held(context),
          distrusted: context.distrusted,
        }),
        onDone: [
          {
            guard: { type: 'mine', params: output },
            target: 'refreshing',
            actions: 'forgetBusy',
            description: 'claim is ours',
          },
          {
            guard: { type: 'newer', params: output },
            target: 'signedIn',
            actions: { type: 'adopt', params: output },
            description: 'already renewed',
          },
          {
            guard: { type: 'taken', params: output },
            target: 'waiting',
            actions: { type: 'keepBusy', params: output },
            description: 'claim is taken',
          },
          {
            guard: { type: 'nothingToSpend', params: output },
            target: 'ended',
            description: 'no refresh token',
          },
          // Another process logged out, or started a new login.
          { target: 'signedOut', description: 'login is gone' },
        ],
        onError: {
          // The claim may have been written.
          target: 'settling',
          actions: { type: 'restAfterStoreFault', params: reason },
          description: 'store fails',
        },
      },
      on: { logout: 'erasing' },
    },
    waiting: {
      description: 'Another process holds the claim.',
      tags: 'busy',
      meta: { text: 'Another process is renewing the login.' },
      after: {
        claimPause: [
          { guard: 'patient', target: 'claiming', description: 'after 0.5 s' },
          // The error names the process that takes too long.
          { target: 'signedIn', description: 'waited too long' },
        ],
      },
      on: { logout: 'erasing' },
    },
    refreshing: {
      description: 'The refresh token is being used, under the claim.',
      tags: 'busy',
      meta: { text: 'Renewing the login.' },
      invoke: {
        id: 'refresh',
        src: 'refresh',
        input: ({ context }) => ({
          flow: context.flow,
          kept: held(context),
          logins: context.logins,
        }),
        onDone: [
          {
            guard: { type: 'late', params: output },
            target: 'claiming',
            // Another process may have taken over the claim.
            description: 'too late to send',
          },
          {
            guard: { type: 'unclearOnce', params: output },
            target: 'refreshing',
            reenter: true,
            // Under the same claim: a later request could miss the reuse window.
            actions: 'repeat',
            description: 'unclear: repeated at once',
          },
          {
            target: 'settling',
            actions: { type: 'keepResult', params: output },
            description: 'token, end or fault',
          },
        ],
        onError: {
          target: 'settling',
          actions: { type: 'keepDefect', params: reason },
          description: 'refresh throws',
        },
      },
      on: { logout: { actions: 'leave', description: 'noted for later' } },
    },
    settling: {
      description: 'The result is being written, and the claim released.',
      tags: 'busy',
      meta: { text: 'Storing the login.' },
      invoke: {
        id: 'settle',
        src: 'settle',
        input: ({ context: { flow, kept, result, logins } }) => ({ flow, kept, result, logins }),
        onDone: [
          {
            guard: 'leaving',
            target: 'erasing',
            actions: { type: 'keepSettled', params: output },
            description: 'logout was noted',
          },
          {
            guard: { type: 'newer', params: output },
            target: 'signedIn',
            actions: { type: 'adopt', params: output },
            // The late pair is dropped, not revoked: that would also revoke the newer pair.
            description: 'already renewed',
          },
          { guard: { type: 'writtenEnd', params: output }, target: 'ended', description: 'end is stored' },
          {
            guard: { type: 'written', params: output },
            target: 'signedIn',
            actions: { type: 'keepSettled', params: output },
            description: 'token is stored',
          },
          {
            guard: 'pairInHand',
            target: 'revoking',
            actions: 'revokePairInHand',
            description: 'login is gone, with a new token',
          },
          { target: 'signedOut', description: 'login is gone' },
        ],
        onError: [
          {
            guard: 'unfinished',
            target: 'unsettled',
            actions: { type: 'keepError', params: reason },
            description: 'store fails',
          },
          { target: 'signedIn', description: 'store fails, no result' },
        ],
      },
      on: { logout: { actions: 'leave', description: 'noted for later' } },
    },
    unsettled: {
      description: 'The result could not be written. A new pair stays in memory, usable, and the claim is kept.',
      tags: 'settled',
      meta: { text: 'Logged in, but the login is not stored yet.' },
      always: { guard: 'leaving', target: 'erasing', description: 'logout was noted' },
      entry: 'countTry',
      after: { untilRetry: { target: 'settling', description: 'after a pause' } },
      on: {
        need: { target: 'settling', description: 'at once' },
        keep: withoutLogin.keep,
        logout: 'erasing',
      },
    },
    erasing: {
      description: 'The stored login is being removed.',
      tags: 'busy',
      meta: { text: 'Logging out.' },
      entry: 'stay',
      invoke: {
        id: 'erase',
        src: 'erase',
        input: ({ context: { flow } }) => ({ flow }),
        onDone: [
          {
            guard: { type: 'toRevoke', params: output },
            target: 'revoking',
            actions: { type: 'revokeRemoved', params: output },
            description: 'a token to revoke',
          },
          { target: 'signedOut', description: 'nothing to revoke' },
        ],
        onError: [
          {
            guard: 'pairInHand',
            target: 'unsettled',
            actions: { type: 'keepError', params: reason },
            description: 'store fails, with a new token',
          },
          {
            target: 'unavailable',
            actions: { type: 'keepError', params: reason },
            description: 'store fails',
          },
        ],
      },
    },
    revoking: {
      description: 'The tokens are being revoked at the provider.',
      tags: 'busy',
      meta: { text: 'Revoking the tokens.' },
      invoke: {
        id: 'revoke',
        src: 'revoke',
        input: ({ context: { flow, revoking } }) => ({ flow, revoking }),
        onDone: {
          target: 'signedOut',
          actions: { type: 'keepRevocation', params: output },
          description: 'revoked or not',
        },
        onError: {
          target: 'signedOut',
          actions: { type: 'keepNoRevocation', params: reason },
          description: 'revocation throws',
        },
      },
    },
  },
})

/** What an actor resolved with. */
function output<Output>({ event }: { readonly event: DoneActorEvent<Output> }): Output {
  return event.output
}

/** The snapshot of a child machine. */
function progress<Snapshot>({ event }: { readonly event: { readonly snapshot: Snapshot } }): Snapshot {
  return event.snapshot
}

/** Why an actor rejected. */
function reason({ event }: { readonly event: ErrorActorEvent }): unknown {
  return event.error
}

function rejectedToken({ event }: { readonly event: { readonly token: Secret } }): Secret {
  return event.token
}

function givenToken({ event }: { readonly event: { readonly token: OAuthToken } }): OAuthToken {
  return event.token
}

function nowOf({ flow }: SessionContext): number {
  return flow.device.clock.now()
}

/** The token that was issued, but is not written yet. */
function pairInHand({ result }: SessionContext) {
  return result?.type === 'token' || result?.type === 'login' ? result : undefined
}

/** The token to use, and when it was requested. */
export function tokenInUse(context: SessionContext): { readonly token: OAuthToken; readonly sentAt: number } | undefined {
  return pairInHand(context) ?? context.kept
}

/** Whether the token should be renewed: an API refused it, it expires soon, or its age is unknown. */
export function isDue(context: SessionContext, now: number): boolean {
  const { token, sentAt = 0 } = tokenInUse(context) ?? {}
  if (context.distrusted || token === undefined) return true
  if (token.expiresIn === undefined) return false
  const early = Math.min(context.flow.minValidity, token.expiresIn * 1000 * EARLY_SHARE)
  // Requested in the future: the clock was ahead then, by more than the token is renewed early.
  return now < sentAt - early || now >= endOf(context) - early
}

/** Whether the token can still be used, though it may be due. */
export function isUsable(context: SessionContext, now: number): boolean {
  return tokenInUse(context) !== undefined && !context.distrusted && now < endOf(context)
}

/** When the token in use expires, in epoch milliseconds by the local clock. */
function endOf(context: SessionContext): number {
  const { token, sentAt } = tokenInUse(context) ?? {}
  return token?.expiresIn === undefined ? Number.POSITIVE_INFINITY : (sentAt ?? 0) + token.expiresIn * 1000
}

/** Whether the refused token is the one in use, and was not renewed a moment ago. */
function isRejected(context: SessionContext, token: Secret): boolean {
  const { token: inUse, sentAt = 0 } = tokenInUse(context) ?? {}
  const isInUse = inUse?.accessToken.reveal() === token.reveal()
  // The clock may have been set back since: then the age is negative.
  const age = Math.abs(nowOf(context) - sentAt)
  return isInUse && (context.kept?.generation === 0 || age >= RENEWAL_PAUSE)
}

function trusted(kept: KeptToken | undefined) {
  return {
    kept,
    result: undefined,
    distrusted: false,
    busy: undefined,
    error: undefined,
    faults: 0,
    restsUntil: 0,
  }
}

function loggedIn(context: SessionContext, result: DeviceResult) {
  return result.status === 'authorized' ? newLogin(context, { token: result.token, sentAt: nowOf(context) }) : {}
}

function newLogin({ logins }: SessionContext, token: { readonly token: OAuthToken; readonly sentAt: number }) {
  return {
    logins: logins + 1,
    result: { type: 'login' as const, ...token },
    kept: undefined,
    distrusted: false,
    tries: 0,
    error: undefined,
    outcome: undefined,
  }
}

/** The lifetime of a token that was received earlier began then. */
function received(token: OAuthToken, now: number) {
  const { expiresAt } = token
  if (expiresAt === undefined) return { token, sentAt: now }
  const { expiresIn = Math.max(0, (expiresAt - now) / 1000) } = token
  return { token: { ...token, expiresIn }, sentAt: expiresAt - expiresIn * 1000 }
}

function renewed(context: SessionContext, refreshed: RefreshResult) {
  const result = refreshed.type === 'late' ? { ...refreshed, type: 'fault' as const } : refreshed
  const isFault = result.type === 'fault' || result.type === 'unclear'
  return {
    result,
    repeated: false,
    tries: 0,
    ...(result.type === 'token' && { distrusted: false }),
    ...(isFault && rested(context, result.error, 'retryAfter' in result ? result.retryAfter : 0)),
    ...(result.type === 'ended' && { error: result.error }),
  }
}

function rested(context: SessionContext, error: AnyAuthgraphError, retryAfter = 0) {
  const now = nowOf(context)
  const faults = context.faults + 1
  const pause = Math.max(pauseAfter(faults) * (1 + context.flow.jitter), retryAfter * 1000)
  return { error, faults, restsSince: now, restsUntil: now + pause }
}

function settled(result: SettleResult) {
  return result.type !== 'gone' && result.kept ? trusted(result.kept) : { result: undefined }
}

/** Whether the renewal may take longer. Milliseconds; pauses are counted, since time also passes while a process is stopped. */
function isPatient({ tries, flow }: SessionContext, patience: number): boolean {
  return tries * CLAIM_PAUSE * (1 + flow.jitter) < patience
}

/** Milliseconds of the pause after so many faults. */
function pauseAfter(faults: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, faults - 1))
}

function tokensOf(...tokens: readonly (OAuthToken | undefined)[]): OAuthToken[] {
  return tokens.filter((token) => token !== undefined)
}

/** Reads the token that the states with a login have. */
function held({ kept }: SessionContext): KeptToken {
  if (kept === undefined) throw new TypeError('the context has no token')
  return kept
}

function notProvided(name: string): never {
  throw new TypeError(`the machine needs "${name}": provide() it, or use createSession()`)
}
