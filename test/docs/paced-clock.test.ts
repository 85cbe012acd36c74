import { expect, test } from 'vitest'
import { PacedClock } from '../../docs/live/paced-clock.ts'

test('a timer that a busy browser calls late is on time by the clock of the page, also on a clock that runs on it', () => {
  const timers: { readonly callback: () => void; readonly delay: number }[] = []
  let real = 0
  const page = new PacedClock(
    {
      now: () => real,
      setTimeout: (callback, delay) => timers.push({ callback, delay }),
      clearTimeout: (handle) => timers.splice((handle as number) - 1, 1, { callback: () => {}, delay: 0 }),
    },
    5,
  )
  const device = new PacedClock(page, 1.2)
  const called: number[] = []
  device.setTimeout(() => called.push(page.now(), device.now()), 6000)
  expect(timers[0]?.delay).toBeCloseTo(1000)
  // Three seconds late.
  real = 4000
  timers[0]?.callback()
  expect(called.map(Math.round)).toEqual([5000, 6000])
  // And it goes on from there.
  real = 4100
  expect(Math.round(page.now())).toBe(5500)
})
