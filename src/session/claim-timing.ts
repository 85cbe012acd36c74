import { LAPSE_PATIENCE } from '../../machines/session.ts'
import { DEFAULT_REUSE_WINDOW } from '../protocol/endpoints.ts'

/**
 * Milliseconds after which a claim lapses if nobody can tell whether its owner is alive: on another host, in another
 * container, in a worker thread. The session that waits counts them.
 */
export const LAPSE = 22_000

/** Milliseconds from the claim within which a request is begun, and within which its headers are sent. */
export const SENDING_BOUND = 12_000
export const HEADERS_BOUND = LAPSE - 2000

/** Seconds after which a session gives up a refresh request. */
export const REFRESH_TIMEOUT = 8

/** Milliseconds of the reuse window that remain for the one that takes over. */
const MARGIN = 5000

// The owner of a claim has finished before it lapses, and who takes it over is inside the reuse window.
const isSound =
  SENDING_BOUND + REFRESH_TIMEOUT * 1000 < LAPSE &&
  LAPSE < DEFAULT_REUSE_WINDOW * 1000 - MARGIN &&
  LAPSE < LAPSE_PATIENCE
if (!isSound) throw new RangeError('the times of a claim contradict each other')

/** Node's own clock, which also counts the time that the machine sleeps. */
const os = globalThis.process?.getBuiltinModule?.('node:os')

/** A point in time on every clock that there is, in milliseconds: one of them may stand still or be set. */
export type Moment = readonly number[]

export function momentOf(clock: { now(): number }): Moment {
  return [clock.now(), performance.now(), sinceBoot()]
}

/** Milliseconds since a moment, by the clock that went furthest. */
export function elapsedSince(moment: Moment, clock: { now(): number }): number {
  return Math.max(...momentOf(clock).map((now, index) => now - (moment[index] ?? now)))
}

/** 0 where the system does not tell: Deno asks for a permission, and some runtimes return NaN. */
function sinceBoot(): number {
  try {
    return (os?.uptime() || 0) * 1000
  } catch {
    return 0
  }
}
