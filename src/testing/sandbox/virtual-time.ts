import type { Clock } from '../../client/options.ts'

/** Milliseconds of the longest timer of the runtimes, which take any other number for none. */
const LONGEST_TIMER = 2 ** 31 - 1

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/**
 * Time that passes only when a test says so. Between two timers it lets everything run that waits for nothing but
 * the event loop, so that requests answered in this process have their answers.
 */
export class VirtualTime {
  /** Epoch milliseconds. */
  now = Date.UTC(2026, 0, 1)
  readonly #timers = new Set<Timer>()
  #holds = 0

  /** A clock that runs `rate` times as fast as this time: 1.02 is two percent fast. */
  clock(rate = 1): Clock {
    const start = this.now
    return {
      now: () => start + (this.now - start) * rate,
      setTimeout: (callback, delay) => {
        const timer = { due: this.now + runtimeDelay(delay) / rate, callback }
        this.#timers.add(timer)
        return timer
      },
      clearTimeout: (timer: Timer) => void this.#timers.delete(timer),
    }
  }

  /** Lets time stand still until the function it returns is called. */
  hold(): () => void {
    let held = true
    this.#holds += 1
    return () => {
      if (held) this.#holds -= 1
      held = false
    }
  }

  /** Holds the time while a request is on its way through a `fetch`. */
  through(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const release = this.hold()
      try {
        return await fetch(input, init)
      } finally {
        release()
      }
    }
  }

  /** Timers set and not yet due. */
  get timers(): number {
    return this.#timers.size
  }

  /** Lets this many milliseconds pass. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    for (;;) {
      await this.settle()
      const next = [...this.#timers].sort((a, b) => a.due - b.due)[0]
      if (next === undefined || next.due > end) break
      this.#timers.delete(next)
      this.now = Math.max(this.now, next.due)
      next.callback()
    }
    this.now = end
  }

  /** Lets time pass until something is true, or the limit (milliseconds) is over. */
  async until(isTrue: () => boolean, limit = 2 * 60 * 60 * 1000): Promise<void> {
    const end = this.now + limit
    for (;;) {
      await this.settle()
      if (isTrue()) return
      const due = Math.min(...[...this.#timers].map((timer) => timer.due))
      if (due > end) throw new Error(`not true after ${limit} ms of virtual time`)
      await this.advance(due - this.now)
    }
  }

  /** Lets everything run that waits for no timer. */
  async settle(): Promise<void> {
    for (let idle = 0; idle < 4; idle = this.#holds === 0 ? idle + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** What runtimes make of a delay: whole milliseconds, and hardly any where it is too long or no number. */
function runtimeDelay(delay: number): number {
  return delay <= LONGEST_TIMER ? Math.max(0, Math.trunc(delay)) : 1
}
