/** Node's own clock, which also counts the time that the machine sleeps. */
const os = globalThis.process?.getBuiltinModule?.('node:os')

/** A point in time on every clock that there is, in milliseconds: one of them may stand still or be set. */
export type Moment = readonly number[]

/** Returns the present moment. */
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
