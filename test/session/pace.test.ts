import { expect, test } from 'vitest'
import { viewOfSession } from '../../src/session/index.ts'
import { HOUR, troubled, world } from './support/world.ts'

/** A number that `random` returns: pauses are half as long again. */
const random = () => 0.5

test('a session rests twice as long after each fault, up to a minute, and begins anew after a refresh', async () => {
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
  expect(viewOfSession(session.actor.getSnapshot(), 0)).toMatchObject({ busy: { pid: 4711 } })
  expect(looks.map((at) => (at - began) / 1000)).toEqual(
    Array.from({ length: 14 }, (_, index) => index * 0.75),
  )
})

test.each([
  { expiresIn: 3600, minValidity: 60, good: 3540 },
  { expiresIn: 3600, minValidity: 600, good: 3000 },
  { expiresIn: 3600, minValidity: 0, good: 3600 },
  { expiresIn: 120, minValidity: 60, good: 60 },
  { expiresIn: 100, minValidity: 60, good: 50 },
])(
  'a token of $expiresIn s that must remain valid for $minValidity s is refreshed after $good s',
  async ({ expiresIn, minValidity, good }) => {
    const { time, loggedIn, read } = world({ expiresIn })
    const session = await loggedIn({ minValidity })
    await time.advance(good * 1000 - 1)
    expect(await read(session)).toBe('access-0-0')
    await time.advance(1)
    expect(await read(session)).toBe('access-0-1')
  },
)

test('the lifetime of a token begins when its request is sent', async () => {
  const { time, loggedIn, read, refreshing } = world()
  const session = await loggedIn()
  const { token, release } = await refreshing(session)
  await time.advance(5_000)
  release()
  await token
  await time.advance(HOUR - 60_000 - 5_000 - 1)
  expect(await read(session)).toBe('access-0-1')
  await time.advance(1)
  expect(await read(session)).toBe('access-0-2')
})

test.each([
  ['invalid_client', 1],
  ['busy', 2],
  ['limited', 5],
] as const)(
  'after "%s" a session rests for %i s, at least as long as the provider asks',
  async (fault, seconds) => {
    const { time, server, loggedIn, over, read } = world()
    const session = await loggedIn()
    await time.advance(HOUR)
    server.faults.push(fault, fault)
    await expect(over(session.token())).rejects.toMatchObject({ code: 'refused' })
    server.faults.length = 0
    await time.advance(seconds * 1000 - 1)
    await expect(over(session.token())).rejects.toMatchObject({ code: 'refused' })
    await time.advance(1)
    expect(await read(session)).toBe('access-0-1')
  },
)

test('a session tries to store a pair after pauses that double, up to a minute', async () => {
  const { time, store, loggedIn, refreshing } = world()
  const full = troubled(store)
  const tries: number[] = []
  const session = await loggedIn({
    random,
    store: {
      update(key, change) {
        tries.push(time.now)
        return full.store.update(key, change)
      },
    },
  })
  const { token, release } = await refreshing(session)
  full.trouble.isBroken = true
  tries.length = 0
  release()
  await token
  await time.advance(300_000)
  const pauses = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1000)
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})
