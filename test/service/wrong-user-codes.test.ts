import { describe, expect, test } from 'vitest'
import { browser, count, guess, namedUsers } from '../support/guesser.ts'
import { startService } from '../support/start-service.ts'

describe.each([
  ['a network', 'wrongUserCodesInNetwork', '192.0.2.1'],
  ['all', 'wrongUserCodesInAll', '198.51.100.1'],
] as const)('after too many wrong codes from %s', (_, limit, address) => {
  async function exhausted() {
    const wrongUserCodes = { max: 5, window: 3000 }
    const limits = { wrongUserCodes, [limit]: { max: 3, window: 300 } }
    const service = startService({ ...namedUsers, limits })
    const enter = browser(service)
    await count(3, (index) => enter(`eve-${index}`, '192.0.2.1', guess(index)))
    return { service, enter: (user: string, code: string) => enter(user, address, code) }
  }

  test('a right code is accepted at the first attempt', async () => {
    const { service, enter } = await exhausted()
    const { userCode } = await service.begin()
    expect(await enter('mona', userCode)).toBe(200)
    expect(await enter('mona', userCode)).toBe(200)
  })

  test('a user with wrong attempts must wait, and no attempt is lost by waiting', async () => {
    const { service, enter } = await exhausted()
    const { userCode } = await service.begin()
    expect(await enter('mona', guess(4))).toBe(404)
    for (let time = 0; time < 9; time += 1) expect(await enter('mona', userCode)).toBe(429)
    service.wait(299)
    expect(await enter('mona', userCode)).toBe(429)
    service.wait(1)
    expect(await enter('mona', userCode)).toBe(200)
  })
})

test('without a limit per user, the limit per network still applies', async () => {
  const limits = { wrongUserCodes: { max: Number.POSITIVE_INFINITY, window: 1 } }
  const service = startService({ ...namedUsers, limits })
  const enter = browser(service)
  expect(await count(60, (index) => enter('eve', '192.0.2.1', guess(index)))).toEqual({ 404: 50, 429: 10 })
})

test('a user is identified by id, not by name', async () => {
  const service = startService({
    identify: ({ header }) => ({ user: { id: Number(header('x-user')), login: header('x-from') ?? '' } }),
  })
  const enter = browser(service)
  expect(await count(6, (index) => enter('7', `name-${index}`, guess(index)))).toEqual({ 404: 5, 429: 1 })
  expect(await enter('8', 'name-0', guess(7))).toBe(404)
})
