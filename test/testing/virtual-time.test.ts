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
  ['a millisecond', 1, 1],
  ['whole milliseconds alone', 5250.9, 5250],
  ['the longest time that runtimes know', 2 ** 31 - 1, 2 ** 31 - 1],
  ['hardly any time where it is longer', 2 ** 31, 1],
  ['hardly any time where it has no end', Number.POSITIVE_INFINITY, 1],
  ['hardly any time where it is no number', Number.NaN, 1],
])('a timer takes %s, as those of runtimes do', async (_, delay, fires) => {
  expect(await firesAfter(delay)).toBe(fires)
})
