import type { PollResponse } from '../src/protocol/poll-response.ts'
import type { CodesResponse, DeviceAuthorizationContext } from './device-context.ts'

/** Request timeout in milliseconds. */
export const REQUEST_TIMEOUT = 30_000

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
export const FIRST_MARGIN = 1.05

/** Growth of the margin, and its limit, when the service says `slow_down` although we waited. */
const MARGIN_GROWTH = 1.2
const LARGEST_MARGIN = 2

/** Longest wait in milliseconds after repeated faults, unless the interval is longer. */
const LONGEST_BACKOFF = 30_000

/** Growth of the wait with each fault after the first, and with each that asks for slower polls. */
const FAULT_GROWTH = 1.5
const SLOW_GROWTH = 2

/** How many milliseconds before the codes expire a last poll still arrives in time. */
const LAST_CHANCE = 1_000

/** Who polls how fast, and until when. Durations in seconds, points in time in epoch milliseconds. */
export type Pace = Pick<
  DeviceAuthorizationContext,
  'codes' | 'interval' | 'margin' | 'nextPollAt' | 'expiresAt' | 'lookedAt' | 'backoff' | 'faults'
>

/** When a response arrived, and how many seconds the service asks to wait this once. */
interface Arrival {
  readonly at: number
  readonly retryAfter?: number | undefined
}

/** When a poll brought no usable response, and why the next ones must be slower. */
type PollFault = Pick<Extract<PollResponse, { type: 'fault' }>, 'at' | 'retryAfter' | 'slow'>

/** The pace of a flow whose codes have arrived, and the wait for its first poll. */
export function beginPace(pace: Pace, { codes, codeVerifier, dpopKey, sentAt, at }: CodesResponse) {
  // The lifetime counts from when the request was sent, since the service starts counting later. If the clock was set
  // forward meanwhile, the request seems to have taken the whole lifetime: the codes are still shown.
  const took = durationOf(sentAt, at, pollTimeout({ codes }))
  const expiresAt = at - took + codes.expiresIn * 1000
  const known = { codes, codeVerifier, dpopKey, interval: codes.interval, expiresAt, lookedAt: at }
  return { ...known, ...afterResponse({ ...pace, ...known }, { at }) }
}

/** Reads the clock. If it shows less than it must by now, it was set back, and all times are set back with it. */
export function readClock(
  { lookedAt, nextPollAt, expiresAt }: Pick<Pace, 'lookedAt' | 'nextPollAt' | 'expiresAt'>,
  now: number,
  least = lookedAt,
) {
  const back = Math.max(0, least - now)
  return { lookedAt: now, nextPollAt: nextPollAt - back, expiresAt: expiresAt - back }
}

/** Whether to poll now. If the codes expire before the next poll, the machine waits until they have expired. */
export function isPollDue({ nextPollAt, expiresAt }: Pace, now: number): boolean {
  return now >= nextPollAt && nextPollAt < expiresAt
}

/**
 * Duration of a wait in milliseconds. After faults there are two, the usual one and what they add, so that `wake` need not
 * trust the clock to know which of them is running.
 */
export function waitOf({ nextPollAt, backoff, expiresAt, lookedAt }: Pace): number {
  const usual = nextPollAt - backoff
  const end = lookedAt < usual ? usual : nextPollAt
  // Timers have whole milliseconds: a fraction would not wait at all.
  const wait = Math.ceil(Math.min(end, expiresAt) - lookedAt)
  return Math.min(Math.max(0, wait), LONGEST_TIMER)
}

/** When the timer of a wait has fired, by that timer, which may be up to one millisecond early. */
export function endOfWait(pace: Pace): number {
  const wait = waitOf(pace)
  return pace.lookedAt + (wait > 1 ? wait - 1 : wait)
}

/** Poll timeout in milliseconds. */
export function pollTimeout(pace: Pick<Pace, 'codes'>): number {
  return Math.min(REQUEST_TIMEOUT, contextValue(pace, 'codes').expiresIn * 1000 * POLL_SHARE)
}

/** The wait after `authorization_pending`. */
export function afterPending(pace: Pace, arrival: Arrival) {
  return afterResponse(withProvenLifetime(pace), arrival)
}

/** The wait after `slow_down`, and the slower pace. `interval` is the one that the service asks for. */
export function afterSlowDown(pace: Pace, arrival: Arrival & { readonly interval?: number | undefined }) {
  const slower = {
    interval: Math.max(pace.interval + SLOW_DOWN_STEP, arrival.interval ?? 0),
    // We never poll before the wait has ended, so the service's clock must be slower than ours.
    margin: Math.min(pace.margin * MARGIN_GROWTH, LARGEST_MARGIN),
  }
  return { ...slower, ...afterResponse({ ...withProvenLifetime(pace), ...slower }, arrival) }
}

/** The wait after a response. The margin shrinks if a poll would otherwise miss the lifetime. */
export function afterResponse(pace: Pace, { at, retryAfter = 0 }: Arrival) {
  const expiresAt = expiryAt(pace, at)
  const wait = waitWithinLifetime(pace, expiresAt - at, pace.interval * 1000 * pace.margin)
  return { lookedAt: at, expiresAt, nextPollAt: at + Math.max(wait, retryAfter * 1000), backoff: 0 }
}

/**
 * The wait after a fault: the usual one at first, then longer each time. After a timeout or a limit, it is longer at once
 * (RFC 8628, section 3.5). `jitter`, from 0 to 1, spreads what is added.
 */
export function afterFault(pace: Pace, { at, retryAfter = 0, slow }: PollFault, jitter: number) {
  const expiresAt = expiryAt(pace, at)
  const faults = pace.faults + 1
  const required = pace.interval * 1000 * pace.margin
  const growth = slow ? (SLOW_GROWTH + jitter / 10) ** faults : (FAULT_GROWTH + jitter / 10) ** pace.faults
  const longest = Math.max(LONGEST_BACKOFF, required)
  const asLongAs = (wait: number) => Math.max(waitWithinLifetime(pace, expiresAt - at, wait), retryAfter * 1000)
  const wait = asLongAs(Math.min(required * growth, longest))
  // A limit is kept even if the device is woken.
  const backoff = slow === 'limit' ? 0 : wait - asLongAs(required)
  return { faults, lookedAt: at, expiresAt, nextPollAt: at + wait, backoff }
}

/** The wait of a device that is woken: faults no longer lengthen it. */
export function endBackoff({ nextPollAt, backoff }: Pick<DeviceAuthorizationContext, 'nextPollAt' | 'backoff'>) {
  return { nextPollAt: nextPollAt - backoff, backoff: 0 }
}

/**
 * If a poll was sent although the codes had expired by the clock, and the service still knows them, the clock was set
 * forward: the codes have as much time left as they had when the poll was due.
 */
function withProvenLifetime(pace: Pace): Pace {
  const { lookedAt, nextPollAt, expiresAt } = pace
  return lookedAt < expiresAt ? pace : { ...pace, expiresAt: expiresAt + lookedAt - nextPollAt }
}

/** When the codes expire, by the clock as it was when a request ended. */
function expiryAt(pace: Pace, at: number): number {
  const { lookedAt, expiresAt } = pace
  return expiresAt + (at - lookedAt - durationOf(lookedAt, at, pollTimeout(pace)))
}

/** Shortens a wait so that one more poll fits before the codes expire, but never below the required interval. */
function waitWithinLifetime({ interval }: Pace, left: number, wait: number): number {
  return Math.max(interval * 1000, Math.min(wait, left - LAST_CHANCE))
}

/**
 * Duration of a request in milliseconds. If the clock was set meanwhile, it may show less than zero or more than the
 * limit.
 */
function durationOf(sentAt: number, at: number, limit: number): number {
  return Math.min(Math.max(0, at - sentAt), limit)
}

/** Reads a context value that is set in the current state. */
export function contextValue<Name extends 'codes' | 'token' | 'error'>(
  context: Pick<DeviceAuthorizationContext, Name>,
  name: Name,
): NonNullable<DeviceAuthorizationContext[Name]> {
  const value = context[name]
  if (value === undefined) throw new TypeError(`there is no "${name}" in the context`)
  return value
}
