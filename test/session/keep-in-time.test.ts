import { expect, test } from 'vitest'
import { keepInTime } from '../../src/session/keep-in-time.ts'
import { foreignToken, troubled, world } from './support/world.ts'

test('a token that cannot be stored is stored once the store works again', async () => {
  const { time, store, open, over, read } = world()
  const broken = troubled(store)
  broken.trouble.isBroken = true
  const kept = keepInTime(open({ store: broken.store }), foreignToken('other'))
  await time.settle()
  broken.trouble.isBroken = false
  await over(kept)
  expect(await read(open())).toBe('other')
})
