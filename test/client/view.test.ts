import { expect, test } from 'vitest'
import { createActor, fromPromise } from 'xstate'
import { type DeviceView, viewOf, watchActor } from '../../src/index.ts'
import type { CodesRequest, CodesResponse } from '../../src/machines.ts'
import { deviceInput, deviceMachine } from '../../src/machines.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token } = responses

test('a view counts down to the next poll and to the expiry, in whole seconds', async () => {
  const flow = startFlow([codes, pending, token])
  const views: DeviceView[] = []
  watchActor(flow.actor, (snapshot) => views.push(viewOf(snapshot, flow.time.now)))
  await flow.result()
  const shown = views.map(({ secondsLeft, secondsToNextPoll }) => [secondsLeft, secondsToNextPoll])
  const none = [undefined, undefined]
  expect(shown).toEqual([none, [900, 6], [895, undefined], [895, 6], [890, undefined], none])
  expect(Object.keys(views[0] ?? {})).toEqual(['status', 'activity', 'text', 'polls'])
})

test.each([
  ['https://evil.example/login/device?c=1', undefined],
  ['http://github.com/login/device?c=1', undefined],
  ['https://github.com:444/login/device?c=1', undefined],
  ['https://github.com:443/other?c=1', 'https://github.com:443/other?c=1'],
])('a view has the complete address %s only on the origin that the user reads', async (address, shown) => {
  const flow = startFlow([{ ...codes, verification_uri_complete: address }])
  await flow.time.advance(0)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({
    verificationUri: 'https://github.com/login/device',
  })
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now).verificationUriComplete).toBe(shown)
})

test('a view gives the reason of a fault, and of the end', async () => {
  const flow = startFlow([codes, new Error('down'), { error: 'invalid_scope' }])
  await flow.time.advance(5250)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({
    secondsToNextPoll: 6,
    error: { code: 'unreachable', message: 'github.com cannot be reached (POST /login/oauth/access_token)' },
  })
  await flow.result()
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toEqual({
    status: 'failed',
    text: 'Something went wrong.',
    polls: 2,
    error: {
      code: 'refused',
      message:
        'the service refused the request (POST github.com/login/oauth/access_token) with error code invalid_scope: check the scopes',
    },
  })
})

test('a view says that nothing is left, never less', async () => {
  const flow = startFlow([codes])
  await flow.time.settle()
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now + 1e9)).toMatchObject({
    secondsLeft: 0,
    secondsToNextPoll: 0,
  })
})

test('a watch gives the end of an actor that has ended, and ends when its function is called', async () => {
  const flow = startFlow([codes, token])
  let calls = 0
  watchActor(flow.actor, () => calls++)()
  await flow.result()
  expect(calls).toBe(1)
  const seen: unknown[] = []
  watchActor(flow.actor, ({ output }) => seen.push(output?.status))
  expect(seen).toEqual(['authorized'])
})

test('a watch whose listener throws at once is over', async () => {
  const flow = startFlow([codes, token])
  let calls = 0
  const listener = () => {
    calls += 1
    throw new Error('no screen')
  }
  expect(() => watchActor(flow.actor, listener)).toThrow('no screen')
  await flow.result()
  expect(calls).toBe(1)
})

test('a view names no next poll where the codes expire before it, or then', async () => {
  for (const retryAfter of ['7', '8']) {
    const limited = Response.json(pending, { headers: { 'retry-after': retryAfter } })
    const flow = startFlow([{ ...codes, expires_in: 12.25 }, limited])
    await flow.time.advance(5250)
    const view = viewOf(flow.actor.getSnapshot(), flow.time.now)
    expect(view).toMatchObject({ status: 'pending', activity: 'waiting', secondsLeft: 7 })
    expect(view).not.toHaveProperty('secondsToNextPoll')
  }
})

test.each([
  ['was stopped says cancelled', { status: 'stopped' }, { status: 'cancelled', text: 'Cancelled.' }],
  ['broke says failed', { status: 'error' }, { status: 'failed', text: 'Something went wrong.' }],
])('a view of an actor that %s, and shows no code', async (_, end, view) => {
  const flow = startFlow([codes])
  await flow.time.settle()
  expect(viewOf({ ...flow.actor.getSnapshot(), ...end } as never, flow.time.now)).toEqual({
    ...view,
    polls: 0,
  })
})

test('a view does not quote errors of other packages', async () => {
  const machine = deviceMachine.provide({
    actors: {
      requestCodes: fromPromise<CodesResponse, CodesRequest>(async () => {
        throw new TypeError('quotes the device code')
      }),
    },
  })
  const actor = createActor(machine, { input: deviceInput({ clientId: 'id' }) }).start()
  await new Promise((resolve) => actor.subscribe({ complete: () => resolve(undefined) }))
  expect(viewOf(actor.getSnapshot(), 0)).toEqual({
    status: 'failed',
    text: 'Something went wrong.',
    polls: 0,
  })
})
