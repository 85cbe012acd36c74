import type { Clock } from './clock.ts'

/** Resolves after a delay in milliseconds. Rejects with the reason of the signal if it is aborted before. */
export function pause(clock: Clock, delay: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clock.clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', cancel)
      resolve()
    }, delay)
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
  })
}
