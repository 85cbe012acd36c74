import { assign, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { OAuthToken } from '../src/protocol/oauth-token.ts'
import type { Secret } from '../src/secret.ts'
import { deviceAuthorization } from './device-authorization.ts'
import type { DeviceResult } from './device-context.ts'
import { errorOf, readActors, readEvents, toProvide } from './read-events.ts'
import type {
  ClaimInput,
  ClaimResult,
  EraseResult,
  KeptToken,
  ReadResult,
  RefreshInput,
  RefreshResult,
  Revocation,
  SessionContext,
  SessionEvent,
  SessionInput,
  SettleInput,
  SettleResult,
} from './session-context.ts'
import { pairInHand, tokenInUse } from './session-selectors.ts'

/**
 * Milliseconds between two attempts to claim a login that another process is refreshing, and for how long a session makes
 * them for a process that is alive.
 */
const CLAIM_PAUSE = 500
const PATIENCE = 10_000

/** For how many milliseconds a session tries to claim a login whose claim lapses if it does not change. */
export const LAPSE_PATIENCE = 30_000

/** Milliseconds after a refresh in which a refusal by an API does not start another one. */
const RENEWAL_PAUSE = 60_000

/** Milliseconds of the first pause after a fault, and of the longest. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000

/** What a session has to revoke at first. One for all, because ten thousand may be open at once. */
const NOTHING: readonly OAuthToken[] = []

const withoutLogin = {
  need: 'restoring',
  login: 'authorizing',
  keep: { target: 'settling', actions: 'keepGivenToken' },
  logout: 'erasing',
} as const

const actors = {
  authorize: deviceAuthorization,
  read: toProvide<ReadResult, { readonly flow: SessionInput }>('read'),
  claim: toProvide<ClaimResult, ClaimInput>('claim'),
  refresh: toProvide<RefreshResult, RefreshInput>('refresh'),
  settle: toProvide<SettleResult, SettleInput>('settle'),
  erase: toProvide<EraseResult, { readonly flow: SessionInput }>('erase'),
  revoke: toProvide<Revocation, Pick<SessionContext, 'flow' | 'revoking'>>('revoke'),
}

const { answered, outputOf, resultOf, snapshotOf } = readActors<typeof actors>()

const on = readEvents<SessionContext, SessionEvent>()

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
  actors,
  delays: {
    claimPause: ({ context }) => CLAIM_PAUSE * (1 + context.flow.jitter),
    untilRetry: ({ context }) => pauseAfter(context.tries),
  },
  guards: {
    found: answered('found', 'read'),
    endedBefore: answered('ended', 'read'),
    authorized: ({ event }) => outputOf(event, 'authorize').status === 'authorized',
    resting: ({ context }) => {
      const now = nowOf(context)
      // Earlier than the beginning: the clock was set back.
      return now >= context.restsSince && now < context.restsUntil
    },
    notRejected: on('rejected', ({ context, event }) => !isRejected(context, event.token)),
    claimed: answered('claimed', 'claim'),
    newer: answered('newer', 'claim', 'settle'),
    taken: answered('busy', 'claim'),
    nothingToSpend: answered('nothingToSpend', 'claim'),
    mayWait: ({ context }) => isPatient(context, context.busy?.lapses ? LAPSE_PATIENCE : PATIENCE),
    late: ({ context, event }) =>
      outputOf(event, 'refresh').type === 'late' && !context.leaving && isPatient(context, LAPSE_PATIENCE),
    unclearOnce: ({ context, event }) => outputOf(event, 'refresh').type === 'unclear' && !context.repeated,
    leaving: ({ context }) => context.leaving,
    writtenEnd: ({ context, event }) => outputOf(event, 'settle').type === 'written' && context.result?.type === 'ended',
    written: answered('written', 'settle'),
    pairInHand: ({ context }) => pairInHand(context) !== undefined,
    unfinished: ({ context }) => context.result !== undefined || context.leaving,
    toRevoke: ({ context, event }) => outputOf(event, 'erase').removed.length > 0 || pairInHand(context) !== undefined,
  },
  actions: {
    keepFound: assign(({ event }) => trust(resultOf(event, 'found', 'read').kept)),
    adopt: assign(({ event }) => trust(resultOf(event, 'newer', 'claim', 'settle').kept)),
    keepDeviceToken: assign(({ context, event }) => {
      const token = authorizedToken(outputOf(event, 'authorize'))
      return newLogin(context, { token, sentAt: nowOf(context) })
    }),
    keepGivenToken: assign(on('keep', ({ context, event }) => newLogin(context, withLifetime(event.token, nowOf(context))))),
    keepAuthorization: assign(({ event }) => ({ authorization: snapshotOf(event, 'authorize') })),
    forgetAuthorization: assign({ authorization: undefined }),
    keepOutcome: assign(({ event }) => ({ outcome: outputOf(event, 'authorize') })),
    cancelOutcome: assign({ outcome: { status: 'cancelled' } }),
    forgetOutcome: assign({ outcome: undefined, revocation: undefined, error: undefined }),
    keepError: assign(({ event }) => ({ error: errorOf(event) })),
    beginRefresh: assign({ tries: 0, repeated: false, busy: undefined, error: undefined }),
    keepBusy: assign(({ event }) => {
      const { pid, lapses } = resultOf(event, 'busy', 'claim')
      return { busy: { pid, lapses } }
    }),
    forgetBusy: assign({ busy: undefined }),
    keepResult: assign(({ context, event }) => afterRefresh(context, outputOf(event, 'refresh'))),
    keepDefect: assign(({ context, event }) => afterRefresh(context, { type: 'fault', error: errorOf(event) })),
    keepSettled: assign(({ event }) => afterSettling(outputOf(event, 'settle'))),
    restAfterStoreFault: assign(({ context, event }) => rest(context, errorOf(event))),
    reject: assign({ rejected: true }),
    leave: assign({ leaving: true }),
    stay: assign({ leaving: false }),
    countTry: assign({ tries: ({ context }) => context.tries + 1 }),
    repeat: assign({ repeated: true }),
    revokePairInHand: assign(({ context }) => ({ revoking: tokensOf(pairInHand(context)?.token) })),
    revokeRemoved: assign(({ context, event }) => ({
      // The newest first: it matters most if the provider fails.
      revoking: tokensOf(pairInHand(context)?.token, ...outputOf(event, 'erase').removed),
    })),
    keepRevocation: assign(({ event }) => ({ revocation: outputOf(event, 'revoke') })),
    keepNoRevocation: assign(({ event }) => ({ revocation: { revoked: false, why: errorOf(event).message } })),
    forget: assign({ kept: undefined, result: undefined, revoking: NOTHING, rejected: false, leaving: false }),
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
    rejected: false,
    tries: 0,
    repeated: false,
    faults: 0,
    restsSince: 0,
    restsUntil: 0,
    busy: undefined,
    error: undefined,
    authorization: undefined,
    outcome: undefined,
    revoking: NOTHING,
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
          { guard: 'found', target: 'signedIn', actions: 'keepFound', description: 'a login' },
          { guard: 'endedBefore', target: 'ended', description: 'a login that has ended' },
          { target: 'signedOut', description: 'no login' },
        ],
        onError: { target: 'unavailable', actions: 'keepError', description: 'store fails' },
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
      description: 'The provider has ended the login, or its token has expired and cannot be refreshed.',
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
        onSnapshot: { actions: 'keepAuthorization', description: 'its progress' },
        onDone: [
          { guard: 'authorized', target: 'settling', actions: 'keepDeviceToken', description: 'authorized' },
          { target: 'restoring', actions: 'keepOutcome', description: 'no token' },
        ],
        onError: { target: 'restoring', actions: 'keepError', description: 'login throws' },
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
          { target: 'claiming', actions: 'beginRefresh', description: 'token is due' },
        ],
        rejected: [
          { guard: 'notRejected', description: 'another token, or just refreshed' },
          { target: 'claiming', actions: ['beginRefresh', 'reject'], description: 'this token' },
        ],
        login: 'authorizing',
        keep: { target: 'settling', actions: 'keepGivenToken' },
        logout: 'erasing',
      },
    },
    claiming: {
      description: 'This process asks the store for the right to use the refresh token.',
      tags: 'busy',
      meta: { text: 'Refreshing the login.' },
      entry: 'countTry',
      invoke: {
        id: 'claim',
        src: 'claim',
        input: ({ context }) => ({ flow: context.flow, kept: keptIn(context), rejected: context.rejected }),
        onDone: [
          { guard: 'claimed', target: 'refreshing', actions: 'forgetBusy', description: 'claim is ours' },
          { guard: 'newer', target: 'signedIn', actions: 'adopt', description: 'already refreshed' },
          { guard: 'taken', target: 'waiting', actions: 'keepBusy', description: 'claim is taken' },
          { guard: 'nothingToSpend', target: 'ended', description: 'no refresh token' },
          // Another process logged out, or started a new login.
          { target: 'signedOut', description: 'login is gone' },
        ],
        // The claim may have been written.
        onError: { target: 'settling', actions: 'restAfterStoreFault', description: 'store fails' },
      },
      on: { logout: 'erasing' },
    },
    waiting: {
      description: 'Another process holds the claim.',
      tags: 'busy',
      meta: { text: 'Another process is refreshing the login.' },
      after: {
        claimPause: [
          { guard: 'mayWait', target: 'claiming', description: 'after 0.5 s' },
          // The error names the process that takes too long.
          { target: 'signedIn', description: 'waited too long' },
        ],
      },
      on: { logout: 'erasing' },
    },
    refreshing: {
      description: 'The refresh token is being used, under the claim.',
      tags: 'busy',
      meta: { text: 'Refreshing the login.' },
      invoke: {
        id: 'refresh',
        src: 'refresh',
        input: ({ context }) => ({ flow: context.flow, kept: keptIn(context), logins: context.logins }),
        onDone: [
          // Another process may have taken over the claim.
          { guard: 'late', target: 'claiming', description: 'too late to send' },
          // Under the same claim: a later request could miss the reuse window.
          {
            guard: 'unclearOnce',
            target: 'refreshing',
            reenter: true,
            actions: 'repeat',
            description: 'unclear: repeated at once',
          },
          { target: 'settling', actions: 'keepResult', description: 'token, end or fault' },
        ],
        onError: { target: 'settling', actions: 'keepDefect', description: 'refresh throws' },
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
          { guard: 'leaving', target: 'erasing', actions: 'keepSettled', description: 'logout was noted' },
          // The late pair is dropped, not revoked: that would also revoke the newer pair.
          { guard: 'newer', target: 'signedIn', actions: 'adopt', description: 'already refreshed' },
          { guard: 'writtenEnd', target: 'ended', description: 'end is stored' },
          { guard: 'written', target: 'signedIn', actions: 'keepSettled', description: 'token is stored' },
          {
            guard: 'pairInHand',
            target: 'revoking',
            actions: 'revokePairInHand',
            description: 'login is gone, with a new token',
          },
          { target: 'signedOut', description: 'login is gone' },
        ],
        onError: [
          { guard: 'unfinished', target: 'unsettled', actions: 'keepError', description: 'store fails' },
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
        keep: { target: 'settling', actions: 'keepGivenToken' },
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
          { guard: 'toRevoke', target: 'revoking', actions: 'revokeRemoved', description: 'a token to revoke' },
          { target: 'signedOut', description: 'nothing to revoke' },
        ],
        onError: [
          { guard: 'pairInHand', target: 'unsettled', actions: 'keepError', description: 'store fails, with a new token' },
          { target: 'unavailable', actions: 'keepError', description: 'store fails' },
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
        onDone: { target: 'signedOut', actions: 'keepRevocation', description: 'revoked or not' },
        onError: { target: 'signedOut', actions: 'keepNoRevocation', description: 'revocation throws' },
      },
    },
  },
})

function nowOf({ flow }: SessionContext): number {
  return flow.device.clock.now()
}

/** Whether the refused token is the one in use, and was not refreshed a moment ago. */
function isRejected(context: SessionContext, token: Secret): boolean {
  const { token: inUse, sentAt = 0 } = tokenInUse(context) ?? {}
  const isInUse = inUse?.accessToken.reveal() === token.reveal()
  // The clock may have been set back since: then the age is negative.
  const age = Math.abs(nowOf(context) - sentAt)
  return isInUse && (context.kept?.generation === 0 || age >= RENEWAL_PAUSE)
}

function trust(kept: KeptToken) {
  return { kept, result: undefined, rejected: false, busy: undefined, error: undefined, faults: 0, restsUntil: 0 }
}

function authorizedToken(result: DeviceResult): OAuthToken {
  if (result.status !== 'authorized') throw new TypeError(`the login is ${result.status} instead of authorized`)
  return result.token
}

function newLogin({ logins }: SessionContext, token: { readonly token: OAuthToken; readonly sentAt: number }) {
  return {
    logins: logins + 1,
    result: { type: 'login' as const, ...token },
    kept: undefined,
    rejected: false,
    tries: 0,
    error: undefined,
    outcome: undefined,
  }
}

/** The lifetime of a token that was received earlier began then. */
function withLifetime(token: OAuthToken, now: number) {
  const { expiresAt } = token
  if (expiresAt === undefined) return { token, sentAt: now }
  const { expiresIn = Math.max(0, (expiresAt - now) / 1000) } = token
  return { token: { ...token, expiresIn }, sentAt: expiresAt - expiresIn * 1000 }
}

function afterRefresh(context: SessionContext, refreshed: RefreshResult) {
  const result = refreshed.type === 'late' ? { ...refreshed, type: 'fault' as const } : refreshed
  const isFault = result.type === 'fault' || result.type === 'unclear'
  return {
    result,
    repeated: false,
    tries: 0,
    ...(result.type === 'token' && { rejected: false }),
    ...(isFault && rest(context, result.error, 'retryAfter' in result ? result.retryAfter : 0)),
    ...(result.type === 'ended' && { error: result.error }),
  }
}

function rest(context: SessionContext, error: AnyAuthgraphError, retryAfter = 0) {
  const now = nowOf(context)
  const faults = context.faults + 1
  const pause = Math.max(pauseAfter(faults) * (1 + context.flow.jitter), retryAfter * 1000)
  return { error, faults, restsSince: now, restsUntil: now + pause }
}

function afterSettling(result: SettleResult) {
  return result.type !== 'gone' && result.kept ? trust(result.kept) : { result: undefined }
}

/** Whether the refresh may take longer. Milliseconds; pauses are counted, since time also passes while a process is stopped. */
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

function keptIn({ kept }: SessionContext): KeptToken {
  if (kept === undefined) throw new TypeError('the context has no token')
  return kept
}
