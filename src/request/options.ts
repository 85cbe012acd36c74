import type { Clock } from './clock.ts'

/** Options that repeat wherever requests are sent. */
export interface RequestOptions {
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Tells the time and sets timers. Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
}
