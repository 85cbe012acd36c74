import { expect, test } from 'vitest'
import type { RequestLogEntry } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'

test('onResponse is called for each response, without contents of the request', async () => {
  const received: RequestLogEntry[] = []
  const begin = performance.now()
  const { askForCodes, send } = startService({ onResponse: (entry) => received.push(entry) })
  const { headers } = await askForCodes()
  await send('/in-the-path?in=the-query')
  await send('/user', { headers: { authorization: 'Bearer in-a-header' } })
  const any = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), milliseconds: expect.any(Number) }
  expect(received).toEqual([
    { ...any, method: 'POST', path: '/login/device/code', status: 200 },
    { ...any, method: 'GET', path: undefined, status: 404 },
    { ...any, method: 'GET', path: '/user', status: 401 },
  ])
  const passed = performance.now() - begin
  for (const { milliseconds } of received) expect(milliseconds).toBeLessThanOrEqual(passed)
  expect(headers.get('x-request-id')).toBe(received[0]?.id)
  expect(new Set(received.map(({ id }) => id)).size).toBe(3)
  expect((await startService().askForCodes()).headers.has('x-request-id')).toBe(false)
})
