import { describe, expect, test } from 'vitest'
import { browser, count, guess, namedUsers } from '../support/guesser.ts'
import { startService } from '../support/start-service.ts'

describe('300 guesses by one account', () => {
  const TIMES = 300

  test.each([
    ['from one address', () => '192.0.2.1'],
    [
      'from 300 addresses, half of them in one /48',
      (index: number) => (index % 2 === 0 ? `2001:db8:7:${index}::1` : `2001:db8:${index}::1`),
    ],
  ])('%s: five are looked up, then even the right code is refused', async (_, from) => {
    const service = startService(namedUsers)
    const enter = browser(service)
    const { userCode } = await service.begin()
    expect(await count(TIMES, (index) => enter('eve', from(index), guess(index)))).toEqual({
      404: 5,
      429: TIMES - 5,
    })
    expect(await enter('eve', '198.51.100.1', userCode)).toBe(429)
    expect(await enter('mona', from(0), userCode)).toBe(200)
  })
})

describe('a user in the same network with five wrong codes', () => {
  test.each([
    ['at the same address', '192.0.2.1', '192.0.2.1'],
    ['in the same network', '2001:db8:7:1::1', '2001:db8:7:2::2'],
    ['behind the same NAT64', '64:ff9b::c000:201', '64:ff9b::c000:201'],
  ])('%s does not block another user with the right code', async (_, neighbour, address) => {
    const service = startService(namedUsers)
    const enter = browser(service)
    const { userCode } = await service.begin()
    expect(await count(6, (index) => enter('eve', neighbour, guess(index)))).toEqual({ 404: 5, 429: 1 })
    expect(await enter('mona', address, userCode)).toBe(200)
  })
})
