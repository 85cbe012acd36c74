import { createServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { httpFetch } from '../../src/cli/network/http-fetch.ts'
import { hostileFlow } from '../support/hostile-flow.ts'
import {
  cutShort,
  halfThenSilence,
  hangUp,
  hostileServer,
  reset,
  respond,
  silence,
} from '../support/hostile-server.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { responses } from '../support/responses.ts'

test('a login through the fetch of the command survives a hostile service, and follows no redirect', async () => {
  vi.stubGlobal('fetch', httpFetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { codes, pending, token } = responses
  const packed = respond({ body: gzipSync(JSON.stringify(pending)), headers: { 'content-encoding': 'gzip' } })
  const bomb = respond({ body: gzipSync(Buffer.alloc(5e7)), headers: { 'content-encoding': 'gzip' } })
  const faults = [reset, hangUp, cutShort('{"access_token":"cut-short'), bomb, silence, halfThenSilence]
  const { result, errors } = await hostileFlow([codes, packed, ...faults, token])
  expect(await result()).toMatchObject({ status: 'authorized' })
  expect([...errors].map(({ code }) => code)).toEqual([
    ...Array(3).fill('unreachable'),
    'response_too_large',
    ...Array(2).fill('timed_out'),
  ])
  const elsewhere = await hostileServer([token])
  const redirect = respond({ status: 307, headers: { location: elsewhere.url } })
  const redirected = await hostileFlow([codes, redirect])
  expect(await redirected.result()).toMatchObject({ error: { code: 'redirected' } })
  expect(elsewhere.connections()).toBe(0)
})

/** Responds to every request with these bytes, then ends the connection or leaves it open. */
async function responding(bytes: string | Buffer, { leaveOpen = false } = {}) {
  const requests: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      requests.push(data.toString())
      if (leaveOpen) socket.write(bytes)
      else socket.end(bytes)
    })
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url: `${url}/`, requests }
}

describe('the fetch of the command', () => {
  test('sends the user agent of the runtime, and ignores informational responses', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nretry-after: 5\r\n\r\n'
    const { url, requests } = await responding(`${early}${head}ok`)
    const { headers, text } = await httpFetch(url)
    expect([await text(), headers.get('retry-after'), headers.get('date')]).toEqual(['ok', '5', null])
    expect([headers.has('retry-after'), headers.has('date')]).toEqual([true, false])
    expect(requests[0]).toMatch(/^user-agent: node\r$/im)
  })

  test('fails at once if the response switches protocols', async () => {
    const turn = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: odd\r\n\r\n'
    const { url } = await responding(turn, { leaveOpen: true })
    await expect(httpFetch(url)).rejects.toThrow('closed without a response')
  })

  test.each([
    ['gzip', gzipSync('{"a":1}')],
    ['x-gzip', gzipSync('{"a":1}')],
    ['deflate', deflateSync('{"a":1}')],
    ['br', brotliCompressSync('{"a":1}')],
  ])('reads a %s body that is complete, truncated or empty', async (packing, packed) => {
    const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${packing}\r\n\r\n`)
    for (const size of [packed.length, packed.length - 6, 0]) {
      const { url } = await responding(Buffer.concat([head, packed.subarray(0, size)]))
      expect(await (await httpFetch(url)).text()).toBe(await (await fetch(url)).text())
    }
  })

  test.each(['', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'])('aborts after %j', async (bytes) => {
    const { url, requests } = await responding(bytes, { leaveOpen: true })
    const controller = new AbortController()
    const body = httpFetch(url, { signal: controller.signal }).then((response) => response.text())
    await vi.waitFor(() => expect(requests).toHaveLength(1))
    controller.abort()
    await expect(body).rejects.toThrow()
  })
})
