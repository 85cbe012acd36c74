import { onTestFinished, type TestContext } from 'vitest'
import { startService, type TestOptions } from './start-service.ts'

/** What calls a function when a test has finished: for concurrent tests, the `onTestFinished` of their context. */
export type AtEnd = TestContext['onTestFinished']

/** A service over HTTP in real time, for programs whose users are approved at once. It ends with the test. */
export async function startIssuer(options: TestOptions = {}, atEnd: AtEnd = onTestFinished) {
  const service = startService({
    clock: { now: Date.now },
    dialect: 'rfc8628',
    interval: 1,
    refreshTokens: { lifetime: 3600 },
    ...options,
  })
  const { url, close } = await service.listen()
  atEnd(close)
  const count = (type: string) => service.events.filter((event) => event.type === type).length
  return { service, url, codes: () => count('codes.issued'), refreshes: () => count('token.refreshed') }
}
