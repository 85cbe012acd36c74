import type { Clock } from 'authgraph'

interface Timer {
  readonly callback: () => void
  /** Epoch milliseconds of this clock. */
  due: number
  /** The timer of the source, while one runs. */
  handle: unknown
}

/** Milliseconds that a timer may be early: what is lost where one clock runs on another. */
const TOLERANCE = 0.01

/** A clock that runs at a multiple of another one and can sleep. Both can change while timers run. */
export class PacedClock implements Clock {
  readonly #source: Clock
  readonly #timers = new Set<Timer>()
  #rate: number
  /** The time of this clock and of its source, when the rate was set. */
  #start: { readonly here: number; readonly there: number }
  /** When it fell asleep. */
  #asleepSince: number | undefined

  constructor(source: Clock, rate = 1) {
    this.#source = source
    this.#rate = rate
    this.#start = { here: source.now(), there: source.now() }
  }

  /** Epoch milliseconds. It stands still while a timer is due, so a busy browser delays everything alike. */
  now(): number {
    const { here, there } = this.#start
    const due = this.#asleepSince === undefined ? [...this.#timers].map((timer) => timer.due) : []
    return Math.max(here, Math.min(here + (this.#source.now() - there) * this.#rate, ...due))
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer: Timer = { callback, due: this.now() + delay, handle: undefined }
    this.#timers.add(timer)
    if (this.#asleepSince === undefined) this.#arm(timer)
    return timer
  }

  clearTimeout(timer: Timer): void {
    this.#disarm(timer)
    this.#timers.delete(timer)
  }

  /** Changes the rate, starting now. */
  setRate(rate: number): void {
    this.#start = { here: this.now(), there: this.#source.now() }
    this.#rate = rate
    if (this.#asleepSince === undefined) for (const timer of this.#timers) this.#arm(timer)
  }

  /** Lets time pass at once, in milliseconds. Timers that are due meanwhile are called afterwards. */
  skip(passed: number): void {
    this.#start = { here: this.now() + passed, there: this.#source.now() }
    for (const timer of this.#timers) this.#arm(timer)
  }

  /** Stops the timers but not the time, like a laptop that is closed. */
  sleep(): void {
    this.#asleepSince ??= this.now()
    for (const timer of this.#timers) this.#disarm(timer)
  }

  /** Restarts the timers where they were stopped. */
  wake(): void {
    if (this.#asleepSince === undefined) return
    const slept = this.now() - this.#asleepSince
    this.#asleepSince = undefined
    for (const timer of this.#timers) {
      timer.due += slept
      this.#arm(timer)
    }
  }

  #arm(timer: Timer): void {
    this.#disarm(timer)
    timer.handle = this.#source.setTimeout(
      () => {
        // Timers of browsers fire a little early, which a fast clock multiplies.
        if (this.now() < timer.due - TOLERANCE) return this.#arm(timer)
        this.#start = { here: Math.max(this.now(), timer.due), there: this.#source.now() }
        this.#timers.delete(timer)
        timer.callback()
      },
      Math.max(0, timer.due - this.now()) / this.#rate,
    )
  }

  #disarm(timer: Timer): void {
    if (timer.handle !== undefined) this.#source.clearTimeout(timer.handle)
    timer.handle = undefined
  }
}

/** The clock of the browser. */
export const browserClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}
