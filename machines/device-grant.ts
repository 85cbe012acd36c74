import { assertEvent, assign, type SnapshotFrom, setup } from 'xstate'

/** Seconds that each poll sent too early adds to the interval. Spec 3, 7. */
const SLOW_DOWN_STEP = 5

/** Milliseconds for which one poll may be busy issuing the token before another one may try. */
const LEASE = 10_000

/** Seconds by which a poll may come early where nothing else is said: timers and networks waver by that much. */
const LARGEST_LEEWAY = 1

/**
 * Who approved: a name, or what the host knows a user by.
 *
 * @group Machines
 */
export type User = string | { readonly id: string | number; readonly login: string }

/**
 * Where a device asked for its codes, for the user to compare. Whoever asked chose the user agent; the address may be
 * that of a proxy.
 *
 * @group Machines
 */
export interface Origin {
  readonly address?: string
  readonly userAgent?: string
}

/**
 * What a grant starts from.
 *
 * @group Machines
 */
export interface DeviceGrantInput {
  /** What the service knows the client by, such as a hash of its id. Not the id itself: that is a secret. */
  readonly client: string
  /** The scopes that the client asks for, with a space between two: a list would take several times the memory. */
  readonly scope: string
  /** Where the codes were asked for, as far as it is known. */
  readonly origin?: Origin
  /** Seconds between two polls. */
  readonly interval: number
  /** Seconds by which a poll may come early; 0 for none; `null` for a fifth of the interval, at most one second. */
  readonly leeway: number | null
  /** Epoch milliseconds. */
  readonly issuedAt: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Whether the first poll may come at once, or one interval after the codes were issued. */
  readonly firstPoll: 'free' | 'counted'
}

/**
 * What the service keeps of one authorization: plain JSON. Points in time are epoch milliseconds.
 *
 * @group Machines
 */
export interface DeviceGrantContext extends Omit<DeviceGrantInput, 'firstPoll'> {
  /** Seconds between two polls. It only grows. */
  readonly interval: number
  /** When the last poll came that was not early; `null` while the next one may come at any time. */
  readonly lastPollAt: number | null
  /** Who approved. */
  readonly user: User | null
  /** The poll that is issuing the token, and until when no other one may. */
  readonly lease: { readonly claim: string; readonly until: number } | null
}

/**
 * What happens to a grant. Each event brings its time `at` (epoch milliseconds): the machine reads no clock.
 *
 * @group Machines
 */
export type DeviceGrantEvent =
  /** `claim` is a name of this one poll, under which it may become the one that issues the token. */
  | { readonly type: 'poll'; readonly at: number; readonly claim: string }
  | { readonly type: 'approve'; readonly at: number; readonly user: User }
  | { readonly type: 'deny'; readonly at: number }
  /** The token was made, under the claim of a poll. */
  | { readonly type: 'issued'; readonly at: number; readonly claim: string }
  /** The token could not be made. */
  | { readonly type: 'notIssued'; readonly at: number; readonly claim: string }

/**
 * One authorization as the service keeps it.
 *
 * Event-only: it is run with the pure `transition()` over what a store holds. A poll is first checked for the end of
 * the lifetime, then for a decision, which is delivered however early the poll came, and throttled only while there
 * is none.
 *
 * Spec: not shown is what happens between the approval and the token. The poll that finds the approval takes a lease
 * and issues; other polls wait until it is done, or until the lease has lapsed.
 *
 * @group Machines
 * @see Spec 3, 4.2, 7
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
    leaseHolds: ({ context, event }) => context.lease !== null && event.at < context.lease.until,
    // A late response is good as long as no other poll has claimed the grant anew.
    leaseIsOurs: ({ context, event }) => {
      assertEvent(event, ['issued', 'notIssued'])
      return context.lease?.claim === event.claim
    },
  },
  actions: {
    // An early poll does not move the time of the last one: a steady client could never recover.
    raiseInterval: assign({ interval: ({ context }) => context.interval + SLOW_DOWN_STEP }),
    keepTime: assign({ lastPollAt: ({ event }) => event.at }),
    keepUser: assign(({ event }) => {
      assertEvent(event, 'approve')
      return { user: event.user }
    }),
    takeLease: assign(({ event }) => {
      assertEvent(event, 'poll')
      return { lease: { claim: event.claim, until: event.at + LEASE } }
    }),
    endLease: assign({ lease: null }),
  },
}).createMachine({
  id: 'deviceGrant',
  description: 'One device authorization as the service keeps it.',
  context: ({ input: { firstPoll, ...given } }) => ({
    ...given,
    lastPollAt: firstPoll === 'counted' ? given.issuedAt : null,
    user: null,
    lease: null,
  }),
  initial: 'undecided',
  states: {
    undecided: {
      description: 'The user may approve or deny, and the device is told to wait.',
      tags: 'undecided',
      meta: { text: 'Waiting for the user.' },
      initial: 'requested',
      on: {
        poll: [
          { guard: 'overdue', target: 'expired' },
          { guard: 'tooEarly', target: '.slowed', actions: 'raiseInterval' },
          { target: '.pending', actions: 'keepTime' },
        ],
        approve: [
          { guard: 'overdue', target: 'expired' },
          { target: 'approved', actions: 'keepUser' },
        ],
        deny: [{ guard: 'overdue', target: 'expired' }, { target: 'denied' }],
      },
      states: {
        requested: {
          description: 'The codes were issued; there was no poll yet.',
          meta: { text: 'Waiting for the first poll.' },
        },
        pending: {
          description: 'The device polls; the user has not decided.',
          meta: { text: 'Waiting for the user.' },
        },
        slowed: {
          description: 'The last poll came too early; the interval has grown.',
          meta: { text: 'Waiting for the user; the device was asked to slow down.' },
        },
      },
    },
    approved: {
      description: 'The user approved; the next poll fetches the token.',
      tags: 'decided',
      meta: { text: 'Approved.' },
      on: {
        poll: [
          { guard: 'overdue', target: 'expired' },
          { target: 'issuing', actions: 'takeLease' },
        ],
      },
    },
    issuing: {
      description: 'One poll has the token issued; others hear that the authorization is pending.',
      tags: 'decided',
      meta: { text: 'Issuing the token.' },
      on: {
        poll: [
          { guard: 'overdue', target: 'expired' },
          { guard: 'leaseHolds', target: 'issuing', description: 'Another poll is issuing.' },
          { target: 'issuing', actions: 'takeLease', description: 'The lease has lapsed: claimed anew.' },
        ],
        issued: { guard: 'leaseIsOurs', target: 'authorized', actions: 'endLease' },
        notIssued: { guard: 'leaseIsOurs', target: 'approved', actions: 'endLease' },
      },
    },
    denied: {
      description: 'The user denied.',
      tags: 'decided',
      meta: { text: 'Denied.' },
      on: {
        poll: [{ guard: 'overdue', target: 'expired' }, { target: 'denied' }],
      },
    },
    authorized: {
      type: 'final',
      description: 'A poll has brought the token, and no other one will.',
      tags: 'settled',
      meta: { text: 'Authorized.' },
    },
    expired: {
      type: 'final',
      description: 'The lifetime of the codes is over.',
      tags: 'settled',
      meta: { text: 'Expired.' },
    },
  },
})

type StateValue = SnapshotFrom<typeof deviceGrant>['value']

/**
 * The states of a grant by their own names, as a store keeps them: `pending` stands for `undecided.pending`.
 *
 * @group Machines
 */
export type DeviceGrantState = Extract<StateValue, string> | Extract<StateValue, object>['undecided']

/**
 * Tells the state of a grant by its own name.
 *
 * @group Machines
 */
export function grantState(value: StateValue): DeviceGrantState {
  return typeof value === 'string' ? value : value.undecided
}

/**
 * Makes the value of the machine's state from its own name, for `deviceGrant.resolveState({ value, context })`.
 *
 * @group Machines
 */
export function grantValue(state: DeviceGrantState): StateValue {
  return state === 'requested' || state === 'pending' || state === 'slowed' ? { undecided: state } : state
}

/** When a poll is no longer early: one interval after the last one, less the leeway. */
function nextPollAt({ lastPollAt, interval, leeway }: DeviceGrantContext): number {
  if (lastPollAt === null) return 0
  return lastPollAt + (interval - (leeway ?? Math.min(interval / 5, LARGEST_LEEWAY))) * 1000
}
