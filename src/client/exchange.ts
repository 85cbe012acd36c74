import { RedirectedError, ResponseTooLargeError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import type { Provider } from '../protocol/provider.ts'
import { discard, readText } from '../protocol/read-text.ts'
import { requestFailure } from '../protocol/request-failure.ts'
import { type ReceivedResponse, readBody, readDate, readRetryAfter } from '../protocol/response.ts'
import type { Secret } from '../secret.ts'

/** Bytes of the largest answer that is read. */
const LARGEST_RESPONSE = 64 * 1024

const CONTENT_TYPES = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} satisfies Record<Provider['encoding'], string>

/** Through what a request goes, and what tells the time of its answer. */
export interface Transport {
  readonly fetch: typeof globalThis.fetch
  readonly clock: { now(): number }
}

/** The fields of a request. Secrets are revealed as they are written to the wire. */
type Fields = Readonly<Record<string, string | Secret>>

/** Providers that refused a form and took JSON. */
const takeJson = new WeakSet<Provider>()

/** By whom a request is sent, to which kind of service. */
export interface Sender extends Transport {
  readonly clientId: Secret
  readonly clientSecret?: Secret | undefined
  readonly provider: Provider
}

/**
 * Posts the fields of one request, after those that say by whom it is sent, and reads the answer, whatever its status.
 *
 * A server that takes no form says 415: it is sent the same fields once more as JSON, and from then on JSON alone.
 *
 * @param signal Ends the request early.
 * @throws {@link WrongHostError} before anything is sent; {@link UnreachableError}, {@link RedirectedError}, {@link ResponseTooLargeError}.
 * @see Spec 4
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export async function post(
  address: string,
  fields: Fields,
  sender: Sender,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { provider } = sender
  const all = { ...clientFields(sender), ...fields }
  const sent = Object.values(all).filter((value) => typeof value !== 'string')
  const send = (encoding: Provider['encoding']): Promise<ReceivedResponse> => {
    const headers = { accept: 'application/json', 'content-type': CONTENT_TYPES[encoding] }
    const request = { method: 'POST', headers, body: encode(all, encoding) }
    return exchange(address, request, { ...sender, sent }, signal)
  }
  const encoding = takeJson.has(provider) ? 'json' : provider.encoding
  const response = await send(encoding)
  if (response.status !== 415 || encoding === 'json') return response
  const second = await send('json')
  if (second.status !== 415) takeJson.add(provider)
  return second
}

/** Spec 5.7; RFC 6749, section 2.3.1, for the secret. */
function clientFields({ clientId, clientSecret }: Sender): Fields {
  return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
}

/** Gets a document of JSON and reads the answer, whatever its status. Throws what `post` throws. */
export function get(address: string, via: Transport, signal: AbortSignal): Promise<ReceivedResponse> {
  return exchange(address, { headers: { accept: 'application/json' } }, via, signal)
}

async function exchange(
  address: string,
  request: RequestInit,
  { fetch, clock, sent = [] }: Transport & { readonly sent?: readonly Secret[] },
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { host } = secureAddress(address)
  // A flow that is cancelled in the turn in which it was started sends nothing.
  await undefined
  signal.throwIfAborted()
  try {
    const response = await fetch(address, { ...request, redirect: 'manual', signal })
    if (isRedirect(response)) {
      discard(response.body)
      throw new RedirectedError(host)
    }
    const text = await textOf(response)
    const at = clock.now()
    return {
      status: response.status,
      body: readBody(text),
      at,
      date: readDate(response.headers.get('date')),
      retryAfter: readRetryAfter(response.headers, at),
      sent,
    }
  } catch (error) {
    throw requestFailure(host, error, sent)
  }
}

function encode(fields: Fields, encoding: Provider['encoding']): string {
  const plain = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : value.reveal()]),
  )
  // As a string: from `URLSearchParams`, `fetch` makes a header with a charset, which some servers refuse.
  return encoding === 'json' ? JSON.stringify(plain) : new URLSearchParams(plain).toString()
}

async function textOf(response: Response): Promise<string> {
  const { body, headers } = response
  if (body === null) return ''
  const text = isSmall(headers) ? await response.text() : await readText(body, LARGEST_RESPONSE)
  if (text === undefined) throw new ResponseTooLargeError(LARGEST_RESPONSE)
  return text
}

/** A length that is said holds for what comes, unless it comes compressed. Reading it whole takes half the time. */
function isSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= LARGEST_RESPONSE && !headers.has('content-encoding')
}
