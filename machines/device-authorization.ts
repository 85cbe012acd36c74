import { assign, type DoneActorEvent, type ErrorActorEvent, fromPromise, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { DeviceCodes } from '../src/protocol/device-codes.ts'
import type { OAuthToken } from '../src/protocol/oauth-record.ts'
import type { PollAnswer } from '../src/protocol/poll-answer.ts'
import type { Profile } from '../src/protocol/profiles.ts'
import type { Secret } from '../src/secret.ts'

/** Milliseconds a request may take. */
const REQUEST_TIMEOUT = 30_000

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
export type Standing = 'requested' | 'pending' | 'slowed'

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
  readonly profile: Profile
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
  readonly status: Standing
  /** Seconds that the service requires between two polls. It only grows. */
  readonly interval: number
  /** What each wait is multiplied by. It only grows. */
  readonly margin: number
  readonly nextPollAt: number
  readonly expiresAt: number
}

/**
 * The context of the machine. Before the codes have come, the fields of {@link Progress} say nothing.
 *
 * @group Machines
 */
export interface DeviceAuthorizationContext extends Omit<Progress, 'codes'> {
  readonly flow: DeviceAuthorizationInput
  readonly codes: DeviceCodes | undefined
  /** When the last answer had arrived, or was given up, epoch milliseconds. */
  readonly heardAt: number
  /** Polls sent. */
  readonly polls: number
  /** When the last poll was sent, epoch milliseconds. */
  readonly polledAt: number
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
    'clientId' | 'clientSecret' | 'scopes' | 'profile' | 'fetch' | 'clock'
  > {}

/**
 * The codes, with the times (epoch milliseconds) at which they were asked for and had arrived.
 *
 * @group Machines
 */
export interface CodesAnswer {
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
 * What callers send: `cancel` ends the flow at once, `wake` has it look at the clock again, after a sleep of the
 * device or of a hidden tab.
 *
 * @group Machines
 */
export type DeviceAuthorizationEvent = { readonly type: 'cancel' } | { readonly type: 'wake' }

/** Also what the two requests bring; typed here, so that guards and actions are plain names in the config. */
type MachineEvent =
  | DeviceAuthorizationEvent
  | DoneActorEvent<CodesAnswer, 'requestCodes'>
  | DoneActorEvent<PollAnswer, 'pollToken'>
  | ErrorActorEvent<unknown, 'requestCodes'>
  | ErrorActorEvent<unknown, 'pollToken'>

/**
 * One authorization as the device lives it.
 *
 * It performs nothing: `requestCodes` and `pollToken` are provided by the client. `requestCodes` rejects with a typed
 * error; `pollToken` resolves with a {@link PollAnswer} whatever happens, so that an error of it is a defect.
 *
 * @group Machines
 * @see Spec 3
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export const deviceAuthorization = setup({
  types: {} as {
    context: DeviceAuthorizationContext
    events: MachineEvent
    input: DeviceAuthorizationInput
    output: DeviceResult
    tags: 'requesting' | 'waiting' | 'retrying' | 'polling' | 'settled'
    meta: { readonly text: string }
  },
  actors: {
    requestCodes: fromPromise<CodesAnswer, CodesRequest>(() => notProvided('requestCodes')),
    pollToken: fromPromise<PollAnswer, PollRequest>(() => notProvided('pollToken')),
  },
  delays: {
    requestTimeout: REQUEST_TIMEOUT,
    untilDue: ({ context }) => {
      const { nextPollAt, expiresAt, heardAt, flow } = context
      // No longer than the whole wait, whatever became of the clock meanwhile.
      const wait = Math.min(nextPollAt, expiresAt) - Math.max(flow.clock.now(), heardAt)
      // Timers know whole milliseconds: a part of one would be no wait at all.
      return Math.min(Math.max(0, Math.ceil(wait)), LONGEST_TIMER)
    },
  },
  guards: {
    resumesRequested: ({ context }) => context.flow.resume?.status === 'requested',
    resumesPending: ({ context }) => context.flow.resume?.status === 'pending',
    resumesSlowed: ({ context }) => context.flow.resume?.status === 'slowed',
    overdue: ({ context }) => context.flow.clock.now() >= context.expiresAt,
    pollDue: ({ context }) => {
      const now = context.flow.clock.now()
      // A clock that shows less than at the last answer was set back: the timer, which runs by itself, is right.
      return now >= context.nextPollAt || now < context.heardAt
    },
    token: ({ event }) => answerOf(event).type === 'token',
    pending: ({ event }) => answerOf(event).type === 'pending',
    slowDown: ({ event }) => answerOf(event).type === 'slow_down',
    denied: ({ event }) => answerOf(event).type === 'denied',
    expired: ({ event }) => answerOf(event).type === 'expired',
    fault: ({ event }) => answerOf(event).type === 'fault',
    refused: ({ event }) => answerOf(event).type === 'refused',
    forgivable: ({ context, event }) => {
      const answer = answerOf(event)
      const unknownCode =
        answer.type === 'refused' &&
        answer.error.code === 'refused' &&
        answer.error.error === 'incorrect_device_code'
      return unknownCode && context.status !== 'requested' && context.forgiven < FORGIVEN
    },
  },
  actions: {
    keepCodes: assign(({ context, event }) => {
      const { codes, sentAt, at } = codesOf(event)
      // The lifetime counts from the moment of asking: the service counts from a moment after it.
      const known = { codes, interval: codes.interval, expiresAt: sentAt + codes.expiresIn * 1000 }
      return { ...known, ...heard({ ...context, ...known }, { at }) }
    }),
    countPoll: assign({
      polls: ({ context }) => context.polls + 1,
      // The one assignment that reads the clock: a request that times out has no answer to say when.
      polledAt: ({ context }) => context.flow.clock.now(),
    }),
    schedule: assign(({ context, event }) => ({
      status: 'pending' as const,
      faults: 0,
      error: undefined,
      ...heard(context, answerOf(event)),
    })),
    slowDown: assign(({ context, event }) => {
      const answer = answerOf(event)
      const told = answer.type === 'slow_down' ? (answer.interval ?? 0) : 0
      const slower = {
        interval: Math.max(context.interval + SLOW_DOWN_STEP, told),
        // We never poll before the wait is over, so the service's clock must be slower than ours.
        margin: Math.min(context.margin * MARGIN_GROWTH, LARGEST_MARGIN),
      }
      return {
        ...slower,
        status: 'slowed' as const,
        faults: 0,
        error: undefined,
        ...heard({ ...context, ...slower }, answer),
      }
    }),
    backOff: assign(({ context, event }) => {
      const answer = answerOf(event)
      return answer.type === 'fault' ? { error: answer.error, ...missed(context, answer) } : {}
    }),
    backOffAfterTimeout: assign(({ context }) => missed(context, { at: context.polledAt + REQUEST_TIMEOUT })),
    forgive: assign(({ context, event }) => ({
      forgiven: context.forgiven + 1,
      ...heard(context, answerOf(event)),
    })),
    keepToken: assign(({ event }) => {
      const answer = answerOf(event)
      return answer.type === 'token' ? { token: answer.token, error: undefined } : {}
    }),
    keepRefusal: assign(({ event }) => {
      const answer = answerOf(event)
      return answer.type === 'refused' ? { error: answer.error } : {}
    }),
    keepError: assign(({ event }) => ('error' in event ? { error: event.error as AnyAuthgraphError } : {})),
    /** The client provides this one with its own class of error. */
    keepTimeout: assign({
      error: () => Object.assign(new Error('no answer in time'), { code: 'timed_out' }) as AnyAuthgraphError,
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
    ...input.resume,
    heardAt: 0,
    polls: 0,
    polledAt: 0,
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
        { guard: 'resumesRequested', target: 'waiting.requested' },
        { guard: 'resumesPending', target: 'waiting.pending' },
        { guard: 'resumesSlowed', target: 'waiting.slowed' },
        { target: 'requesting' },
      ],
    },
    requesting: {
      description: 'The request for codes is on its way.',
      tags: 'requesting',
      meta: { text: 'Asking for a code.' },
      invoke: {
        id: 'requestCodes',
        src: 'requestCodes',
        input: ({ context }) => context.flow,
        onDone: { target: 'waiting', actions: 'keepCodes' },
        onError: { target: 'failed', actions: 'keepError' },
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
      on: {
        wake: { target: '.same', reenter: true, description: 'The device slept: look at the clock again.' },
      },
      after: {
        untilDue: [
          { guard: 'overdue', target: 'expired', description: 'The lifetime of the codes is over.' },
          { guard: 'pollDue', target: 'polling', description: 'The interval has passed.' },
          { target: '.same', reenter: true, description: 'The timer was early, or the clock was set back.' },
        ],
      },
      states: {
        requested: {
          description: 'The codes have come; there was no poll yet.',
          tags: 'waiting',
          meta: { text: 'Enter the code at the address shown.' },
        },
        pending: {
          description: 'The last poll said that the user has not decided.',
          tags: 'waiting',
          meta: { text: 'Waiting for the code to be entered.' },
        },
        slowed: {
          description: 'The last poll was too early for the service; the interval has grown.',
          tags: 'waiting',
          meta: { text: 'Waiting for the code to be entered; the service asked for longer pauses.' },
        },
        retrying: {
          description: 'The last poll brought no answer; the next one waits longer.',
          tags: 'retrying',
          meta: { text: 'The service cannot be reached; trying again.' },
        },
        same: {
          type: 'history',
          description: 'Where the wait was.',
        },
      },
    },
    polling: {
      description: 'One poll is on its way.',
      tags: 'polling',
      meta: { text: 'Asking whether the code was entered.' },
      entry: 'countPoll',
      invoke: {
        id: 'pollToken',
        src: 'pollToken',
        input: ({ context }) => ({ ...context.flow, deviceCode: held(context, 'codes').deviceCode }),
        onDone: [
          { guard: 'pending', target: 'waiting.pending', actions: 'schedule' },
          { guard: 'slowDown', target: 'waiting.slowed', actions: 'slowDown' },
          { guard: 'fault', target: 'waiting.retrying', actions: 'backOff' },
          { guard: 'token', target: 'authorized', actions: 'keepToken' },
          { guard: 'denied', target: 'denied' },
          { guard: 'expired', target: 'expired' },
          { guard: 'forgivable', target: 'waiting.retrying', actions: 'forgive' },
          { guard: 'refused', target: 'failed', actions: 'keepRefusal' },
        ],
        onError: { target: 'failed', actions: 'keepError' },
      },
      after: {
        requestTimeout: { target: 'waiting.retrying', actions: ['backOffAfterTimeout', 'keepTimeout'] },
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

/** What a schedule is made from. */
type Pace = Pick<DeviceAuthorizationContext, 'interval' | 'margin' | 'expiresAt' | 'faults' | 'flow'>

/** When an answer came, or was given up, and the seconds after which the service asks to be called again. */
type Heard = Pick<PollAnswer & { type: 'pending' }, 'at' | 'retryAfter'>

/** When to poll after an answer: the margin gives way where a poll would otherwise miss the lifetime. */
function heard(pace: Pace, { at, retryAfter = 0 }: Heard) {
  const wait = inTime(pace, at, pace.interval * 1000 * pace.margin)
  return { heardAt: at, nextPollAt: at + Math.max(wait, retryAfter * 1000) }
}

/** When to poll after a fault: later each time, apart from the interval, and no sooner than the service says. */
function missed(pace: Pace, { at, retryAfter = 0 }: Heard) {
  const faults = pace.faults + 1
  const required = pace.interval * 1000 * pace.margin
  const backoff = Math.min(required * 2 ** faults, Math.max(LONGEST_BACKOFF, required))
  const wait = inTime(pace, at, backoff * (1 + pace.flow.jitter / 10))
  // A time behind the end of the codes is as good as the end.
  const asked = Math.min(retryAfter * 1000, pace.expiresAt - at)
  return { faults, heardAt: at, nextPollAt: at + Math.max(wait, asked) }
}

/** Shortens a wait so that one more poll falls before the end, though never below what the service requires. */
function inTime({ interval, margin, expiresAt }: Pace, at: number, wait: number): number {
  const required = interval * 1000 * Math.max(1, margin / FIRST_MARGIN)
  return Math.max(required, Math.min(wait, expiresAt - LAST_CHANCE - at))
}

function answerOf(event: MachineEvent): PollAnswer {
  if (event.type !== 'xstate.done.actor.pollToken') throw new TypeError(`${event.type} brings no poll answer`)
  return event.output
}

function codesOf(event: MachineEvent): CodesAnswer {
  if (event.type !== 'xstate.done.actor.requestCodes') throw new TypeError(`${event.type} brings no codes`)
  return event.output
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
