import { RedirectedError, ResponseTooLargeError } from '../errors.ts'
import { LONGEST_LIFETIME } from '../protocol/endpoints.ts'
import { secureAddress } from '../protocol/syntax.ts'
import type { Secret } from '../secret.ts'
import { isSecretHost, type NamedRequest, namePath, nameRequest, requestFailure } from './name-request.ts'
import type { ReceivedResponse } from './received-response.ts'

/** Largest response to read, in bytes. */
const LARGEST_RESPONSE = 64 * 1024

/** A date in HTTP, in the current and the obsolete format. RFC 9110, section 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, [\d\w -]+ \d\d:\d\d:\d\d GMT$/

/** A form: names and values, without characters that occur in HTML, JSON or prose. */
const FORM = /^[^\s<>{}"=]+=[^\s<>{}"]*$/

export interface Transport {
  readonly fetch: typeof globalThis.fetch
  readonly clock: { now(): number }
}

interface Peer {
  readonly remoteAddress?: string | undefined
}

/** Says why the headers of a request must not be written to a connection, if they must not. */
type Guard = (connection: Peer) => string | undefined

let context:
  | { run<Result>(guard: Guard, send: () => Result): Result; getStore(): Guard | undefined }
  | undefined

/** Looks up the global on every call, so that one installed later is used. */
export const systemFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

/**
 * Sends a request and reads the response, whatever its status. Redirects are not followed.
 *
 * @param sent The secrets of the request: no error contains them.
 * @param signal Cancels the request.
 * @throws {@link WrongHostError} before anything is sent; {@link UnreachableError}, {@link RedirectedError}, {@link
 * ResponseTooLargeError}.
 */
export async function send(
  address: string,
  request: RequestInit,
  { fetch, clock, sent = [] }: Transport & { readonly sent?: readonly Secret[] },
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  secureAddress(address)
  const named = { method: request.method ?? 'GET', address }
  // A flow that is cancelled right after it was started must not send anything.
  await undefined
  signal.throwIfAborted()
  try {
    const response = await fetch(address, { ...request, redirect: 'manual', signal })
    if (isRedirect(response)) {
      discard(response.body)
      throw redirectFailure(named, response.headers, sent)
    }
    const text = await textOf(response)
    if (text === undefined) throw new ResponseTooLargeError(LARGEST_RESPONSE, nameRequest(named, sent))
    const at = clock.now()
    return {
      status: response.status,
      body: readBody(text),
      at,
      date: readDate(response.headers.get('date')),
      retryAfter: readRetryAfter(response.headers, at),
      nonce: response.headers.get('dpop-nonce') ?? undefined,
      request: named,
      sent,
    }
  } catch (error) {
    throw requestFailure(named, error, sent)
  }
}

/** Fetches a JSON document and reads the response, whatever its status. Throws what `send` throws. */
export function get(address: string, via: Transport, signal: AbortSignal): Promise<ReceivedResponse> {
  return send(address, { headers: { accept: 'application/json' } }, via, signal)
}

function textOf(response: Response): Promise<string | undefined> {
  const { body, headers } = response
  return isSmall(headers) ? response.text() : readText(body, LARGEST_RESPONSE)
}

/**
 * Whether the whole body can be read at once, which takes half the time. `Content-Length` is reliable unless the body
 * is compressed.
 */
function isSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= LARGEST_RESPONSE && !headers.has('content-encoding')
}

/**
 * Sends requests whose headers are not written if a guard forbids it then: it is too late, or the host is at a private
 * address. Between a call of `fetch` and its headers, a process can be stopped for any time: while it looks up the host, or
 * while it connects. Only Node's `fetch` and the package `undici` can be guarded; with any other, the requests are just sent.
 */
export function guardHeaders<Result>(guard: Guard, send: () => Result): Result {
  context ??= listen()
  const outer = context?.getStore()
  const both: Guard = outer ? (connection) => outer(connection) ?? guard(connection) : guard
  return context ? context.run(both, send) : send()
}

function listen(): typeof context {
  // Node announces each request, and each time just before it writes the headers of one to its socket.
  const channels = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
  if (channels === undefined || hooks === undefined) return undefined
  const calls = new hooks.AsyncLocalStorage<Guard>()
  const requests = new WeakMap<object, Guard>()
  channels.subscribe('undici:request:create', (message) => {
    const { request } = message as { readonly request: object }
    const guard = calls.getStore()
    if (guard) requests.set(request, guard)
  })
  channels.subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as {
      readonly request: object
      readonly socket: Peer & { destroy(error: Error): void }
    }
    const why = requests.get(request)?.(socket)
    if (why !== undefined) socket.destroy(new Error(why))
  })
  return calls
}

/**
 * Parses a body by its content, not by its content type: some services send JSON as text, others respond with a form.
 */
export function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const form = text.trim()
    return FORM.test(form) ? Object.fromEntries(new URLSearchParams(form)) : undefined
  }
}

/**
 * Returns the OAuth error code of a body, if it has one. RFC 6749, section 5.2. Google calls it `error_code` when it
 * limits requests, and Okta `errorCode` outside of OAuth.
 */
export function errorCodeOf(body: unknown): string | undefined {
  return (
    textMemberOf(body, 'error') ||
    textMemberOf(body, 'error_code') ||
    textMemberOf(body, 'errorCode') ||
    undefined
  )
}

/** Returns a member of what should be an object. `null` counts as absent: some servers write every field. */
export function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined
  return (body as Record<string, unknown>)[name] ?? undefined
}

/** Returns a member if it is text. Nothing else is converted: `String` throws if `toString` is not a function. */
export function textMemberOf(body: unknown, name: string): string | undefined {
  const value = memberOf(body, name)
  return typeof value === 'string' ? value : undefined
}

/**
 * Whether a member has a value. Some servers write every field, and leave those without a value empty next to an error.
 */
export function hasMember(body: unknown, name: string): boolean {
  const value = memberOf(body, name)
  return value !== undefined && (value !== '' || errorCodeOf(body) === undefined)
}

/** Parses a `Retry-After` header, in seconds or as a date, into seconds from `at`. RFC 9110, section 10.2.3. */
export function readRetryAfter(headers: Headers, at: number): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST_LIFETIME)
  const until = readDate(text)
  if (until === undefined) return undefined
  // Measured by the service's clock if it sends a date: the clock of a device may be hours off.
  const now = readDate(headers.get('date')) ?? at
  return Math.min(Math.max(0, (until - now) / 1000), LONGEST_LIFETIME)
}

/** Parses an HTTP date into epoch milliseconds, strictly: `Date.parse` reads "-5" as a day in May. */
export function readDate(text: string | null): number | undefined {
  const date = HTTP_DATE.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN
  return Number.isNaN(date) ? undefined : date
}

/**
 * Whether a response is a redirect. Browsers show one that was not followed as an opaque response; 304 is not a
 * redirect.
 */
export function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || redirected || (status >= 300 && status < 400 && status !== 304)
}

/**
 * Creates the error for a redirect. Of its URL, the error contains only the host or, at the same host, the path: services add
 * secrets to the query.
 */
export function redirectFailure(
  named: NamedRequest,
  headers: Headers,
  sent: readonly Secret[] = [],
): RedirectedError {
  const location = headers.get('location') ?? ''
  const request = nameRequest(named, sent)
  if (!URL.canParse(location, named.address)) return new RedirectedError(request)
  const { host, pathname } = new URL(location, named.address)
  const own = new URL(named.address)
  if (host === own.host)
    return new RedirectedError(request, pathname === own.pathname ? {} : { path: namePath(pathname, sent) })
  return new RedirectedError(request, host === '' || isSecretHost(host, sent) ? {} : { host })
}

/**
 * Reads a body as text; without a body, returns an empty one. Returns `undefined` if it is larger than the limit; the
 * rest is then not read.
 *
 * @param limit Bytes.
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<string | undefined> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  // Not `for await`: most versions of Safari cannot iterate over streams.
  const reader = body.getReader()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > limit) {
      discard(reader)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Cancels a body that is not read further, without waiting: a stream may take any time to end. */
export function discard(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined)
}
