import { derived, get, type Readable, readable } from 'svelte/store'
import { expect, test } from 'vitest'
import { type DeviceSnapshot, viewOf, watch } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token } = responses

test('a watch is a store of Svelte', async () => {
  const flow = startFlow([codes, pending, token])
  const store: Readable<DeviceSnapshot> = { subscribe: (run) => watch(flow.actor, run) }
  const text = derived(store, (snapshot) => viewOf(snapshot, flow.time.now).text)
  expect(get(text)).toBe('Requesting a code.')
  await flow.time.settle()
  expect(get(text)).toBe('Enter the code at the address shown.')
  const seen: string[] = []
  const unsubscribe = text.subscribe((value) => seen.push(value))
  await flow.time.advance(6000)
  unsubscribe()
  await flow.result()
  expect(seen).toEqual([
    'Enter the code at the address shown.',
    'Checking whether the code was entered.',
    'Waiting for the code to be entered.',
  ])
  expect(get(text)).toBe('Authorized.')
})

test('a store of time beside it counts the seconds', async () => {
  const flow = startFlow([codes])
  await flow.time.settle()
  let tick = (_: number): void => undefined
  const now = readable(flow.time.now, (set) => {
    tick = set
  })
  const store: Readable<DeviceSnapshot> = { subscribe: (run) => watch(flow.actor, run) }
  const secondsLeft = derived([store, now], ([snapshot, now]) => viewOf(snapshot, now).secondsLeft)
  const seen: unknown[] = []
  const unsubscribe = secondsLeft.subscribe((value) => seen.push(value))
  tick(flow.time.now + 1000)
  tick(flow.time.now + 2000)
  unsubscribe()
  expect(seen).toEqual([900, 899, 898])
})
