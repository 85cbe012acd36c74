import { assign, type DoneActorEvent, type ErrorActorEvent, fromPromise, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { DeviceCodes } from '../src/protocol/device-codes.ts'
import type { OAuthToken } from '../src/protocol/oauth-record.ts'
import type { PollResponse } from '../src/protocol/poll-response.ts'
import type { Provider } from '../src/protocol/provider.ts'
import type { Secret } from '../src/secret.ts'

/** Milliseconds a request may take. */
const REQUEST_TIMEOUT = 30_000

/** The part of the lifetime that one poll may take: a request that hangs must leave time for others. */
const POLL_SHARE = 1 / 4

/** Milliseconds of the longest timer there is: a longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Seconds that each `slow_down` adds to the interval. Spec 3, 7. */
const SLOW_DOWN_STEP = 5

/** What a wait is multiplied by, since clocks drift: a poll too early costs five seconds, a late one a fraction of one. */
const FIRST_MARGIN = 1.05

/** What the margin grows by when the service says `slow_down` although we waited, and how far. */
const MARGIN_GROWTH = 1.2
const LARGEST_MARGIN = 2

/** Milliseconds that waits after faults grow to. */
const LONGEST_BACKOFF = 60_000

/** Milliseconds before the end of the codes at which a last poll still arrives in time. */
const LAST_CHANCE = 1_000

/** How often `incorrect_device_code` is forgiven: in the field it appears for a moment after the approval. */
const FORGIVEN = 2

/**
 * The last thing that the service said of this authorization.
 *
 * @group Machines
 * @see Spec 3
 */
export type DeviceStatus = 'requested' | 'pending' | 'slowed'

/**
 * What differs from one authorization to the next, and does not change while it runs.
 *
 * @group Machines
 */
export interface DeviceAuthorizationInput {
  readonly clientId: Secret
  /** Of a confidential client alone. The device flow needs none. */
  readonly clientSecret?: Secret | undefined
  readonly scopes: readonly string[]
  readonly provider: Provider
  /** Sends the requests. */
  readonly fetch: typeof globalThis.fetch
  /** Tells the time, epoch milliseconds. */
  readonly clock: {
    /** Epoch milliseconds. */
    now(): number
  }
  /** A number from 0 up to 1, which spreads the retries of many devices. */
  readonly jitter: number
  /** Where to go on, instead of asking for codes. */
  readonly resume?: Progress | undefined
}

/**
 * How far an authorization has come once it has its codes. Points in time are epoch milliseconds.
 *
 * @group Machines
 */
export interface Progress {
  readonly codes: DeviceCodes
  readonly status: DeviceStatus
  /** Seconds that the service requires between two polls. It only grows. */
  readonly interval: number
  /** What each wait is multiplied by. It only grows. */
  readonly margin: number
  readonly nextPollAt: number
  readonly expiresAt: number
  /** What the clock showed when it was last read. A clock that shows less now was set back, and all times with it. */
  readonly lookedAt: number
}

/**
 * The context of the machine. Before the codes have come, the fields of {@link Progress} say nothing.
 *
 * @group Machines
 */
export interface DeviceAuthorizationContext extends Omit<Progress, 'codes'> {
  readonly flow: DeviceAuthorizationInput
  readonly codes: DeviceCodes | undefined
  /** Polls sent. */
  readonly polls: number
  /** Faults since the last answer. */
  readonly faults: number
  /** How often `incorrect_device_code` was forgiven. */
  readonly forgiven: number
  readonly token: OAuthToken | undefined
  /** The last fault, or what ended the flow. */
  readonly error: AnyAuthgraphError | undefined
}

/**
 * How an authorization ended.
 *
 * @group Machines
 */
export type DeviceResult =
  | { readonly status: 'authorized'; readonly token: OAuthToken }
  | { readonly status: 'expired' | 'denied' | 'cancelled' }
  | { readonly status: 'failed'; readonly error: AnyAuthgraphError }

/**
 * What the request for codes is made of.
 *
 * @group Machines
 */
export interface CodesRequest
  extends Pick<
    DeviceAuthorizationInput,
    'clientId' | 'clientSecret' | 'scopes' | 'provider' | 'fetch' | 'clock'
  > {}

/**
 * The codes, with the times (epoch milliseconds) at which they were asked for and had arrived.
 *
 * @group Machines
 */
export interface CodesResponse {
  readonly codes: DeviceCodes
  readonly sentAt: number
  readonly at: number
}

/**
 * What a poll is made of.
 *
 * @group Machines
 */
export interface PollRequest extends CodesRequest {
  readonly deviceCode: Secret
}

/**
 * What callers send: `cancel` ends the flow at once. `wake` says that the device slept, or that a tab was hidden: a poll
 * that is due by the clock is sent at once, and codes that are over by the clock have expired.
 *
 * @group Machines
 */
export type DeviceAuthorizationEvent = { readonly type: 'cancel' } | { readonly type: 'wake' }

/** What the actions read of a response to a poll. */
type Members = {
  readonly at: number
  readonly interval?: number | undefined
  readonly retryAfter?: number | undefined
  readonly token?: OAuthToken
  readonly error?: AnyAuthgraphError
}

/**
 * One authorization as the device lives it.
 *
 * It performs nothing: `requestCodes` and `pollToken` are provided by the client. `requestCodes` rejects with a typed
 * error; `pollToken` resolves with a {@link PollResponse} whatever happens, so that an error of it is a defect.
 *
 * @group Machines
 * @see Spec 3
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export const deviceAuthorization = setup({
  types: {} as {
    context: DeviceAuthorizationContext
    events: DeviceAuthorizationEvent
    input: DeviceAuthorizationInput
    output: DeviceResult
    tags: 'requesting' | 'waiting' | 'retrying' | 'polling' | 'settled'
    meta: { readonly text: string }
  },
  actors: {
    requestCodes: fromPromise<CodesResponse, CodesRequest>(() => notProvided('requestCodes')),
    pollToken: fromPromise<PollResponse, PollRequest>(() => notProvided('pollToken')),
  },
  delays: {
    requestTimeout: REQUEST_TIMEOUT,
    pollTimeout: ({ context }) => pollTimeout(context),
    untilDue: ({ context }) => waitOf(context),
  },
  guards: {
    anew: ({ context }) => context.flow.resume === undefined,
    resumesRequested: ({ context }) => context.status === 'requested',
    resumesPending: ({ context }) => context.status === 'pending',
    overdue: ({ context }, now: number) => now >= context.expiresAt,
    // Codes that expire before the next poll are waited for, not polled.
    pollDue: ({ context }, now: number) =>
      now >= context.nextPollAt && context.nextPollAt < context.expiresAt,
    token: (_, response: PollResponse) => response.type === 'token',
    pending: (_, response: PollResponse) => response.type === 'pending',
    slowDown: (_, response: PollResponse) => response.type === 'slow_down',
    denied: (_, response: PollResponse) => response.type === 'denied',
    expired: (_, response: PollResponse) => response.type === 'expired',
    fault: (_, response: PollResponse) => response.type === 'fault',
    refused: (_, response: PollResponse) => response.type === 'refused',
    forgivable: ({ context }, response: PollResponse) => isForgivable(context, response),
  },
  actions: {
    look: assign(({ context }) => looked(context)),
    countWait: assign(({ context }) => ({ lookedAt: context.lookedAt + ranOf(context) })),
    countPoll: assign({ polls: ({ context }) => context.polls + 1 }),
    keepCodes: assign(({ context }, response: CodesResponse) => begun(context, response)),
    schedule: assign(({ context }, response: Members) => scheduled(context, response)),
    raiseInterval: assign(({ context }, response: Members) => slowed(context, response)),
    backOff: assign(({ context }, response: Members) => afterFault(context, response)),
    backOffAfterTimeout: assign(({ context }) => afterFault(context, { at: timedOutAt(context) })),
    forgive: assign(({ context }, response: Members) => ({
      forgiven: context.forgiven + 1,
      ...afterResponse(context, response),
    })),
    keepToken: assign((_, { token }: Members) => ({ token, error: undefined })),
    keepRefusal: assign((_, { error }: Members) => ({ error })),
    keepError: assign((_, error: unknown) => ({ error: error as AnyAuthgraphError })),
    /** The client provides this one with its own class of error. */
    keepTimeout: assign({
      error: () =>
        Object.assign(new Error('no response in time'), { code: 'timed_out' }) as AnyAuthgraphError,
    }),
  },
}).createMachine({
  id: 'deviceAuthorization',
  description: 'One device authorization, from the request for codes to the token.',
  context: ({ input }) => ({
    flow: input,
    status: 'requested',
    codes: undefined,
    interval: 0,
    margin: FIRST_MARGIN,
    nextPollAt: 0,
    expiresAt: 0,
    lookedAt: 0,
    ...input.resume,
    polls: 0,
    faults: 0,
    forgiven: 0,
    token: undefined,
    error: undefined,
  }),
  output: ({ event }) => event.output as DeviceResult,
  initial: 'starting',
  on: {
    cancel: { target: '.cancelled', description: 'The caller gives up.' },
  },
  states: {
    starting: {
      description: 'Goes on where a resume record says, or asks for codes.',
      tags: 'requesting',
      meta: { text: 'Starting.' },
      always: [
        { guard: 'anew', target: 'requesting' },
        { guard: 'resumesRequested', target: 'waiting.requested' },
        { guard: 'resumesPending', target: 'waiting.pending' },
        { target: 'waiting.slowed' },
      ],
    },
    requesting: {
      description: 'The request for codes is on its way.',
      tags: 'requesting',
      meta: { text: 'Requesting a code.' },
      invoke: {
        id: 'requestCodes',
        src: 'requestCodes',
        input: ({ context }) => context.flow,
        onDone: { target: 'waiting', actions: { type: 'keepCodes', params: output } },
        onError: { target: 'failed', actions: { type: 'keepError', params: reason } },
      },
      after: {
        requestTimeout: { target: 'failed', actions: 'keepTimeout' },
      },
    },
    waiting: {
      description: 'The user has the code. No poll is on its way, and none is due.',
      tags: 'waiting',
      meta: { text: 'Waiting for the user.' },
      initial: 'requested',
      entry: 'look',
      always: { guard: { type: 'overdue', params: byClock }, target: 'expired' },
      on: {
        wake: [
          { guard: { type: 'overdue', params: byClock }, target: 'expired' },
          { guard: { type: 'pollDue', params: byClock }, target: 'polling' },
        ],
      },
      after: {
        untilDue: [
          // Also where the clock has jumped past the end: only the service knows then whether the codes are over.
          { guard: { type: 'pollDue', params: byTimer }, target: 'polling', actions: 'countWait' },
          {
            target: '.same',
            reenter: true,
            actions: 'countWait',
            description: 'The codes expire before the next poll, or the timer was early.',
          },
        ],
      },
      states: {
        requested: {
          description: 'The codes have come; there was no poll yet.',
          meta: { text: 'Enter the code at the address shown.' },
        },
        pending: {
          description: 'The last poll said that the user has not decided.',
          meta: { text: 'Waiting for the code to be entered.' },
        },
        slowed: {
          description: 'The last poll was too early for the service; the interval has grown.',
          meta: { text: 'Waiting for the code to be entered; the service asked to slow down.' },
        },
        retrying: {
          description: 'The last poll brought no usable response; the next one waits longer.',
          tags: 'retrying',
          meta: { text: 'No usable response yet; trying again.' },
        },
        same: {
          type: 'history',
          target: 'requested',
          description: 'Where the wait was.',
        },
      },
    },
    polling: {
      description: 'One poll is on its way.',
      tags: 'polling',
      meta: { text: 'Checking whether the code was entered.' },
      entry: ['look', 'countPoll'],
      invoke: {
        id: 'pollToken',
        src: 'pollToken',
        input: ({ context }) => ({ ...context.flow, deviceCode: held(context, 'codes').deviceCode }),
        onDone: [
          {
            guard: { type: 'pending', params: output },
            target: 'waiting.pending',
            actions: { type: 'schedule', params: output },
          },
          {
            guard: { type: 'slowDown', params: output },
            target: 'waiting.slowed',
            actions: { type: 'raiseInterval', params: output },
          },
          {
            guard: { type: 'fault', params: output },
            target: 'waiting.retrying',
            actions: { type: 'backOff', params: output },
          },
          {
            guard: { type: 'token', params: output },
            target: 'authorized',
            actions: { type: 'keepToken', params: output },
          },
          { guard: { type: 'denied', params: output }, target: 'denied' },
          { guard: { type: 'expired', params: output }, target: 'expired' },
          {
            guard: { type: 'forgivable', params: output },
            target: 'waiting.retrying',
            actions: { type: 'forgive', params: output },
          },
          {
            guard: { type: 'refused', params: output },
            target: 'failed',
            actions: { type: 'keepRefusal', params: output },
          },
        ],
        onError: { target: 'failed', actions: { type: 'keepError', params: reason } },
      },
      after: {
        pollTimeout: { target: 'waiting.retrying', actions: ['backOffAfterTimeout', 'keepTimeout'] },
      },
    },
    authorized: {
      type: 'final',
      description: 'The user authorized the device; the token has come.',
      tags: 'settled',
      meta: { text: 'Authorized.' },
      output: ({ context }) =>
        ({ status: 'authorized', token: held(context, 'token') }) satisfies DeviceResult,
    },
    expired: {
      type: 'final',
      description: 'The codes ran out before the user decided.',
      tags: 'settled',
      meta: { text: 'The code has expired. Start again to get a new one.' },
      output: () => ({ status: 'expired' }) satisfies DeviceResult,
    },
    denied: {
      type: 'final',
      description: 'The user denied the device.',
      tags: 'settled',
      meta: { text: 'The request was denied.' },
      output: () => ({ status: 'denied' }) satisfies DeviceResult,
    },
    failed: {
      type: 'final',
      description: 'Something ended the flow that no further poll can mend.',
      tags: 'settled',
      meta: { text: 'Something went wrong.' },
      output: ({ context }) => ({ status: 'failed', error: held(context, 'error') }) satisfies DeviceResult,
    },
    cancelled: {
      type: 'final',
      description: 'The caller gave up.',
      tags: 'settled',
      meta: { text: 'Cancelled.' },
      output: () => ({ status: 'cancelled' }) satisfies DeviceResult,
    },
  },
})

/** What a request brought. */
function output<Output>({ event }: { readonly event: DoneActorEvent<Output> }): Output {
  return event.output
}

/** Why a request rejected. */
function reason({ event }: { readonly event: ErrorActorEvent }): unknown {
  return event.error
}

/** The time by the clock. */
function byClock({ context: { flow } }: { readonly context: DeviceAuthorizationContext }): number {
  const now = flow.clock.now()
  // Compared with anything, such a time is neither early nor late: the machine would never rest.
  if (!Number.isFinite(now)) throw new TypeError('clock.now() must return epoch milliseconds')
  return now
}

/** The time when the timer of a wait has fired: by the clock or, where that was set back, by the timer. */
function byTimer({ context }: { readonly context: DeviceAuthorizationContext }): number {
  return Math.max(byClock({ context }), context.lookedAt + ranOf(context))
}

/** Milliseconds of the timer of a wait. */
function waitOf({ nextPollAt, expiresAt, lookedAt }: DeviceAuthorizationContext): number {
  // Timers know whole milliseconds: a part of one would be no wait at all.
  const wait = Math.ceil(Math.min(nextPollAt, expiresAt) - lookedAt)
  return Math.min(Math.max(0, wait), LONGEST_TIMER)
}

/** Milliseconds that the timer of a wait has run at least when it fires: timers are up to one millisecond early. */
function ranOf(context: DeviceAuthorizationContext): number {
  const wait = waitOf(context)
  return wait > 1 ? wait - 1 : wait
}

/** Milliseconds a poll may take. */
function pollTimeout(context: DeviceAuthorizationContext): number {
  return Math.min(REQUEST_TIMEOUT, held(context, 'codes').expiresIn * 1000 * POLL_SHARE)
}

/** The time when a poll was given up: by the clock or, where that was set back, by the timer. */
function timedOutAt(context: DeviceAuthorizationContext): number {
  return Math.max(byClock({ context }), context.lookedAt + pollTimeout(context))
}

/** Reads the clock. Where it was set back, all times are set back with it. */
function looked(context: DeviceAuthorizationContext) {
  const { lookedAt, nextPollAt, expiresAt } = context
  const now = byClock({ context })
  const back = Math.max(0, lookedAt - now)
  return { lookedAt: now, nextPollAt: nextPollAt - back, expiresAt: expiresAt - back }
}

/** Milliseconds that a request took. A clock that was set meanwhile may show less than none, or more than the limit. */
function tookOf(sentAt: number, at: number, limit: number): number {
  return Math.min(Math.max(0, at - sentAt), limit)
}

function begun(context: DeviceAuthorizationContext, { codes, sentAt, at }: CodesResponse) {
  // The lifetime counts from the moment of asking: the service counts from a moment after it. Where the clock was set
  // forward meanwhile, the request seems to have taken all of it: the codes are shown all the same.
  const took = tookOf(sentAt, at, pollTimeout({ ...context, codes }))
  const expiresAt = at - took + codes.expiresIn * 1000
  const known = { codes, interval: codes.interval, expiresAt, lookedAt: at }
  return { ...known, ...afterResponse({ ...context, ...known }, { at }) }
}

function scheduled(context: DeviceAuthorizationContext, response: Members) {
  return {
    status: 'pending' as const,
    faults: 0,
    error: undefined,
    ...afterResponse(proven(context), response),
  }
}

function slowed(context: DeviceAuthorizationContext, response: Members) {
  const slower = {
    interval: Math.max(context.interval + SLOW_DOWN_STEP, response.interval ?? 0),
    // We never poll before the wait is over, so the service's clock must be slower than ours.
    margin: Math.min(context.margin * MARGIN_GROWTH, LARGEST_MARGIN),
  }
  return {
    ...slower,
    status: 'slowed' as const,
    faults: 0,
    error: undefined,
    ...afterResponse({ ...proven(context), ...slower }, response),
  }
}

/**
 * What a poll proves that was sent although the codes were over by the clock: the service still knows them, so the
 * clock was set forward. They have as much time left as they had when the poll was due.
 */
function proven(context: DeviceAuthorizationContext): DeviceAuthorizationContext {
  const { lookedAt, nextPollAt, expiresAt } = context
  return lookedAt < expiresAt ? context : { ...context, expiresAt: expiresAt + lookedAt - nextPollAt }
}

/** When to poll after a response: the margin gives way where a poll would otherwise miss the lifetime. */
function afterResponse(context: DeviceAuthorizationContext, { at, retryAfter = 0 }: Members) {
  const expiresAt = endSeenFrom(context, at)
  const wait = waitWithinLifetime({ ...context, expiresAt }, at, context.interval * 1000 * context.margin)
  return { lookedAt: at, expiresAt, nextPollAt: at + Math.max(wait, retryAfter * 1000) }
}

/** When to poll after a fault: later each time, apart from the interval, and no sooner than the service says. */
function afterFault(context: DeviceAuthorizationContext, { at, retryAfter = 0, error }: Members) {
  const expiresAt = endSeenFrom(context, at)
  const faults = context.faults + 1
  const required = context.interval * 1000 * context.margin
  const backoff = Math.min(required * 2 ** faults, Math.max(LONGEST_BACKOFF, required))
  const wait = waitWithinLifetime({ ...context, expiresAt }, at, backoff * (1 + context.flow.jitter / 10))
  // A time behind the end of the codes is as good as the end.
  const asked = Math.min(retryAfter * 1000, expiresAt - at)
  return { error, faults, lookedAt: at, expiresAt, nextPollAt: at + Math.max(wait, asked) }
}

/** When the codes expire, by the clock as it was when a request had ended. */
function endSeenFrom(context: DeviceAuthorizationContext, at: number): number {
  const { lookedAt, expiresAt } = context
  return expiresAt + (at - lookedAt - tookOf(lookedAt, at, pollTimeout(context)))
}

/** Shortens a wait so that one more poll falls before the end, though never below what the service requires. */
function waitWithinLifetime(
  { interval, expiresAt }: DeviceAuthorizationContext,
  at: number,
  wait: number,
): number {
  return Math.max(interval * 1000, Math.min(wait, expiresAt - LAST_CHANCE - at))
}

/** The service may not know the codes for a moment after the approval. Without a later poll this is the end. */
function isForgivable(context: DeviceAuthorizationContext, response: PollResponse): boolean {
  const isUnknownCode =
    response.type === 'refused' &&
    response.error.code === 'refused' &&
    response.error.error === 'incorrect_device_code'
  const { nextPollAt, expiresAt } = afterResponse(context, response)
  return (
    isUnknownCode && context.status !== 'requested' && context.forgiven < FORGIVEN && nextPollAt < expiresAt
  )
}

/** Reads what the context holds in the states that ask for it. */
function held<Name extends 'codes' | 'token' | 'error'>(
  context: DeviceAuthorizationContext,
  name: Name,
): NonNullable<DeviceAuthorizationContext[Name]> {
  const value = context[name]
  if (value === undefined) throw new TypeError(`there is no "${name}" in the context`)
  return value
}

function notProvided(actor: string): Promise<never> {
  return Promise.reject(new Error(`provide the actor "${actor}" before running the machine`))
}
