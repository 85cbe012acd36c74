import type { Clock } from '../../src/index.ts'

/** The real clock, `rate` times as fast, for third-party servers without a clock option. */
export function fastClock(rate: number): Clock {
  const start = Date.now()
  return {
    now: () => start + (Date.now() - start) * rate,
    setTimeout: (callback, delay) => setTimeout(callback, delay / rate),
    clearTimeout: (timer) => clearTimeout(timer),
  }
}
