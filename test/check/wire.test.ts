import { expect, test } from 'vitest'
import { createWire, type WireRequest } from '../../src/check/wire.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

const POST: WireRequest = { method: 'POST', url: 'http://localhost/', fields: [] }

/** A wire to a server, in virtual time. */
function wireTo(respond: (sent: number) => Response) {
  const time = new VirtualTime()
  const sent: { readonly at: number; readonly init: RequestInit | undefined }[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push({ at: time.now, init })
    return respond(sent.length)
  }
  return { time, sent, wire: createWire({ clock: time.clock(), signal: undefined, fetch }) }
}

test.each([
  ['is repeated after a minute', { 'retry-after': '60' }, [], [0, 60_000]],
  ['is not repeated after more than a minute', { 'retry-after': '61' }, [], [0]],
  ['is not repeated if the service names no time', {}, [], [0]],
  ['is not repeated if it is a poll', { 'retry-after': '7' }, [['device_code', 'code'] as const], [0]],
])('a request that is refused for its rate %s', async (_, headers, fields, times) => {
  const { time, sent, wire } = wireTo(
    (count) => new Response(null, { status: count === 1 ? 429 : 200, headers }),
  )
  const begin = time.now
  const response = wire.send({ ...POST, fields })
  await time.advance(60_000)
  expect((await response).status).toBe(times.length === 1 ? 429 : 200)
  expect(sent.map(({ at }) => at - begin)).toEqual(times)
})

test('at most 25 requests are repeated for their rate', async () => {
  const { time, sent, wire } = wireTo(
    () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
  )
  const response = wire.send(POST)
  await time.advance(30_000)
  expect((await response).status).toBe(429)
  expect(sent).toHaveLength(26)
})

test('a check sends at most a hundred requests, follows no redirect, and redacts secrets by name and by value', async () => {
  const { sent, wire } = wireTo(
    () => new Response('device_code=short&error=who+is+a-client-of-mine', { status: 400 }),
  )
  wire.hide('client_id', 'a-client-of-mine')
  const { response } = wire.show(await wire.send(POST))
  expect(response).toContain('device_code=[device_code]&error=who+is+[client_id]')
  while (sent.length < 100) await wire.send(POST)
  await expect(wire.send(POST)).rejects.toThrow('more requests than it may')
  expect(sent).toHaveLength(100)
  expect(sent.every(({ init }) => init?.redirect === 'manual')).toBe(true)
})

test('a request is shown with its encoding and its fields, and without its secrets', async () => {
  const { sent, wire } = wireTo(() => new Response('{}', { headers: { 'content-type': 'application/json' } }))
  wire.hide('client_id', 'id')
  const fields = [
    ['client_id', 'id'],
    ['scope', 'repo'],
  ] as const
  const shown = async (request: Partial<WireRequest>) => wire.show(await wire.send({ ...POST, ...request }))
  expect(await shown({ fields })).toEqual({
    request:
      'POST http://localhost/\ncontent-type: application/x-www-form-urlencoded\n\nclient_id=[client_id]&scope=repo',
    response: '200\ncontent-type: application/json\n\n{}',
  })
  expect((await shown({ fields, encoding: 'json' })).request).toContain('\n{"client_id":"[client_id]"')
  expect((await wire.show(await wire.send({ method: 'GET', url: POST.url, token: 'a' }))).request).toBe(
    'GET http://localhost/\nauthorization: Bearer [access_token]',
  )
  expect(sent.map(({ init }) => init?.headers)).toEqual([
    { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    { accept: 'application/json', 'content-type': 'application/json' },
    { accept: 'application/json, text/html', authorization: 'Bearer a' },
  ])
})

test.each([
  ['spaces around it', '\n one\n\ttwo \n', 'one\n\ttwo'],
  ['a control character', 'one\u001btwo', 'one\ufffdtwo'],
  ['a short secret within a word', 'the ids of eight77', 'the ids of eight77'],
  ['a secret of eight characters', 'the id is eight888', 'the id is [client_id]'],
  ['more than 400 characters', 'a '.repeat(300), 'a '.repeat(200).trim()],
])('a response with %s is shown fit to print', async (_, text, shown) => {
  const headers = { location: 'http://localhost/?code=secret' }
  const { wire } = wireTo(() => new Response(text, { status: 302, headers }))
  for (const secret of ['eight77', 'eight888']) wire.hide('client_id', secret)
  const { response } = wire.show(await wire.send(POST))
  const [, named] = response.split('\n')
  expect(named).toMatch(/^(location: http:\/\/localhost\/\?…|content-type: .*)$/)
  expect(response).toContain('location: http://localhost/?…\n')
  expect(response.slice(response.indexOf('\n\n') + 2)).toBe(shown)
})

test('a response of one long word without a digit is scanned only once', async () => {
  const { wire } = wireTo(() => new Response('a'.repeat(60_000), { status: 400 }))
  const response = await wire.send(POST)
  const before = process.cpuUsage()
  expect(wire.show(response).response).toContain('aaaa')
  // A scan from each of its letters would take seconds of work.
  expect(process.cpuUsage(before).user).toBeLessThan(500_000)
})

test('at most 64 KiB of a response are read', async () => {
  let pulled = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    pulled += 1
    controller.enqueue(new Uint8Array(16 * 1024).fill(97))
  }
  const { wire } = wireTo(() => new Response(new ReadableStream({ pull }), { status: 400 }))
  expect(wire.show(await wire.send(POST)).response).toContain('larger than 65536 bytes')
  expect(pulled).toBeLessThanOrEqual(6)
})
