import { expect, test } from 'vitest'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** Milliseconds after which a timer of virtual time fires, and of the runtime's own. */
async function firesAfter(delay: number): Promise<number> {
  const time = new VirtualTime()
  const start = time.now
  let firedAt = 0
  time.clock().setTimeout(() => {
    firedAt = time.now
  }, delay)
  await time.until(() => firedAt > 0, 2 ** 41)
  return firedAt - start
}

test.each([
  ['no time', 0, 0],
  ['a time before now', -5, 0],
  ['whole milliseconds alone', 5250.9, 5250],
  ['the longest time that runtimes know', 2 ** 31 - 1, 2 ** 31 - 1],
  ['hardly any time where it is longer', 2 ** 31, 1],
  ['hardly any time where it is no number', Number.NaN, 1],
])('a timer takes %s, as those of runtimes do', async (_, delay, fires) => {
  expect(await firesAfter(delay)).toBe(fires)
})

test('timers fire by the time they are due, then in the order in which they were set', async () => {
  const time = new VirtualTime()
  const clock = time.clock()
  const fired: string[] = []
  const delays = [30, 10, 20, 10, 40, 0, 20, 10]
  const timers = delays.map((delay, index) => clock.setTimeout(() => fired.push(`${delay} ${index}`), delay))
  clock.clearTimeout(timers[3])
  clock.clearTimeout(timers[3])
  expect(time.timers).toBe(7)
  await time.advance(35)
  expect(fired).toEqual(['0 5', '10 1', '10 7', '20 2', '20 6', '30 0'])
  clock.clearTimeout(timers[0])
  expect(time.timers).toBe(1)
})
