import os from 'node:os'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Owners } from '../../src/session/session-store.ts'
import { HOUR, troubled, world } from './support/world.ts'

/** A process that no other one can ask after: of another host, say. */
function elsewhere(self: string): Owners {
  return { self, isGone: () => undefined, pidOf: () => undefined }
}

/** A world whose token has expired, with processes that cannot tell whether the others are alive. */
async function expired(options: Parameters<typeof world>[0] = {}) {
  const made = world(options)
  const { time, store, loggedIn, open } = made
  await loggedIn()
  await time.advance(HOUR)
  const process = (name: string, more: Parameters<typeof open>[0] = {}) =>
    open({ ...more, store: { ...(more.store ?? store), owners: elsewhere(name) } })
  const claim = (nonce = 'one') =>
    store.update('default', (value) => ({
      result: undefined,
      value: { ...(value as object), claim: { owner: 'killed#1', nonce } },
    }))
  /** The one that was killed has spent the token. */
  const spend = () =>
    made.server.fetch('https://provider.example/token', {
      body: 'grant_type=refresh_token&refresh_token=refresh-0-0',
    })
  /** How often the provider was asked since. */
  const asked = () => made.server.requests.slice(2)
  return { ...made, process, claim, spend, asked }
}

describe('a claim whose owner cannot be asked after', () => {
  test('lapses when a session has looked at it for 22 seconds, in one call', async () => {
    const { time, process, claim, read, asked } = await expired()
    await claim()
    const before = time.now
    expect(await read(process('waiter'))).toBe('access-0-1')
    expect(time.now - before).toBeGreaterThanOrEqual(22_000)
    expect(time.now - before).toBeLessThan(23_000)
    expect(asked()).toEqual(['refresh-0-0'])
  })

  test('is watched for 30 seconds, while it changes', async () => {
    const { time, clock, process, claim, over, asked } = await expired()
    let nonce = 0
    const refresh = () => {
      nonce += 1
      void claim(String(nonce))
      if (nonce < 9) clock.setTimeout(refresh, 10_000)
    }
    refresh()
    const before = time.now
    await expect(over(process('waiter').token())).rejects.toMatchObject({ code: 'busy', pid: undefined })
    expect(time.now - before).toBeGreaterThanOrEqual(29_500)
    expect(time.now - before).toBeLessThan(31_000)
    expect(asked()).toEqual([])
  })

  test.each([
    ['stopped for ten minutes', 600_000],
    ['told by its clock that ten minutes have passed', 600_000],
    ['told by its clock that an hour is yet to pass', -HOUR],
  ])('does not lapse because the session that waits is %s', async (what, step) => {
    const { time, setClock, process, claim, over, asked } = await expired()
    await claim()
    const token = process('waiter').token()
    token.catch(() => undefined)
    await time.advance(5000)
    if (what.startsWith('stopped')) time.now += step
    else setClock(step)
    await time.advance(15_000)
    expect(asked()).toEqual([])
    await over(token)
    expect(asked()).toEqual(['refresh-0-0'])
  })

  test('is taken over by one of forty that wait, within the reuse window', async () => {
    const { time, process, claim, spend, read, asked } = await expired()
    await claim()
    await spend()
    const sessions = Array.from({ length: 40 }, (_, index) => process(`waiter ${index}`))
    await time.settle()
    expect(await Promise.all(sessions.map(read))).toEqual(Array(40).fill('access-0-1'))
    expect(asked()).toEqual(['refresh-0-0', 'refresh-0-0'])
  })

  test.each([
    { reuseWindow: 0, firstLook: 0, saved: false },
    { reuseWindow: 20, firstLook: 0, saved: false },
    { reuseWindow: 30, firstLook: 0, saved: true },
    { reuseWindow: 30, firstLook: 60, saved: false },
    { reuseWindow: 60, firstLook: 30, saved: true },
    { reuseWindow: 120, firstLook: 60, saved: true },
  ])(
    'of one that was killed after its request: $reuseWindow s, first look after $firstLook s',
    async (row) => {
      const { time, process, claim, spend, over } = await expired({ reuseWindow: row.reuseWindow })
      await claim()
      await spend()
      await time.advance(row.firstLook * 1000)
      const token = over(process('waiter').token())
      if (row.saved) expect((await token).reveal()).toBe('access-0-1')
      else await expect(token).rejects.toMatchObject({ code: 'login_required' })
    },
  )

  test('holds until whoever took it over is done, also if the one that was stopped stores its pair', async () => {
    const world = await expired({ reuseWindow: 120, expiresIn: 20 })
    const { time, clock, server, process, over, read, stored, asked } = world
    const stopped = process('stopped', { clock: { ...clock, setTimeout: () => undefined } })
    const third = process('third')
    await time.settle()
    const resume = server.holdRefresh()
    const first = stopped.token()
    await time.settle()
    const lose = server.holdRefresh()
    server.faults.push('lost')
    const second = process('waiter').token()
    await time.advance(22_500)
    resume()
    expect((await over(first)).reveal()).toBe('access-0-1')
    expect(await stored()).toMatchObject({ generation: 1 })
    // Its pair has expired, while the request of the waiter is on its way, and will be repeated.
    const next = read(third)
    await time.advance(1000)
    lose()
    const late = await over(second)
    expect(server.families).toMatchObject([{ revoked: false }])
    expect(late.reveal()).toBe('access-0-1')
    const before = time.now
    expect(await next).toBe('access-0-2')
    expect(time.now - before).toBeLessThan(1000)
    expect(asked()).toEqual(['refresh-0-0', 'refresh-0-0', 'refresh-0-0', 'refresh-0-1'])
  })
})

describe('a session that stands still between its claim and its request', () => {
  const uptimeIs = (told: () => number) => {
    const spy = vi.spyOn(os, 'uptime').mockImplementation(told)
    onTestFinished(() => spy.mockRestore())
  }

  type Pass = (time: { now: number }, gap: number) => void
  const byTheClock: Pass = (time, gap) => {
    time.now += gap
  }

  /** The clocks of which one goes on while a process, or its machine, stands still. */
  const CLOCKS: Record<string, Pass> = {
    'the clock of the session': byTheClock,
    'the clock of the session, where the time since the boot is a secret': (...passed) => {
      uptimeIs(() => {
        throw new Error('NotCapable: Requires sys access to "osUptime"')
      })
      byTheClock(...passed)
    },
    'the clock of the session, where the time since the boot is unknown': (...passed) => {
      uptimeIs(() => Number.NaN)
      byTheClock(...passed)
    },
    'the monotonic clock': (_, gap) => {
      const { now } = performance
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + gap)
      onTestFinished(() => spy.mockRestore())
    },
    'the time since the boot': (_, gap) => {
      const { uptime } = os
      uptimeIs(() => uptime() + gap / 1000)
    },
  }

  test.each(Object.entries(CLOCKS))('claims again after 12 seconds by %s', async (_, pass) => {
    const { time, store, process, over, asked } = await expired()
    const slow = troubled(store)
    const session = process('slow', { store: slow.store })
    await time.settle()
    const release = slow.trouble.hold()
    const token = session.token()
    token.catch(() => undefined)
    await time.settle()
    pass(time, 12_000)
    const claimed = () =>
      store.update('default', (value) => ({ result: (value as { claim?: unknown }).claim }))
    const first = await claimed()
    const again = slow.trouble.hold()
    release()
    await time.settle()
    expect(asked()).toEqual([])
    const second = await claimed()
    expect(second).not.toEqual(first)
    again()
    expect((await over(token)).reveal()).toBe('access-0-1')
    expect(asked()).toEqual(['refresh-0-0'])
  })

  test('sends nothing if another one has taken over its claim', async () => {
    const { time, store, process, over, read, asked } = await expired({ reuseWindow: 0 })
    const slow = troubled(store)
    const stopped = process('stopped', { store: slow.store })
    await time.settle()
    const release = slow.trouble.hold()
    const token = stopped.token()
    token.catch(() => undefined)
    await time.settle()
    expect(await read(process('waiter'))).toBe('access-0-1')
    await time.advance(HOUR / 4)
    release()
    expect((await over(token)).reveal()).toBe('access-0-1')
    expect(asked()).toEqual(['refresh-0-0'])
  })

  test('claims again for the repeat of a request, too', async () => {
    const { time, store, server, process, over, stored, asked } = await expired()
    const claims: unknown[] = []
    const session = process('stopped', {
      store: {
        async update(key, change) {
          const result = await store.update(key, change)
          claims.push((await stored()).claim)
          return result
        },
      },
    })
    await time.settle()
    server.faults.push('lost')
    const release = server.holdRefresh()
    const token = session.token()
    await time.settle()
    time.now += 12_000
    release()
    expect((await over(token)).reveal()).toBe('access-0-1')
    // Read, claimed, claimed again, written.
    const nonce = expect.any(String)
    expect(claims).toMatchObject([undefined, { nonce }, { nonce }, undefined])
    expect(new Set(claims).size).toBe(3)
    expect(asked()).toEqual(['refresh-0-0', 'refresh-0-0'])
  })
})

test('a claim that was written although the store said that it failed blocks no other process', async () => {
  const { time, store, process, over, read, stored } = await expired()
  const unlucky = troubled(store)
  const session = process('unlucky', { store: unlucky.store })
  await time.settle()
  unlucky.trouble.misreports = 1
  const before = time.now
  await expect(over(session.token())).rejects.toThrow('disk full')
  expect(await stored()).not.toHaveProperty('claim')
  expect(await read(process('other'))).toBe('access-0-1')
  expect(time.now).toBe(before)
})

test('a refresh request is given up after 8 seconds, and repeated', async () => {
  const { time, server, process, over, asked } = await expired()
  server.holdRefresh()
  const session = process('patient', {
    fetch: (input, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        server.fetch(input, init).then(resolve, reject)
      }),
  })
  const before = time.now
  expect((await over(session.token())).reveal()).toBe('access-0-1')
  expect(time.now - before).toBe(8000)
  expect(asked()).toEqual(['refresh-0-0', 'refresh-0-0'])
})
