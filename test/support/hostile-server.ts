import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'
import type { AtEnd } from './start-issuer.ts'

/** How to handle one request: a plain object is sent as JSON with status 200, a function handles the request. */
export type Line = object | Play

export type Play = (exchange: Exchange) => void | Promise<void>

/** One line per request, with the last one repeated; or a function that returns the line of each request. */
export type Script = readonly Line[] | ((request: ReceivedRequest, index: number) => Line | Promise<Line>)

export interface ReceivedRequest {
  /** Time of arrival, epoch milliseconds. */
  readonly at: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The tools of a line. */
export interface Exchange {
  readonly response: ServerResponse
  readonly socket: Socket
  /** Records what is sent to the device, so that a test can search for leaks. */
  note(body: string): void
  /** Lets virtual time pass although the request has no response yet, until the returned function is called. */
  quiet(): () => void
}

interface SentResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent unchanged, everything else as JSON. */
  readonly body?: string | Buffer | object
}

interface Options {
  readonly now?: () => number
  readonly keepAlive?: boolean
  /** The `onTestFinished` of the test context, for concurrent tests. */
  readonly atEnd?: AtEnd
}

/** Header that tells the server which call of `fetch` this is. Removed before a request is recorded. */
const CALL = 'x-call-of-the-test'

const MEGABYTE = Buffer.alloc(2 ** 20, 'words-of-a-large-body ')

/** A server on loopback that plays a script over real sockets and keeps what it was sent. It ends with the test. */
export async function hostileServer(
  script: Script,
  { now = Date.now, keepAlive = true, atEnd = onTestFinished }: Options = {},
) {
  const sent: ReceivedRequest[] = []
  const bodies: string[] = []
  const used = new Set<Socket>()
  const calls = new Map<string, { hold: () => void; release: () => void }>()
  let open = 0
  let calling = 0
  let mostCalling = 0
  let connections = 0

  const server = createServer(async (message, response) => {
    const call = String(message.headers[CALL] ?? '')
    delete message.headers[CALL]
    open += 1
    response.once('close', () => {
      open -= 1
    })
    const { socket, url: path = '/', headers } = message
    used.add(socket)
    const request = { at: now(), path, headers, body: await textOf(message) }
    const index = sent.push(request) - 1
    response.sendDate = false
    if (!keepAlive) response.shouldKeepAlive = false
    const line =
      typeof script === 'function' ? await script(request, index) : script[Math.min(index, script.length - 1)]
    const play = typeof line === 'function' ? (line as Play) : respond({ body: line ?? {} })
    await play({
      response,
      socket,
      note: (body) => bodies.push(body),
      quiet: () => {
        calls.get(call)?.release()
        return () => calls.get(call)?.hold()
      },
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.once('close', () => used.delete(socket))
  })
  const { url, close } = await listenOnLoopback(server)
  atEnd(close)

  return {
    url,
    /** Requests in the order of their arrival. */
    sent,
    /** Everything that was sent to devices. */
    bodies,
    /** Open connections with a request: Node's `fetch` opens a spare connection after each one it aborts. */
    used,
    /** All connections so far. */
    connections: () => connections,
    /** Requests in progress. */
    open: () => open,
    /** The largest number of concurrent requests through `through`. */
    mostAtOnce: () => mostCalling,
    close,
    /** A `fetch` that stops virtual time during its requests, unless a line lets time pass. */
    through(time: VirtualTime): typeof globalThis.fetch {
      return async (input, init) => {
        const id = String(calls.size)
        let release: (() => void) | undefined
        const call = {
          over: false,
          hold: () => {
            if (!call.over) release ??= time.hold()
          },
          release: () => {
            release?.()
            release = undefined
          },
        }
        calling += 1
        mostCalling = Math.max(mostCalling, calling)
        const over = () => {
          if (!call.over) calling -= 1
          call.over = true
          call.release()
        }
        calls.set(id, call)
        call.hold()
        try {
          const headers = { ...Object.fromEntries(new Headers(init?.headers)), [CALL]: id }
          return watchBody(await globalThis.fetch(input, { ...init, headers }), over)
        } catch (error) {
          over()
          throw error
        }
      }
    },
  }
}

/** A normal response. */
export function respond({ status = 200, headers = {}, body = '' }: SentResponse): Play {
  return ({ response, note }) => {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    note(bytes.toString())
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': bytes.byteLength,
      ...headers,
    })
    response.end(bytes)
  }
}

/** Resets the connection before a response. */
export const reset: Play = ({ socket }) => {
  socket.resetAndDestroy()
}

/** Closes the connection gracefully without a response. */
export const hangUp: Play = ({ socket }) => {
  socket.end()
}

/** Never responds. */
export const silence: Play = ({ quiet }) => {
  quiet()
}

/** Sends the headers and a part of the body, then nothing. */
export const halfThenSilence: Play = async ({ response, quiet, note }) => {
  const half = '{"access_token":"half-of-a-token'
  note(half)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
  response.write(half)
  // After the device has had time to read it.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  quiet()
}

/** A response that ends before its announced length. */
export function cutShort(body: string): Play {
  return ({ socket, note }) => {
    note(body)
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`)
  }
}

/** Sends raw bytes, then ends the connection. */
export function raw(text: string): Play {
  return ({ socket, note }) => {
    note(text)
    socket.end(text)
  }
}

/** Sends a body of this many megabytes while the client reads it. `written` counts those that were sent. */
export function large(megabytes: number): Play & { written: number } {
  const play = async ({ response, note }: Exchange) => {
    note(MEGABYTE.subarray(0, 1000).toString())
    response.writeHead(200, { 'content-type': 'application/json' })
    for (play.written = 0; play.written < megabytes && !response.destroyed; play.written += 1) {
      if (response.write(MEGABYTE)) continue
      await new Promise<void>((resolve) => {
        response.once('drain', resolve)
        response.once('close', resolve)
      })
    }
    response.end()
  }
  play.written = 0
  return play
}

/** Delays a line by this many milliseconds of virtual time. */
export function later(time: VirtualTime, milliseconds: number, line: Line): Play {
  return async (exchange) => {
    const speak = exchange.quiet()
    await new Promise<void>((resolve) => time.clock().setTimeout(resolve, milliseconds))
    if (exchange.socket.destroyed) return
    speak()
    await (typeof line === 'function' ? (line as Play)(exchange) : respond({ body: line })(exchange))
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of message) text += chunk
  return text
}

/** The same response, which reports when its body was read, cancelled or broken. */
function watchBody(response: Response, over: () => void): Response {
  if (response.body === null) {
    over()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
          over()
        } catch (error) {
          over()
          throw error
        }
      },
      cancel(reason) {
        over()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return Object.defineProperties(response, {
    body: { value: body },
    text: { value: () => new Response(body).text() },
  })
}
