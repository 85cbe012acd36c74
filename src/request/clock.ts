/** Tells the time and sets timers. XState's `SimulatedClock` implements it. */
export interface Clock {
  /** Returns the current time in epoch milliseconds. */
  now(): number
  /**
   * Calls the callback once, after the delay, and returns a timer.
   *
   * @param delay Milliseconds.
   */
  // biome-ignore lint/suspicious/noExplicitAny: XState's clocks return any kind of timer.
  setTimeout(callback: (...args: any[]) => void, delay: number): any
  /** Clears a timer. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  clearTimeout(timer: any): void
}

/** Looks up the globals on every call, so that fake timers installed later are used. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}
