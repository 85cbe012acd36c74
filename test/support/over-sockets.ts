import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { CLIENT_ID, GRANT_TYPE, startService } from './start-service.ts'

/** A response over a socket. */
interface ReceivedEvent {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests check the response field by field.
  readonly body: any
  /** The local port, which identifies the connection. */
  readonly connection: number | undefined
}

/** A request: fields become a form. */
interface Sent extends Pick<RequestOptions, 'headers' | 'agent'> {
  readonly method?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export const CODES = '/login/device/code'
export const TOKEN = '/login/oauth/access_token'

/** A service behind a real socket with its own clock, and requests to it. Every response is validated. */
export async function overSockets(options: Partial<ServiceOptions> = {}) {
  const service = startService(options)
  const { url, close } = await service.listen()
  onTestFinished(close)
  const port = Number(new URL(url).port)
  const shared = new Agent({ keepAlive: true })
  onTestFinished(() => shared.destroy())

  async function send(
    path: string,
    { fields, body, method, headers, agent = shared }: Sent = {},
  ): Promise<ReceivedEvent> {
    const bytes = fields === undefined ? body : String(new URLSearchParams(fields))
    const type = fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const how = method ?? (bytes === undefined ? 'GET' : 'POST')
    const received = await new Promise<ReceivedEvent>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path, method: how, headers: { ...type, ...headers }, agent },
        (response) => {
          const connection = response.socket.localPort
          void read(response).then((text) => resolve(receivedOf(response, text, connection)), reject)
        },
      )
      sent.once('error', reject)
      sent.end(bytes)
    })
    expectGoodForm(path, how, received)
    return received
  }

  const askForCodes = (fields: Record<string, string> = {}, more: Sent = {}) =>
    send(CODES, { fields: { client_id: CLIENT_ID, ...fields }, ...more })

  const poll = (device_code: string, fields: Record<string, string> = {}, more: Sent = {}) =>
    send(TOKEN, { fields: { client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE, ...fields }, ...more })

  return {
    url,
    send,
    askForCodes,
    poll,
    /** Advances the clock by seconds. */
    wait: service.wait,
    /** Requests the codes of a new authorization, and polls with them. */
    begin: async (fields?: Record<string, string>) => {
      const { body } = await askForCodes(fields)
      return {
        userCode: body.user_code as string,
        poll: (more?: Sent) => poll(body.device_code, {}, more),
      }
    },
    /** A raw HTTP/1.1 request to this host. */
    written: (start: string, headers: readonly string[] = [], body = '') =>
      [`${start} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, '', body].join('\r\n'),
    /** A connection for raw bytes. */
    open: () => rawConnection(port),
    /** Sends raw bytes and reads until the service ends the connection. */
    raw: (bytes: string | Uint8Array) => {
      const connection = rawConnection(port)
      connection.socket.write(bytes)
      return connection.ended
    },
  }
}

/** Checks what holds for every response. */
function expectGoodForm(path: string, method: string, { status, headers, text, body }: ReceivedEvent): void {
  expect(headers['cache-control']).toBe('no-store')
  if (method !== 'HEAD') expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
  expect(headers['transfer-encoding']).toBeUndefined()
  if (!headers['content-type']?.startsWith('application/json') || method === 'HEAD') return
  const isCodes = path === CODES
  if (isCodes && status === 200) {
    expect(body.interval).toSatisfy(Number.isInteger)
    expect(body.interval).toBeGreaterThanOrEqual(1)
  }
  if (isCodes && body.error !== undefined) expect(Math.floor(status / 100)).toBe(4)
  if (body.error === 'slow_down') expect(body.interval).toSatisfy(Number.isInteger)
  if (body.access_token !== undefined) {
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: expect.any(String),
      scope: expect.any(String),
    })
  }
}

function receivedOf(response: IncomingMessage, text: string, connection: number | undefined): ReceivedEvent {
  const isJson = response.headers['content-type']?.startsWith('application/json') && text !== ''
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
    connection,
  }
}

async function read(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}

function rawConnection(port: number): { readonly socket: Socket; readonly ended: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let said = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  // A reset connection has also ended.
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(said)))
  return { socket, ended }
}
