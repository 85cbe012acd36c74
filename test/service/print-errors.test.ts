import { expect, onTestFinished, test, vi } from 'vitest'
import { printErrors } from '../../src/service/host/print-errors.ts'
import { createService } from '../../src/service/index.ts'

/** What is printed with `console.error`. */
function printed() {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => print.mockRestore())
  return print.mock.calls
}

test('a service without "onError" prints why a page fails', async () => {
  const calls = printed()
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    identify: () => {
      throw new RangeError('no sessions')
    },
  })
  expect((await service.fetch(new Request('http://localhost/login/device'))).status).toBe(503)
  expect(calls).toEqual([['authgraph: internal error of the service:', new RangeError('no sessions')]])
})

test('each kind of error is printed once a minute, also if the clock is set back', () => {
  const calls = printed()
  const clock = { time: 1_000_000, now: () => clock.time }
  const print = printErrors(clock)
  const down = Object.assign(new Error('down'), { code: 'ECONNREFUSED' })
  const at = (time: number, ...errors: unknown[]) => {
    clock.time = time
    for (const error of errors) print(error)
    return calls.splice(0).map(([, error]) => error)
  }
  expect(at(1_000_000, down, down, new TypeError('a'), undefined, null, 'text')).toEqual([
    down,
    new TypeError('a'),
    undefined,
    null,
    'text',
  ])
  expect(at(1_059_999, down, new TypeError('b'))).toEqual([])
  expect(at(1_060_000, down)).toEqual([down])
  expect(at(10, down, down)).toEqual([down])
  // Any number of kinds takes little memory: the oldest ones are forgotten.
  for (let kind = 0; kind < 100; kind += 1) print({ name: `kind ${kind}` })
  calls.splice(0)
  expect(at(10, down)).toEqual([down])
})
