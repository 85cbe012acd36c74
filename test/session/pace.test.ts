import { expect, test } from 'vitest'
import { HOUR, world } from './support/world.ts'

/** A number that `random` returns: pauses are half as long again. */
const random = () => 0.5

test('a session rests twice as long after each fault, up to a minute, and begins anew after a renewal', async () => {
  const { time, server, loggedIn, over, read } = world()
  const session = await loggedIn({ random })
  const isSent = async () => {
    const before = server.requests.length
    server.faults.push('invalid_client')
    await expect(over(session.token())).rejects.toMatchObject({ code: 'refused' })
    return server.requests.length > before
  }
  await time.advance(HOUR)
  expect(await isSent()).toBe(true)
  for (const seconds of [1.5, 3, 6, 12, 24, 48, 90, 90]) {
    await time.advance(seconds * 1000 - 1)
    server.faults.length = 0
    expect(await isSent()).toBe(false)
    await time.advance(1)
    server.faults.length = 0
    expect(await isSent()).toBe(true)
  }
  await time.advance(90_000)
  server.faults.length = 0
  expect(await read(session)).toBe('access-0-1')
  await time.advance(HOUR)
  expect(await isSent()).toBe(true)
  await time.advance(1499)
  expect(await isSent()).toBe(false)
  await time.advance(1)
  expect(await isSent()).toBe(true)
})

test('a session looks every 0.5 s, and its jitter, at a claim of a living process, for 10 s', async () => {
  const { time, store, loggedIn, open, over } = world()
  await loggedIn()
  await time.advance(HOUR)
  await store.update('default', (value) => ({
    result: undefined,
    value: { ...(value as object), claim: { owner: 'alive#1', nonce: 'one' } },
  }))
  const looks: number[] = []
  const session = open({
    random,
    store: {
      owners: { self: 'self', isGone: () => false, pidOf: () => 4711 },
      update(key, change) {
        looks.push(time.now)
        return store.update(key, change)
      },
    },
  })
  await time.settle()
  looks.length = 0
  const began = time.now
  await expect(over(session.token())).rejects.toMatchObject({ code: 'busy', pid: 4711 })
  expect(looks.map((at) => (at - began) / 1000)).toEqual(
    Array.from({ length: 14 }, (_, index) => index * 0.75),
  )
})
