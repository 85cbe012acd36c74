import { assign, type DoneActorEvent, type ErrorActorEvent, fromPromise, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { ResolvedAuthentication } from '../src/protocol/client-authentication.ts'
import type { DeviceCodes } from '../src/protocol/device-codes.ts'
import type { OAuthToken } from '../src/protocol/oauth-record.ts'
import type { PollResponse } from '../src/protocol/poll-response.ts'
import type { Provider } from '../src/protocol/provider.ts'
import type { Secret } from '../src/secret.ts'

/** Request timeout in milliseconds. */
const REQUEST_TIMEOUT = 30_000

/** The share of the lifetime that one poll may take: a request that hangs must leave time for others. */
const POLL_SHARE = 1 / 4

/** The longest possible timer in milliseconds: a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Seconds that each `slow_down` adds to the interval. RFC 8628, section 3.5. */
const SLOW_DOWN_STEP = 5

/**
 * Factor for every wait, because clocks drift: a poll that is too early costs five seconds, a late one a fraction of a
 * second.
 */
const FIRST_MARGIN = 1.05

/** Growth of the margin, and its limit, when the service says `slow_down` although we waited. */
const MARGIN_GROWTH = 1.2
const LARGEST_MARGIN = 2

/** Longest wait in milliseconds after repeated faults. */
const LONGEST_BACKOFF = 60_000

/** How many milliseconds before the codes expire a last poll still arrives in time. */
const LAST_CHANCE = 1_000

/** How often `incorrect_device_code` is forgiven: real services may return it for a moment after the approval. */
const FORGIVEN = 2

/** The result of the last poll: `requested` before the first poll, `pending`, or `slowed` after `slow_down`. */
export type DeviceStatus = 'requested' | 'pending' | 'slowed'

/** Input of the device machine. It does not change while the machine runs. */
export interface DeviceAuthorizationInput {
  /** The client id, sent with every request. */
  readonly clientId: Secret
  /** How the client authenticates. */
  readonly authentication: ResolvedAuthentication
  /** The scopes to request. */
  readonly scopes: readonly string[]
  /** The resources that the token is for, sent with every request. */
  readonly resource?: readonly string[] | undefined
  /** Further parameters of the request for codes. */
  readonly parameters: Readonly<Record<string, string | Secret>>
  /** Whether to prove with PKCE that the poll comes from who requested the codes. */
  readonly pkce: boolean
  /** The service to log in to. */
  readonly provider: Provider
  /** Sends the requests. */
  readonly fetch: typeof globalThis.fetch
  /** Tells the time. */
  readonly clock: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
  /** A number from 0 to 1, which spreads the retries of many devices. */
  readonly jitter: number
  /** Where to resume, instead of requesting codes. */
  readonly resume?: Progress | undefined
}

/** The progress of an authorization that has its codes. Points in time are epoch milliseconds. */
export interface Progress {
  /** The codes that the service issued. */
  readonly codes: DeviceCodes
  /** The PKCE code verifier whose challenge was sent with the request for codes, if one was. */
  readonly codeVerifier?: Secret | undefined
  /** The result of the last poll. */
  readonly status: DeviceStatus
  /** Seconds that the service requires between two polls. Never decreases. */
  readonly interval: number
  /** Factor that every wait is multiplied by. Never decreases. */
  readonly margin: number
  /** When the next poll is due. */
  readonly nextPollAt: number
  /** When the codes expire. */
  readonly expiresAt: number
  /** When the clock was last read. If it shows less now, it was set back, and all times are set back with it. */
  readonly lookedAt: number
  /** Number of faults since the last response. Default: 0. */
  readonly faults?: number
  /** How often `incorrect_device_code` was forgiven. Default: 0. */
  readonly forgiven?: number
}

/** The context of the device machine. Before the codes have arrived, the fields of {@link Progress} have no meaning. */
export interface DeviceAuthorizationContext
  extends Required<Omit<Progress, 'codes' | 'codeVerifier'>>,
    Pick<Progress, 'codeVerifier'> {
  /** The input of the machine. */
  readonly flow: DeviceAuthorizationInput
  /** The codes; `undefined` until they arrive. */
  readonly codes: DeviceCodes | undefined
  /** Number of polls sent. */
  readonly polls: number
  /** The token, once the user has authorized the device. */
  readonly token: OAuthToken | undefined
  /** The last fault, or the error that ended the flow. */
  readonly error: AnyAuthgraphError | undefined
}

/** How an authorization ended. */
export type DeviceResult =
  | { readonly status: 'authorized'; readonly token: OAuthToken }
  | { readonly status: 'expired' | 'denied' | 'cancelled' }
  | { readonly status: 'failed'; readonly error: AnyAuthgraphError }

/** Input of the actor `requestCodes`. */
export interface CodesRequest
  extends Pick<
    DeviceAuthorizationInput,
    | 'clientId'
    | 'authentication'
    | 'scopes'
    | 'resource'
    | 'parameters'
    | 'pkce'
    | 'provider'
    | 'fetch'
    | 'clock'
  > {}

/** Output of the actor `requestCodes`. Points in time are epoch milliseconds. */
export interface CodesResponse {
  /** The codes that the service issued. */
  readonly codes: DeviceCodes
  /** The PKCE code verifier whose challenge was sent, if one was. */
  readonly codeVerifier?: Secret | undefined
  /** When the request was sent. */
  readonly sentAt: number
  /** When the response arrived. */
  readonly at: number
}

/** Input of the actor `pollToken`. */
export interface PollRequest extends CodesRequest {
  /** The device code to poll with. */
  readonly deviceCode: Secret
  /** The PKCE code verifier, if its challenge was sent. */
  readonly codeVerifier?: Secret | undefined
}

/**
 * Events that you can send to the device machine.
 *
 * - `cancel` ends the flow at once.
 * - `wake` says that the device slept, or that a tab was hidden, and makes the machine re-check the clock: it polls at
 *   once if a poll is due, and ends if the codes have expired.
 */
export type DeviceAuthorizationEvent = { readonly type: 'cancel' } | { readonly type: 'wake' }

/** The parts of a poll response that the actions read. */
type Members = {
  readonly at: number
  readonly interval?: number | undefined
  readonly retryAfter?: number | undefined
  readonly token?: OAuthToken
  readonly error?: AnyAuthgraphError
}

/**
 * The device side of one authorization.
 *
 * The machine has no side effects: the client provides the actors `requestCodes` and `pollToken`. `requestCodes`
 * rejects with a typed error. `pollToken` always resolves with a {@link PollResponse}: if it rejects, it has a bug.
 *
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
    // If the codes expire before the next poll, the machine waits until they have expired.
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
    /** The client replaces this action to set its own error class. */
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
    faults: 0,
    forgiven: 0,
    ...input.resume,
    polls: 0,
    token: undefined,
    error: undefined,
  }),
  output: ({ event }) => event.output as DeviceResult,
  initial: 'starting',
  on: {
    cancel: '.cancelled',
  },
  states: {
    starting: {
      description: 'Resumes from a record, or requests codes.',
      tags: 'requesting',
      meta: { text: 'Starting.' },
      always: [
        { guard: 'anew', target: 'requesting', description: 'no record' },
        { guard: 'resumesRequested', target: 'waiting.requested', description: 'resume record' },
        { guard: 'resumesPending', target: 'waiting.pending', description: 'resume record' },
        { target: 'waiting.slowed', description: 'resume record' },
      ],
    },
    requesting: {
      description: 'The request for codes is running.',
      tags: 'requesting',
      meta: { text: 'Requesting a code.' },
      invoke: {
        id: 'requestCodes',
        src: 'requestCodes',
        input: ({ context }) => context.flow,
        onDone: {
          target: 'waiting',
          actions: { type: 'keepCodes', params: output },
          description: 'codes arrive',
        },
        onError: {
          target: 'failed',
          actions: { type: 'keepError', params: reason },
          description: 'request fails',
        },
      },
      after: {
        requestTimeout: { target: 'failed', actions: 'keepTimeout', description: 'no response in 30 s' },
      },
    },
    waiting: {
      description: 'The user has the code. No poll is running, and none is due.',
      tags: 'waiting',
      meta: { text: 'Waiting for the user.' },
      initial: 'requested',
      entry: 'look',
      always: {
        guard: { type: 'overdue', params: byClock },
        target: 'expired',
        description: 'codes have expired',
      },
      on: {
        wake: [
          {
            guard: { type: 'overdue', params: byClock },
            target: 'expired',
            description: 'codes have expired',
          },
          { guard: { type: 'pollDue', params: byClock }, target: 'polling', description: 'poll is due' },
        ],
      },
      after: {
        untilDue: [
          // Even if the clock has jumped past the expiry: only the service knows whether the codes have expired.
          {
            guard: { type: 'pollDue', params: byTimer },
            target: 'polling',
            actions: 'countWait',
            description: 'poll is due',
          },
          {
            // The codes expire before the next poll, or the timer fired early.
            target: '.same',
            reenter: true,
            actions: 'countWait',
            description: 'poll is not due yet',
          },
        ],
      },
      states: {
        requested: {
          description: 'The device has not polled yet.',
          meta: { text: 'Enter the code at the address shown.' },
        },
        pending: {
          description: 'The user has not decided.',
          meta: { text: 'Waiting for the code to be entered.' },
        },
        slowed: {
          description: 'The interval has grown.',
          meta: { text: 'Waiting for the code to be entered; the service asked to slow down.' },
        },
        retrying: {
          description: 'The next poll waits longer.',
          tags: 'retrying',
          meta: { text: 'No usable response yet; trying again.' },
        },
        same: {
          type: 'history',
          target: 'requested',
          description: 'The wait continues where it was.',
        },
      },
    },
    polling: {
      description: 'A poll is running.',
      tags: 'polling',
      meta: { text: 'Checking whether the code was entered.' },
      entry: ['look', 'countPoll'],
      invoke: {
        id: 'pollToken',
        src: 'pollToken',
        input: ({ context }) => ({
          ...context.flow,
          deviceCode: held(context, 'codes').deviceCode,
          codeVerifier: context.codeVerifier,
        }),
        onDone: [
          {
            guard: { type: 'pending', params: output },
            target: 'waiting.pending',
            actions: { type: 'schedule', params: output },
            description: 'response: authorization_pending',
          },
          {
            guard: { type: 'slowDown', params: output },
            target: 'waiting.slowed',
            actions: { type: 'raiseInterval', params: output },
            description: 'response: slow_down',
          },
          {
            guard: { type: 'fault', params: output },
            target: 'waiting.retrying',
            actions: { type: 'backOff', params: output },
            description: 'no usable response',
          },
          {
            guard: { type: 'token', params: output },
            target: 'authorized',
            actions: { type: 'keepToken', params: output },
            description: 'response: access_token',
          },
          {
            guard: { type: 'denied', params: output },
            target: 'denied',
            description: 'response: access_denied',
          },
          {
            guard: { type: 'expired', params: output },
            target: 'expired',
            description: 'response: expired_token',
          },
          {
            guard: { type: 'forgivable', params: output },
            target: 'waiting.retrying',
            actions: { type: 'forgive', params: output },
            description: 'response: incorrect_device_code',
          },
          {
            guard: { type: 'refused', params: output },
            target: 'failed',
            actions: { type: 'keepRefusal', params: output },
            description: 'any other error',
          },
        ],
        onError: {
          target: 'failed',
          actions: { type: 'keepError', params: reason },
          description: 'poll throws',
        },
      },
      after: {
        pollTimeout: {
          target: 'waiting.retrying',
          actions: ['backOffAfterTimeout', 'keepTimeout'],
          description: 'no response in time',
        },
      },
    },
    authorized: {
      type: 'final',
      description: 'The token has arrived.',
      tags: 'settled',
      meta: { text: 'Authorized.' },
      output: ({ context }) =>
        ({ status: 'authorized', token: held(context, 'token') }) satisfies DeviceResult,
    },
    expired: {
      type: 'final',
      description: 'The codes have expired.',
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
      description: 'Another poll cannot fix the error.',
      tags: 'settled',
      meta: { text: 'Something went wrong.' },
      output: ({ context }) => ({ status: 'failed', error: held(context, 'error') }) satisfies DeviceResult,
    },
    cancelled: {
      type: 'final',
      description: 'The caller cancelled.',
      tags: 'settled',
      meta: { text: 'Cancelled.' },
      output: () => ({ status: 'cancelled' }) satisfies DeviceResult,
    },
  },
})

/** The output of a request. */
function output<Output>({ event }: { readonly event: DoneActorEvent<Output> }): Output {
  return event.output
}

/** Why a request rejected. */
function reason({ event }: { readonly event: ErrorActorEvent }): unknown {
  return event.error
}

/** The current time by the clock. */
function byClock({ context: { flow } }: { readonly context: DeviceAuthorizationContext }): number {
  const now = flow.clock.now()
  // NaN is neither early nor late: the machine would loop forever.
  if (!Number.isFinite(now)) throw new TypeError('clock.now() must return epoch milliseconds')
  return now
}

/** When the timer of a wait has fired: by the clock or, if that was set back, by the timer. */
function byTimer({ context }: { readonly context: DeviceAuthorizationContext }): number {
  return Math.max(byClock({ context }), context.lookedAt + ranOf(context))
}

/** Duration of a wait in milliseconds. */
function waitOf({ nextPollAt, expiresAt, lookedAt }: DeviceAuthorizationContext): number {
  // Timers have whole milliseconds: a fraction would not wait at all.
  const wait = Math.ceil(Math.min(nextPollAt, expiresAt) - lookedAt)
  return Math.min(Math.max(0, wait), LONGEST_TIMER)
}

/** How long the timer of a wait has run at least, in milliseconds: timers may fire up to one millisecond early. */
function ranOf(context: DeviceAuthorizationContext): number {
  const wait = waitOf(context)
  return wait > 1 ? wait - 1 : wait
}

/** Poll timeout in milliseconds. */
function pollTimeout(context: DeviceAuthorizationContext): number {
  return Math.min(REQUEST_TIMEOUT, held(context, 'codes').expiresIn * 1000 * POLL_SHARE)
}

/** When a poll timed out: by the clock or, if that was set back, by the timer. */
function timedOutAt(context: DeviceAuthorizationContext): number {
  return Math.max(byClock({ context }), context.lookedAt + pollTimeout(context))
}

/** Reads the clock. If it was set back, all times are set back with it. */
function looked(context: DeviceAuthorizationContext) {
  const { lookedAt, nextPollAt, expiresAt } = context
  const now = byClock({ context })
  const back = Math.max(0, lookedAt - now)
  return { lookedAt: now, nextPollAt: nextPollAt - back, expiresAt: expiresAt - back }
}

/**
 * Duration of a request in milliseconds. If the clock was set meanwhile, it may show less than zero or more than the
 * limit.
 */
function tookOf(sentAt: number, at: number, limit: number): number {
  return Math.min(Math.max(0, at - sentAt), limit)
}

function begun(context: DeviceAuthorizationContext, { codes, codeVerifier, sentAt, at }: CodesResponse) {
  // The lifetime counts from when the request was sent, since the service starts counting later. If the clock was set
  // forward meanwhile, the request seems to have taken the whole lifetime: the codes are still shown.
  const took = tookOf(sentAt, at, pollTimeout({ ...context, codes }))
  const expiresAt = at - took + codes.expiresIn * 1000
  const known = { codes, codeVerifier, interval: codes.interval, expiresAt, lookedAt: at }
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
    // We never poll before the wait has ended, so the service's clock must be slower than ours.
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
 * If a poll was sent although the codes had expired by the clock, and the service still knows them, the clock was set
 * forward: the codes have as much time left as they had when the poll was due.
 */
function proven(context: DeviceAuthorizationContext): DeviceAuthorizationContext {
  const { lookedAt, nextPollAt, expiresAt } = context
  return lookedAt < expiresAt ? context : { ...context, expiresAt: expiresAt + lookedAt - nextPollAt }
}

/** When to poll after a response. The margin shrinks if a poll would otherwise miss the lifetime. */
function afterResponse(context: DeviceAuthorizationContext, { at, retryAfter = 0 }: Members) {
  const expiresAt = endSeenFrom(context, at)
  const wait = waitWithinLifetime({ ...context, expiresAt }, at, context.interval * 1000 * context.margin)
  return { lookedAt: at, expiresAt, nextPollAt: at + Math.max(wait, retryAfter * 1000) }
}

/** When to poll after a fault: later each time, and no sooner than the service asks. */
function afterFault(context: DeviceAuthorizationContext, { at, retryAfter = 0, error }: Members) {
  const expiresAt = endSeenFrom(context, at)
  const faults = context.faults + 1
  const required = context.interval * 1000 * context.margin
  const backoff = Math.min(required * 2 ** faults, Math.max(LONGEST_BACKOFF, required))
  const wait = waitWithinLifetime({ ...context, expiresAt }, at, backoff * (1 + context.flow.jitter / 10))
  return { error, faults, lookedAt: at, expiresAt, nextPollAt: at + Math.max(wait, retryAfter * 1000) }
}

/** When the codes expire, by the clock as it was when a request ended. */
function endSeenFrom(context: DeviceAuthorizationContext, at: number): number {
  const { lookedAt, expiresAt } = context
  return expiresAt + (at - lookedAt - tookOf(lookedAt, at, pollTimeout(context)))
}

/** Shortens a wait so that one more poll fits before the codes expire, but never below the required interval. */
function waitWithinLifetime(
  { interval, expiresAt }: DeviceAuthorizationContext,
  at: number,
  wait: number,
): number {
  return Math.max(interval * 1000, Math.min(wait, expiresAt - LAST_CHANCE - at))
}

/**
 * Whether to retry after `incorrect_device_code`: a service may not know the codes for a moment after the approval. If
 * no later poll is possible, the flow ends.
 */
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

/** Reads a context value that is set in the current state. */
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
