import { onTestFinished } from 'vitest'
import { startService, type TestOptions } from './start-service.ts'

/** A service over HTTP in real time, for programs whose users are approved at once. */
export async function startIssuer(options: TestOptions = {}) {
  const service = startService({
    clock: { now: Date.now },
    dialect: 'rfc8628',
    interval: 1,
    refreshTokens: { lifetime: 3600 },
    ...options,
  })
  const { url, close } = await service.listen()
  onTestFinished(close)
  const count = (type: string) => service.events.filter((event) => event.type === type).length
  return { service, url, codes: () => count('codes.issued'), refreshes: () => count('token.refreshed') }
}
