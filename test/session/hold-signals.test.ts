import { expect, onTestFinished, test, vi } from 'vitest'
import { isHolding } from '../../src/session/node/hold-signals.ts'
import { holdSignals } from '../../src/session/node/index.ts'
import { troubled, world } from './support/world.ts'

/** A session that is refreshing its token, until the returned function is called. */
async function startRefresh() {
  const { loggedIn, refreshing } = world()
  const session = await loggedIn()
  holdSignals(session)
  const { token, release } = await refreshing(session)
  return async () => {
    release()
    await token
  }
}

function watchKill() {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
  onTestFinished(() => kill.mockRestore())
  return kill
}

test('holds a signal back until the last of several sessions has stored its token', async () => {
  const kill = watchKill()
  const [one, other] = [await startRefresh(), await startRefresh()]
  process.emit('SIGHUP', 'SIGHUP')
  await one()
  expect(kill).not.toHaveBeenCalled()
  expect(isHolding()).toBe(true)
  await other()
  expect(isHolding()).toBe(false)
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGHUP']])
})

test('holds back only the first signal, and none while nothing is refreshed', async () => {
  const kill = watchKill()
  const before = process.listenerCount('SIGHUP')
  const end = await startRefresh()
  expect(process.listenerCount('SIGHUP')).toBe(before + 1)
  process.emit('SIGHUP', 'SIGHUP')
  // A second one would end the process.
  expect(process.listenerCount('SIGHUP')).toBe(before)
  await end()
  expect(kill).toHaveBeenCalledTimes(1)
  const next = await startRefresh()
  await next()
  expect(kill).toHaveBeenCalledTimes(1)
  expect(process.listenerCount('SIGHUP')).toBe(before)
})

test('leaves a signal to a program that listens to it', async () => {
  const kill = watchKill()
  const heard = vi.fn()
  process.once('SIGHUP', heard)
  const end = await startRefresh()
  process.emit('SIGHUP', 'SIGHUP')
  await end()
  expect(heard).toHaveBeenCalledTimes(1)
  expect(kill).not.toHaveBeenCalled()
})

test.for(['stored', 'given up'])(
  'holds a signal back until a token that the store refuses is %s',
  async (end) => {
    const kill = watchKill()
    const { time, store, loggedIn, refreshing } = world()
    const unwilling = troubled(store)
    const session = await loggedIn({ store: unwilling.store })
    const before = process.listenerCount('SIGHUP')
    holdSignals(session)
    const { token, release } = await refreshing(session)
    unwilling.trouble.isBroken = true
    release()
    await token
    expect(session.actor.getSnapshot().value).toBe('unsettled')
    process.emit('SIGHUP', 'SIGHUP')
    expect(kill).not.toHaveBeenCalled()
    unwilling.trouble.isBroken = false
    if (end === 'stored') await time.advance(2_000)
    else session.actor.stop()
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGHUP']])
    expect(process.listenerCount('SIGHUP')).toBe(before)
  },
)
