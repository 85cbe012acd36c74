import { AsyncLocalStorage } from 'node:async_hooks'
import { onTestFinished, vi } from 'vitest'

/**
 * Runs a third-party client that waits with `setTimeout`: until the test ends, its long timers fire at once and advance
 * this clock by their delay. The timers of the service, and of whatever else runs in this process, are unaffected, and so
 * are those of the runtime's own `fetch`: they are shorter than a second or have an argument.
 */
export function instantTimers(clock: { time: number }): <Result>(client: () => Result) => Result {
  const { setTimeout } = globalThis
  const client = new AsyncLocalStorage<true>()
  vi.stubGlobal('setTimeout', (callback: () => void, delay = 0, ...more: unknown[]) => {
    if (!client.getStore() || delay < 1000 || more.length > 0)
      return setTimeout(callback, delay, ...(more as []))
    clock.time += delay
    return setImmediate(callback)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return (run) => client.run(true, run)
}
