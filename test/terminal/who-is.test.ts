import { expect, onTestFinished, test, vi } from 'vitest'
import { github, none } from '../../src/auth/index.ts'
import { whoIs } from '../../src/terminal/who-is.ts'

test('the error of a timeout names the request', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asking = whoIs(none(), { provider: github(), fetch: () => new Promise(() => {}) })
  const message = 'the service did not respond in time (GET api.github.com/user)'
  const rejected = expect(asking).rejects.toMatchObject({ code: 'timed_out', message })
  await vi.advanceTimersByTimeAsync(10_000)
  await rejected
})
