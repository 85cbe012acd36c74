import { expect, test } from 'vitest'
import { browser, count, guess, namedUsers } from '../support/guesser.ts'
import { startService } from '../support/start-service.ts'

test('of 300 guesses by one account, five are looked up, then even the right code is refused, to this account only', async () => {
  const service = startService(namedUsers)
  const enter = browser(service)
  const { userCode } = await service.begin()
  // Half of them are in one /48.
  const from = (index: number) => (index % 2 === 0 ? `2001:db8:7:${index}::1` : `2001:db8:${index}::1`)
  expect(await count(300, (index) => enter('eve', from(index), guess(index)))).toEqual({ 404: 5, 429: 295 })
  expect(await enter('eve', '198.51.100.1', userCode)).toBe(429)
  expect(await enter('mona', from(0), userCode)).toBe(200)
})
