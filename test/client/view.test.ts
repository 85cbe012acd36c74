import { expect, test } from 'vitest'
import { createActor, fromPromise } from 'xstate'
import { type DeviceView, deviceInput, deviceMachine, viewOf, watch } from '../../src/index.ts'
import type { CodesRequest, CodesResponse } from '../../src/machines.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, denied, expired, pending, slowDown, token } = responses

test('a view tells how the authorization stands, what it does, and how long', async () => {
  const flow = startFlow([
    { ...codes, verification_uri_complete: 'https://github.com/login/device?c=1' },
    pending,
    token,
  ])
  const views: DeviceView[] = []
  watch(flow.actor, (snapshot) => views.push(viewOf(snapshot, flow.time.now)))
  expect(views).toEqual([
    { status: 'requested', activity: 'requesting', text: 'Requesting a code.', polls: 0 },
  ])
  await flow.result()
  const shown = {
    userCode: 'WDJB-MJHT',
    verificationUri: 'https://github.com/login/device',
    verificationUriComplete: 'https://github.com/login/device?c=1',
  }
  const entering = 'Waiting for the code to be entered.'
  const asking = 'Checking whether the code was entered.'
  expect(views.slice(1)).toEqual([
    {
      status: 'requested',
      activity: 'waiting',
      text: 'Enter the code at the address shown.',
      secondsLeft: 900,
      secondsToNextPoll: 6,
      polls: 0,
      ...shown,
    },
    { status: 'requested', activity: 'polling', text: asking, secondsLeft: 895, polls: 1, ...shown },
    {
      status: 'pending',
      activity: 'waiting',
      text: entering,
      secondsLeft: 895,
      secondsToNextPoll: 6,
      polls: 1,
      ...shown,
    },
    { status: 'pending', activity: 'polling', text: asking, secondsLeft: 890, polls: 2, ...shown },
    { status: 'authorized', text: 'Authorized.', polls: 2 },
  ])
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

test('a view tells of slowing down, of retrying and of failing', async () => {
  const flow = startFlow([codes, slowDown, new Error('down'), { error: 'invalid_scope' }])
  await flow.time.advance(5250)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({
    status: 'slowed',
    activity: 'waiting',
  })
  await flow.time.advance(12_600)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({
    status: 'slowed',
    activity: 'retrying',
    secondsToNextPoll: 26,
    error: { code: 'unreachable', message: 'github.com cannot be reached' },
  })
  await flow.result()
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toEqual({
    status: 'failed',
    text: 'Something went wrong.',
    polls: 3,
    error: { code: 'refused', message: 'the service refused: invalid_scope (check the scopes)' },
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

test('a view gives no fault of the past as the reason of another end', async () => {
  const flow = startFlow([codes, new Error('down'), { error: 'access_denied' }])
  await flow.result()
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).not.toHaveProperty('error')
})

test('a watch whose listener throws at once is over', async () => {
  const flow = startFlow([codes, token])
  let calls = 0
  const listener = () => {
    calls += 1
    throw new Error('no screen')
  }
  expect(() => watch(flow.actor, listener)).toThrow('no screen')
  await flow.result()
  expect(calls).toBe(1)
})

test.each([
  ['a token', [codes, pending, slowDown, new Error('down'), 'hang' as const, token]],
  ['a refusal', [codes, { error: 'a_code_of_its_own' }]],
  ['a denial', [codes, denied]],
  ['codes that expire', [codes, expired]],
  ['no codes', [new Response('', { status: 503 })]],
])('every view on the way to %s is plain data', async (_, script) => {
  const flow = startFlow(script)
  const views: DeviceView[] = []
  watch(flow.actor, (snapshot) => views.push(viewOf(snapshot, flow.time.now)))
  await flow.result()
  expect(views.length).toBeGreaterThan(1)
  for (const view of views) {
    expect(JSON.parse(JSON.stringify(view))).toStrictEqual(view)
    expect(structuredClone(view)).toStrictEqual(view)
  }
})

test('a view names no next poll where the codes expire before it', async () => {
  const flow = startFlow([{ ...codes, expires_in: 12 }, pending, { error: 'slow_down', interval: 60 }])
  await flow.time.advance(5250)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({ secondsToNextPoll: 6 })
  await flow.time.advance(5250)
  const view = viewOf(flow.actor.getSnapshot(), flow.time.now)
  expect(view).toMatchObject({ status: 'slowed', activity: 'waiting', secondsLeft: 2 })
  expect(view).not.toHaveProperty('secondsToNextPoll')
})

test('a view of an actor that was stopped says cancelled, and shows no code', async () => {
  const flow = startFlow([codes])
  await flow.time.settle()
  flow.actor.stop()
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toEqual({
    status: 'cancelled',
    text: 'Cancelled.',
    polls: 0,
  })
})

test('a view of an actor that broke says failed', async () => {
  const flow = startFlow([codes])
  await flow.time.settle()
  const broken = { ...flow.actor.getSnapshot(), status: 'error' as const, error: new Error('a defect') }
  expect(viewOf(broken as never, flow.time.now)).toEqual({
    status: 'failed',
    text: 'Something went wrong.',
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

test('a view keeps the text of the wait when the device wakes', async () => {
  const flow = startFlow([codes, pending])
  await flow.time.advance(6000)
  const before = viewOf(flow.actor.getSnapshot(), flow.time.now)
  flow.actor.send({ type: 'wake' })
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toEqual(before)
})

test('a watch of an actor that has ended gives its end', async () => {
  const flow = startFlow([codes, token])
  await flow.result()
  const seen: unknown[] = []
  watch(flow.actor, ({ output }) => seen.push(output?.status))
  expect(seen).toEqual(['authorized'])
})

test('a watch ends when its function is called', async () => {
  const flow = startFlow([codes, token])
  let calls = 0
  watch(flow.actor, () => calls++)()
  await flow.result()
  expect(calls).toBe(1)
})

test.each([
  ['cannot be reached', new Error('down')],
  ['is failing', new Response(null, { status: 503 })],
  ['does not know the code yet', { error: 'incorrect_device_code' }],
])('a view says the same of every poll without a usable response: the service %s', async (_, said) => {
  const flow = startFlow([codes, pending, said])
  await flow.time.advance(10_500)
  expect(viewOf(flow.actor.getSnapshot(), flow.time.now)).toMatchObject({
    activity: 'retrying',
    text: 'No usable response yet; trying again.',
  })
})
