import { onTestFinished } from 'vitest'
import { createService, type ServiceOptions } from '../../src/service/index.ts'
import { fastClock, fastTimers } from './fast-clock.ts'

/** How much faster than the world's the time of these tests is. */
const RATE = 20

/** A service that listens, for clients of others, in a time that runs fast; and the errors that its polls were told. */
export async function standardService(options: Partial<ServiceOptions> = {}) {
  const clock = fastClock(RATE)
  fastTimers(RATE)
  const service = createService({ clients: [{ clientId: 'id', name: 'App' }], clock, ...options })
  const { url, close } = await service.listen()
  onTestFinished(close)
  const told: string[] = []
  /** A `fetch` that notes what polls are told. */
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init)
    const { error } = await answer.clone().json()
    if (error) told.push(error)
    return answer
  }
  return { service, url, told, fetch }
}
