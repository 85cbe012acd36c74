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

/** Options that repeat wherever requests are sent. */
export interface RequestOptions {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Tells the time and sets timers. Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
}
