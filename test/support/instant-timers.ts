import { onTestFinished, vi } from 'vitest'

/**
 * Lets the waits of this process end at once, and their time pass on this clock, until the test is over: for clients
 * of others that wait by `setTimeout`. The timers of the runtime's own `fetch` are left alone: they are shorter than
 * a second, or have an argument.
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
