import { onTestFinished, vi } from 'vitest'
import type { Clock } from '../../src/index.ts'

/** The real clock, `rate` times as fast: for servers of others, whose time is not an argument. */
export function fastClock(rate: number): Clock {
  const start = Date.now()
  return {
    now: () => start + (Date.now() - start) * rate,
    setTimeout: (callback, delay) => setTimeout(callback, delay / rate),
    clearTimeout: (timer) => clearTimeout(timer),
  }
}

/** Makes the timers of this process run `rate` times as fast until the test is over: for clients of others. */
export function fastTimers(rate: number): void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delay = 0) => setTimeout(callback, delay / rate))
  onTestFinished(() => void vi.unstubAllGlobals())
}
