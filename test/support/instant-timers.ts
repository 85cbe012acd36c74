import { onTestFinished, vi } from 'vitest'

/**
 * Makes long timers of this process fire at once and advances this clock by their delay, until the test ends. For
 * third-party clients that wait with `setTimeout`. The timers of the runtime's own `fetch` are unaffected: they are
 * shorter than a second or have an argument.
 */
export function instantTimers(clock: { time: number }): void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delay = 0, ...more: unknown[]) => {
    if (delay < 1000 || more.length > 0) return setTimeout(callback, delay, ...(more as []))
    clock.time += delay
    return setImmediate(callback)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
}
