import { LONGEST_TIMER } from '../../request/clock.ts'
import type { Clock } from '../../request/options.ts'

/** The timers of the runtime, also if a test replaces them later. */
const realTimeout = globalThis.setTimeout

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/**
 * Time that passes only when a test says so. Between two timers, everything runs that waits only for the event loop, so
 * that requests within this process complete.
 */
export class VirtualTime {
  /** The current time in epoch milliseconds. */
  now = Date.UTC(2026, 0, 1)
  /** In the order in which they fire: of those that are due at the same time, the first one set. */
  readonly #timers: Timer[] = []
  #holds = 0

  /** Creates a clock that runs `rate` times as fast: 1.02 is two percent fast. */
  clock(rate = 1): Clock {
    const start = this.now
    return {
      now: () => start + (this.now - start) * rate,
      setTimeout: (callback, delay) => this.#set(this.now + runtimeDelay(delay) / rate, callback),
      clearTimeout: (timer?: Timer) => timer && this.#clear(timer),
    }
  }

  #set(due: number, callback: () => void): Timer {
    const timer = { due, callback }
    let [place, end] = [0, this.#timers.length]
    while (place < end) {
      const middle = (place + end) >>> 1
      if ((this.#timers[middle]?.due ?? 0) > due) end = middle
      else place = middle + 1
    }
    this.#timers.splice(place, 0, timer)
    return timer
  }

  #clear(timer: Timer): void {
    const index = this.#timers.indexOf(timer)
    if (index >= 0) this.#timers.splice(index, 1)
  }

  /** Stops time until the returned function is called. */
  hold(): () => void {
    let held = true
    this.#holds += 1
    return () => {
      if (held) this.#holds -= 1
      held = false
    }
  }

  /** Stops time while something runs that does not wait for it. */
  async during<Result>(run: () => Promise<Result>): Promise<Result> {
    const release = this.hold()
    try {
      return await run()
    } finally {
      release()
    }
  }

  /** Stops time during each request of a `fetch`. */
  through(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return (input, init) => this.during(() => fetch(input, init))
  }

  /** Number of timers that are not yet due. */
  get timers(): number {
    return this.#timers.length
  }

  /** Moves to the timer that is due next and fires it. Returns `false` if none is due until `end` (epoch milliseconds). */
  step(end = Number.POSITIVE_INFINITY): boolean {
    const [next] = this.#timers
    if (next === undefined || next.due > end) return false
    this.#timers.shift()
    this.now = Math.max(this.now, next.due)
    next.callback()
    return true
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    do await this.settle()
    while (this.step(end))
    this.now = end
  }

  /** Advances time until something is true, or the limit (in milliseconds) is reached. */
  async until(isTrue: () => boolean, limit = 2 * 60 * 60 * 1000): Promise<void> {
    const end = this.now + limit
    for (;;) {
      await this.settle()
      // Without a timer, only another thread can still respond, such as that of WebCrypto: it takes real time.
      for (let tries = 0; tries < 100 && !isTrue() && this.#timers.length === 0; tries += 1) {
        await new Promise((resolve) => realTimeout(resolve, 20))
        await this.settle()
      }
      if (isTrue()) return
      const due = this.#timers[0]?.due ?? Number.POSITIVE_INFINITY
      if (due > end) throw new Error(`not true after ${limit} ms of virtual time`)
      await this.advance(due - this.now)
    }
  }

  /** Advances time until a promise settles, however it does. */
  async settled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    promise.then(settle, settle)
    await this.until(() => isSettled)
  }

  /** Runs everything that does not wait for a timer. */
  async settle(): Promise<void> {
    for (let idle = 0; idle < 4; idle = this.#holds === 0 ? idle + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** How runtimes read a delay: whole milliseconds, and almost none if it is too long or not a number. */
function runtimeDelay(delay: number): number {
  return delay <= LONGEST_TIMER ? Math.max(0, Math.trunc(delay)) : 1
}
