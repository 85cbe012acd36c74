import { expect, test } from 'vitest'
import { createWire } from '../../src/check/wire.ts'
import { shownRequest, shownResponse } from '../../src/recording/messages.ts'
import { systemClock } from '../../src/request/clock.ts'

test.each([
  'client_id',
  'client_secret',
  'client_assertion',
  'code_verifier',
  'device_code',
  'access_token',
  'refresh_token',
  'id_token',
])('a short %s is shown neither in a recording nor in the report of a check', async (name) => {
  const body = new URLSearchParams({ [name]: 'abc' })
  const request = new Request('https://example.com/', { method: 'POST', body })
  const respond = async () => Response.json({ [name]: 'abc' })
  const shown = { fields: [[name, '‹secret›']] }
  expect(await shownRequest(request, new Set())).toMatchObject(shown)
  expect(await shownResponse(await respond(), new Set())).toMatchObject(shown)
  const wire = createWire({ fetch: respond, clock: systemClock, signal: undefined })
  const response = await wire.send({ method: 'GET', url: request.url })
  expect(wire.show(response).response).toContain(`{"${name}":"[${name}]"}`)
})
