import { type IncomingMessage, request as overHttp } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { readText } from '../../request/http.ts'

/**
 * A `fetch` over `node:http` with the features that an authorization needs. The `fetch` of the runtime takes 40 ms to
 * load, a fifth of the time from the start of the command to the code. Redirects are not followed. Each request opens a
 * new connection: the server could close a kept one just as the next poll is sent. The user agent is that of the
 * runtime, because some services refuse requests without one.
 */
export const httpFetch = (async (address: string, { method, headers, body, signal }: RequestInit = {}) => {
  const send = address.startsWith('https:') ? (await import('node:https')).request : overHttp
  return new Promise<Response>((resolve, reject) => {
    const given = { ...(method && { method }), ...(signal && { signal }) }
    const named = { 'user-agent': 'node', ...(headers as Record<string, string>) }
    send(address, { ...given, headers: named, agent: false }, (message) => resolve(responseOf(message)))
      .on('error', reject)
      // An upgrade to another protocol emits neither a response nor an error.
      .on('close', () => reject(new Error('closed without a response')))
      .end(body)
  })
}) as typeof globalThis.fetch

/** A plain object: the Response class of the runtime would load the rest of its `fetch`. */
async function responseOf(message: IncomingMessage): Promise<Response> {
  const { statusCode: status, headers } = message
  const stream = await decode(message)
  const cancel = async () => void stream.destroy()
  const reader = () => {
    const chunks = stream[Symbol.asyncIterator]()
    return { cancel, read: () => chunks.next() }
  }
  const body = { cancel, getReader: reader } as unknown as ReadableStream<Uint8Array>
  const response = {
    type: 'default',
    redirected: false,
    status,
    headers: {
      has: (name: string) => headers[name] !== undefined,
      get: (name: string) => headers[name]?.toString() ?? null,
    },
    body,
    text: () => readText(body, Number.POSITIVE_INFINITY),
  }
  return response as unknown as Response
}

/** Some servers compress responses although the request does not accept it. */
async function decode(message: IncomingMessage): Promise<Readable> {
  const encoding = (message.headers['content-encoding'] ?? '').toLowerCase()
  if (!/^(?:(?:x-)?gzip|deflate|br)$/.test(encoding)) return message
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib')
  // These flush modes tolerate a truncated or empty body.
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = constants
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH })
      : createUnzip({ finishFlush: Z_SYNC_FLUSH })
  return pipeline(message, decoder, () => undefined)
}
