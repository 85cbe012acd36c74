import { onTestFinished, vi } from 'vitest'
import { createService } from '../../src/service/index.ts'

/** A page whose `fetch` calls the service directly, with a clock that the test controls. */
export function page(clientId = 'id') {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  const service = createService({ clients: [{ clientId, name: 'App' }] })
  const sent: string[] = []
  vi.stubGlobal('fetch', (input: string, { signal, ...init }: RequestInit) => {
    sent.push(new URL(input).pathname)
    // Without the signal: Node does not accept a signal of the page.
    return service.fetch(input, init)
  })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  return {
    service,
    /** The paths of the requests. */
    sent,
    settle,
    /** Advances the clock by this many seconds. */
    pass: async (seconds: number) => {
      await settle()
      for (let second = 0; second < seconds; second += 1) {
        await vi.advanceTimersByTimeAsync(1000)
        await settle()
      }
    },
  }
}

/** Runs everything that does not wait for a timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
