import { expect, test } from 'vitest'
import { type DeviceView, viewOf, watch } from '../../src/index.ts'
import { answers } from '../support/answers.ts'
import { startFlow } from '../support/flow.ts'

const { codes, pending, slowDown, token } = answers

test('a view tells how the authorization stands, what it does, and how long', async () => {
  const flow = startFlow([
    { ...codes, verification_uri_complete: 'https://github.com/login/device?c=1' },
    pending,
    token,
  ])
  const views: DeviceView[] = []
  watch(flow.actor, (snapshot) => views.push(viewOf(snapshot, flow.time.now)))
  expect(views).toEqual([
    { status: 'requested', activity: 'requesting', text: 'Asking for a code.', polls: 0 },
  ])
  await flow.result()
  const shown = {
    userCode: 'WDJB-MJHT',
    verificationUri: 'https://github.com/login/device',
    verificationUriComplete: 'https://github.com/login/device?c=1',
  }
  const entering = 'Waiting for the code to be entered.'
  const asking = 'Asking whether the code was entered.'
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

test('a watch ends when it is told to', async () => {
  const flow = startFlow([codes, token])
  let calls = 0
  watch(flow.actor, () => calls++)()
  await flow.result()
  expect(calls).toBe(1)
})
