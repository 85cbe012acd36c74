import { assign, type SnapshotFrom, setup } from 'xstate'
import { readEvents } from './read-events.ts'

/** Seconds that each early poll adds to the interval. RFC 8628, section 3.5. */
const SLOW_DOWN_STEP = 5

/** How long one poll may take to issue the token, in milliseconds, before another one may try. */
const CLAIM_TIME = 10_000

/** Default for how many seconds a poll may be early: timers and networks vary by that much. */
const LARGEST_LEEWAY = 1

/** The shortest delivery window, in seconds. */
const SHORTEST_WINDOW = 60

/**
 * The longest delivery window, in seconds. Shorter than a family that was revoked is remembered: a login that has ended must
 * not begin again.
 */
const LONGEST_WINDOW = 600

/** Seconds after which most clients give up a poll that gets no response. */
const CLIENT_TIMEOUT = 30

/** Who approved: a name, or the ID and login that your service knows the user by. */
export type User = string | { readonly id: string | number; readonly login: string }

/**
 * Where a device requested its codes, shown to the user for comparison. The user agent is chosen by the client; the
 * address may be that of a proxy.
 */
export interface Origin {
  /** The IP address of the request. */
  readonly address?: string
  /** The `User-Agent` header of the request. */
  readonly userAgent?: string
}

/** Input of the grant machine. */
export interface DeviceGrantInput {
  /** Identifies the client, such as a hash of its client ID. Not the client ID itself: that is a secret. */
  readonly client: string
  /** The requested scopes, separated by spaces: a list would take several times the memory. */
  readonly scope: string
  /** Where the codes were requested, if known. */
  readonly origin?: Origin
  /** Seconds between two polls. */
  readonly interval: number
  /** How many seconds a poll may be early: 0 for none, `null` for a fifth of the interval but at most one second. */
  readonly leeway: number | null
  /** When the codes were issued, in epoch milliseconds. */
  readonly issuedAt: number
  /** When the codes expire, in epoch milliseconds. */
  readonly expiresAt: number
  /** Whether the first poll may come at once (`free`), or one interval after the codes were issued (`counted`). */
  readonly firstPoll: 'free' | 'counted'
}

/** What the service stores for one authorization: plain JSON. Points in time are epoch milliseconds. */
export interface DeviceGrantContext extends Omit<DeviceGrantInput, 'firstPoll'> {
  /** Seconds between two polls. Never decreases. */
  readonly interval: number
  /** When the last poll came that was not early; `null` while the next one may come at any time. */
  readonly lastPollAt: number | null
  /** Who approved. */
  readonly user: User | null
  /** The poll that is issuing the token, and until when no other poll may. */
  readonly claim: { readonly id: string; readonly until: number } | null
  /**
   * The token, encrypted so that only the device code opens it, and until when a poll gets it again: the response that
   * contained it may have been lost. `null` before it was issued, and after that window.
   */
  readonly delivery: { readonly until: number; readonly sealed: SealedToken } | null
}

/**
 * An encrypted text, and the nonce it was encrypted with.
 *
 * @inline
 */
type SealedToken = readonly [nonce: string, text: string]

/** Events of a grant. Each has its time `at` in epoch milliseconds: the machine does not read a clock. */
export type DeviceGrantEvent =
  /** `claim` identifies this poll, in case it becomes the one that issues the token. */
  | { readonly type: 'poll'; readonly at: number; readonly claim: string }
  | { readonly type: 'approve'; readonly at: number; readonly user: User }
  | { readonly type: 'deny'; readonly at: number }
  /** The poll with this claim has issued the token, `sealed` with the device code. */
  | { readonly type: 'issued'; readonly at: number; readonly claim: string; readonly sealed: SealedToken }
  /** The poll with this claim could not issue the token. */
  | { readonly type: 'notIssued'; readonly at: number; readonly claim: string }

const on = readEvents<DeviceGrantContext, DeviceGrantEvent>()

/**
 * The service side of one authorization.
 *
 * It has events only: run it with XState's pure `transition()` on the state in your store. A poll is checked for expiry
 * first, then for a decision, which is delivered however early the poll is. Early polls are throttled only while there
 * is no decision.
 *
 * RFC 8628 does not say what happens between the approval and the token. Here, the first poll after the approval takes
 * a claim and issues the token; other polls get `authorization_pending` until it has finished, or its claim has
 * expired. Later polls get the same token again for max(60 s, 30 s + 3 intervals) but at most ten minutes, even after
 * the codes have expired: time for a client whose request timed out to ask again.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export const deviceGrant = setup({
  types: {} as {
    context: DeviceGrantContext
    input: DeviceGrantInput
    events: DeviceGrantEvent
    tags: 'undecided' | 'decided' | 'settled'
    meta: { readonly text: string }
  },
  guards: {
    overdue: ({ context, event }) => event.at >= context.expiresAt,
    tooEarly: ({ context, event }) => event.at < nextPollAt(context),
    claimHolds: ({ context, event }) => context.claim !== null && event.at < context.claim.until,
    // A late response counts unless another poll has taken the claim since.
    claimIsOurs: on(['issued', 'notIssued'], ({ context, event }) => context.claim?.id === event.claim),
    deliverable: ({ context: { delivery }, event }) => delivery !== null && event.at < delivery.until,
    wasDeliverable: ({ context }) => context.delivery !== null,
  },
  actions: {
    // An early poll does not count as the last one, or a steady client could never recover.
    raiseInterval: assign({ interval: ({ context }) => context.interval + SLOW_DOWN_STEP }),
    keepTime: assign({ lastPollAt: ({ event }) => event.at }),
    keepUser: assign(on('approve', ({ event }) => ({ user: event.user }))),
    takeClaim: assign(on('poll', ({ event }) => ({ claim: { id: event.claim, until: event.at + CLAIM_TIME } }))),
    endClaim: assign({ claim: null }),
    keepDelivery: assign(
      on('issued', ({ context, event }) => ({
        delivery: { until: event.at + deliveryWindow(context) * 1000, sealed: event.sealed },
      })),
    ),
    dropDelivery: assign({ delivery: null }),
  },
}).createMachine({
  id: 'deviceGrant',
  description: 'One device authorization, on the side of the service.',
  context: ({ input: { firstPoll, ...given } }) => ({
    ...given,
    lastPollAt: firstPoll === 'counted' ? given.issuedAt : null,
    user: null,
    claim: null,
    delivery: null,
  }),
  initial: 'undecided',
  states: {
    undecided: {
      description: 'The user may approve or deny; polls get authorization_pending or slow_down.',
      tags: 'undecided',
      meta: { text: 'Waiting for the user.' },
      initial: 'requested',
      on: {
        poll: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { guard: 'tooEarly', target: '.slowed', actions: 'raiseInterval', description: 'too early: slow_down' },
          { target: '.pending', actions: 'keepTime', description: 'before expiry: authorization_pending' },
        ],
        approve: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { target: 'approved', actions: 'keepUser', description: 'before expiry' },
        ],
        deny: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { target: 'denied', description: 'before expiry' },
        ],
      },
      states: {
        requested: {
          description: 'The device has not polled yet.',
          meta: { text: 'Waiting for the first poll.' },
        },
        pending: {
          description: 'The user has not decided.',
          meta: { text: 'Waiting for the user.' },
        },
        slowed: {
          description: 'The interval has grown.',
          meta: { text: 'Waiting for the user; the device was asked to slow down.' },
        },
      },
    },
    approved: {
      description: 'The user approved; the next poll gets the token.',
      tags: 'decided',
      meta: { text: 'Approved.' },
      on: {
        poll: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { target: 'issuing', actions: 'takeClaim', description: 'before expiry' },
        ],
      },
    },
    issuing: {
      description: 'One poll is issuing the token.',
      tags: 'decided',
      meta: { text: 'Issuing the token.' },
      on: {
        poll: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { guard: 'claimHolds', target: 'issuing', description: 'claim is held: authorization_pending' },
          { target: 'issuing', actions: 'takeClaim', description: 'claim has expired: taken over' },
        ],
        issued: {
          guard: 'claimIsOurs',
          target: 'authorized',
          actions: ['endClaim', 'keepDelivery'],
          description: 'claim still holds: access_token',
        },
        notIssued: { guard: 'claimIsOurs', target: 'approved', actions: 'endClaim', description: 'claim still holds' },
      },
    },
    denied: {
      description: 'The user denied the request.',
      tags: 'decided',
      meta: { text: 'Denied.' },
      on: {
        poll: [
          { guard: 'overdue', target: 'expired', description: 'after expiry: expired_token' },
          { target: 'denied', description: 'before expiry: access_denied' },
        ],
      },
    },
    authorized: {
      description: 'The token was issued; for a while, a poll gets the same one again.',
      tags: 'settled',
      meta: { text: 'Authorized.' },
      on: {
        poll: [
          { guard: 'deliverable', target: 'authorized', description: 'in the delivery window: the same access_token' },
          { guard: 'wasDeliverable', target: 'authorized', actions: 'dropDelivery', description: 'later: incorrect_device_code' },
        ],
      },
    },
    expired: {
      type: 'final',
      description: 'The codes have expired.',
      tags: 'settled',
      meta: { text: 'Expired.' },
    },
  },
})

type StateValue = SnapshotFrom<typeof deviceGrant>['value']

/** The states of a grant by their short names, as a store keeps them: `pending` stands for `undecided.pending`. */
export type DeviceGrantState = Extract<StateValue, string> | Extract<StateValue, object>['undecided']

/** Returns the short name of a grant's state. */
export function grantState(value: StateValue): DeviceGrantState {
  return typeof value === 'string' ? value : value.undecided
}

/** Converts the short name of a state to a state value, for `deviceGrant.resolveState({ value, context })`. */
export function grantValue(state: DeviceGrantState): StateValue {
  return state === 'requested' || state === 'pending' || state === 'slowed' ? { undecided: state } : state
}

/** When the next poll is no longer early: one interval after the last one, minus the leeway. */
function nextPollAt({ lastPollAt, interval, leeway }: DeviceGrantContext): number {
  if (lastPollAt === null) return 0
  return lastPollAt + (interval - (leeway ?? Math.min(interval / 5, LARGEST_LEEWAY))) * 1000
}

/** Seconds for which a poll gets the token again: enough for a client to time out, wait and ask again. */
function deliveryWindow({ interval }: DeviceGrantContext): number {
  return Math.min(LONGEST_WINDOW, Math.max(SHORTEST_WINDOW, CLIENT_TIMEOUT + 3 * interval))
}
