import { expect, test } from 'vitest'
import { createTurns } from '../../src/store/turns.ts'

test('an update that waited receives what the one before it wrote, and a later one receives nothing', async () => {
  const inTurn = createTurns()
  const received: (string | undefined)[] = []
  const update = (known: string, release: Promise<void> = Promise.resolve()) =>
    inTurn('key', async (before) => {
      received.push(before)
      await release
      return { result: undefined, known }
    })
  let release = () => {}
  const first = update('first')
  const second = update('second', new Promise((resolve) => (release = resolve)))
  await first
  const third = update('third')
  release()
  await Promise.all([second, third])
  await update('last')
  expect(received).toEqual([undefined, 'first', 'second', undefined])
})
