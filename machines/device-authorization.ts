import { assign, setup } from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'
import type { PollResponse } from '../src/protocol/poll-response.ts'
import type {
  CodesRequest,
  CodesResponse,
  DeviceAuthorizationContext,
  DeviceAuthorizationEvent,
  DeviceAuthorizationInput,
  DeviceResult,
  PollRequest,
} from './device-context.ts'
import {
  afterFault,
  afterPending,
  afterResponse,
  afterSlowDown,
  beginPace,
  contextValue,
  endBackoff,
  endOfWait,
  FIRST_MARGIN,
  isPollDue,
  pollTimeout,
  REQUEST_TIMEOUT,
  readClock,
  waitOf,
} from './device-pace.ts'
import { errorOf, readActors, toProvide } from './read-events.ts'

/** How often `incorrect_device_code` is forgiven: real services may return it for a moment after the approval. */
const FORGIVEN = 2

const actors = {
  requestCodes: toProvide<CodesResponse, CodesRequest>('requestCodes'),
  pollToken: toProvide<PollResponse, PollRequest>('pollToken'),
}

const { answered, outputOf, resultOf } = readActors<typeof actors>()

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
  actors,
  delays: {
    requestTimeout: REQUEST_TIMEOUT,
    pollTimeout: ({ context }) => pollTimeout(context),
    untilDue: ({ context }) => waitOf(context),
  },
  guards: {
    anew: ({ context }) => context.flow.resume === undefined,
    resumesRequested: ({ context }) => context.status === 'requested',
    resumesPending: ({ context }) => context.status === 'pending',
    overdue: ({ context }) => nowOf(context) >= context.expiresAt,
    // By the clock or, if that was set back, by the timer of the usual wait.
    pollDue: ({ context }) => isPollDue({ ...context, ...endBackoff(context) }, Math.max(nowOf(context), context.lookedAt)),
    backingOff: ({ context }) => context.backoff > 0,
    // By the clock or, if that was set back, by the timer.
    waitOver: ({ context }) => isPollDue(context, Math.max(nowOf(context), endOfWait(context))),
    token: answered('token', 'pollToken'),
    pending: answered('pending', 'pollToken'),
    slowDown: answered('slow_down', 'pollToken'),
    denied: answered('denied', 'pollToken'),
    expired: answered('expired', 'pollToken'),
    fault: answered('fault', 'pollToken'),
    refused: answered('refused', 'pollToken'),
    forgivable: ({ context, event }) => isForgivable(context, outputOf(event, 'pollToken')),
  },
  actions: {
    look: assign(({ context }) => readClock(context, nowOf(context))),
    endBackoff: assign(({ context }) => endBackoff(context)),
    countWait: assign(({ context }) => readClock(context, nowOf(context), endOfWait(context))),
    countPoll: assign(({ context }) => ({ ...readClock(context, nowOf(context)), polls: context.polls + 1 })),
    countWaitAndPoll: assign(({ context }) => ({
      ...readClock(context, nowOf(context), endOfWait(context)),
      polls: context.polls + 1,
    })),
    keepCodes: assign(({ context, event }) => beginPace(context, outputOf(event, 'requestCodes'))),
    schedule: assign(({ context, event }) => ({
      status: 'pending' as const,
      faults: 0,
      error: undefined,
      ...afterPending(context, resultOf(event, 'pending', 'pollToken')),
    })),
    raiseInterval: assign(({ context, event }) => ({
      status: 'slowed' as const,
      faults: 0,
      error: undefined,
      ...afterSlowDown(context, resultOf(event, 'slow_down', 'pollToken')),
    })),
    backOff: assign(({ context, event }) => {
      const response = resultOf(event, 'fault', 'pollToken')
      return { error: response.error, ...afterFault(context, response, context.flow.jitter) }
    }),
    backOffAfterTimeout: assign(({ context }) => {
      // By the clock or, if that was set back, by the timer.
      const now = nowOf(context)
      const at = Math.max(now, context.lookedAt + pollTimeout(context))
      const pace = afterFault(context, { at, slow: 'timeout' }, context.flow.jitter)
      return { ...pace, ...readClock(pace, now) }
    }),
    forgive: assign(({ context, event }) => ({
      forgiven: context.forgiven + 1,
      ...afterResponse(context, resultOf(event, 'refused', 'pollToken')),
    })),
    keepToken: assign(({ event }) => ({ token: resultOf(event, 'token', 'pollToken').token, error: undefined })),
    keepRefusal: assign(({ event }) => ({ error: resultOf(event, 'refused', 'pollToken').error })),
    keepError: assign(({ event }) => ({ error: errorOf(event) })),
    /** The client replaces this action to set its own error class. */
    keepTimeout: assign({
      error: () => Object.assign(new Error('no response in time'), { code: 'timed_out' }) as AnyAuthgraphError,
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
    backoff: 0,
    polls: 0,
    token: undefined,
    error: undefined,
  }),
  output: ({ event }) => event.output as DeviceResult,
  initial: 'starting',
  on: { cancel: '.cancelled' },
  states: {
    starting: {
      description: 'Resumes from a record, or requests codes.',
      tags: 'requesting',
      meta: { text: 'Starting.' },
      always: [
        { guard: 'anew', target: 'requesting', description: 'no record' },
        { guard: 'resumesRequested', target: 'waiting.requested', actions: 'look', description: 'resume record' },
        { guard: 'resumesPending', target: 'waiting.pending', actions: 'look', description: 'resume record' },
        { target: 'waiting.slowed', actions: 'look', description: 'resume record' },
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
        onDone: { target: 'waiting', actions: 'keepCodes', description: 'codes arrive' },
        onError: { target: 'failed', actions: 'keepError', description: 'request fails' },
      },
      after: {
        requestTimeout: { target: 'failed', actions: 'keepTimeout', description: 'no response in 30 s' },
      },
    },
    waiting: {
      description: 'The user has the code. The next poll is scheduled.',
      tags: 'waiting',
      meta: { text: 'Waiting for the user.' },
      initial: 'requested',
      always: { guard: 'overdue', target: 'expired', description: 'codes have expired' },
      on: {
        wake: [
          { guard: 'overdue', target: 'expired', description: 'codes have expired' },
          { guard: 'pollDue', target: 'polling', actions: 'countPoll', description: 'poll is due' },
          { guard: 'backingOff', actions: 'endBackoff', description: 'faults lengthen the wait' },
        ],
      },
      after: {
        untilDue: [
          // Even if the clock has jumped past the expiry: only the service knows whether the codes have expired.
          { guard: 'waitOver', target: 'polling', actions: 'countWaitAndPoll', description: 'poll is due' },
          // Faults lengthen the wait, the codes expire before the next poll, or the timer fired early.
          { target: '.same', reenter: true, actions: 'countWait', description: 'poll is not due yet' },
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
          description: 'The last poll failed.',
          tags: 'retrying',
          meta: { text: 'No usable response yet; trying again.' },
        },
        same: { type: 'history', target: 'requested', description: 'The wait continues where it was.' },
      },
    },
    polling: {
      description: 'A poll is running.',
      tags: 'polling',
      meta: { text: 'Checking whether the code was entered.' },
      invoke: {
        id: 'pollToken',
        src: 'pollToken',
        input: ({ context }) => ({
          flow: context.flow,
          deviceCode: contextValue(context, 'codes').deviceCode,
          codeVerifier: context.codeVerifier,
          dpopKey: context.dpopKey,
        }),
        onDone: [
          { guard: 'pending', target: 'waiting.pending', actions: 'schedule', description: 'response: authorization_pending' },
          { guard: 'slowDown', target: 'waiting.slowed', actions: 'raiseInterval', description: 'response: slow_down' },
          { guard: 'fault', target: 'waiting.retrying', actions: 'backOff', description: 'no usable response' },
          { guard: 'token', target: 'authorized', actions: 'keepToken', description: 'response: access_token' },
          { guard: 'denied', target: 'denied', description: 'response: access_denied' },
          { guard: 'expired', target: 'expired', description: 'response: expired_token' },
          { guard: 'forgivable', target: 'waiting.retrying', actions: 'forgive', description: 'response: incorrect_device_code' },
          { guard: 'refused', target: 'failed', actions: 'keepRefusal', description: 'any other error' },
        ],
        onError: { target: 'failed', actions: 'keepError', description: 'poll throws' },
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
      output: ({ context }) => ({ status: 'authorized', token: contextValue(context, 'token') }) satisfies DeviceResult,
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
      description: 'The user denied the request.',
      tags: 'settled',
      meta: { text: 'The request was denied.' },
      output: () => ({ status: 'denied' }) satisfies DeviceResult,
    },
    failed: {
      type: 'final',
      description: 'Polling again would not help.',
      tags: 'settled',
      meta: { text: 'Something went wrong.' },
      output: ({ context }) => ({ status: 'failed', error: contextValue(context, 'error') }) satisfies DeviceResult,
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

/** The current time by the clock. */
function nowOf({ flow }: DeviceAuthorizationContext): number {
  const now = flow.clock.now()
  // NaN is neither early nor late: the machine would loop forever.
  if (!Number.isFinite(now)) throw new TypeError('clock.now() must return epoch milliseconds')
  return now
}

/**
 * Whether to retry after `incorrect_device_code`: a service may not know the codes for a moment after the approval. If
 * no later poll is possible, the flow ends.
 */
function isForgivable(context: DeviceAuthorizationContext, response: PollResponse): boolean {
  const isUnknownCode =
    response.type === 'refused' && response.error.code === 'refused' && response.error.error === 'incorrect_device_code'
  const { nextPollAt, expiresAt } = afterResponse(context, response)
  return isUnknownCode && context.status !== 'requested' && context.forgiven < FORGIVEN && nextPollAt < expiresAt
}
