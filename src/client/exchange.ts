import { RedirectedError, ResponseTooLargeError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { tokenDeletionPath } from '../protocol/endpoints.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import type { Provider } from '../protocol/provider.ts'
import { discard, readText } from '../protocol/read-text.ts'
import { requestFailure } from '../protocol/request-failure.ts'
import { type ReceivedResponse, readBody, readDate, readRetryAfter } from '../protocol/response.ts'
import type { Secret } from '../secret.ts'

/** Largest response to read, in bytes. */
const LARGEST_RESPONSE = 64 * 1024

const CONTENT_TYPES = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} satisfies Record<Provider['encoding'], string>

/** Transport and clock of a request. */
export interface Transport {
  readonly fetch: typeof globalThis.fetch
  readonly clock: { now(): number }
}

/** The fields of a request. Secrets are revealed only when the body is written. */
type Fields = Readonly<Record<string, string | Secret>>

/** Providers that refused a form and accepted JSON. */
const takeJson = new WeakSet<Provider>()

/** The client that sends a request, and its provider. */
export interface Sender extends Transport {
  readonly clientId: Secret
  readonly clientSecret?: Secret | undefined
  readonly provider: Provider
}

/**
 * Posts the fields of a request together with the client's credentials, and reads the response, whatever its status.
 *
 * If a server refuses a form with status 415, the same fields are sent again as JSON, and from then on as JSON only.
 *
 * @param signal Cancels the request.
 * @throws {@link WrongHostError} before anything is sent; {@link UnreachableError}, {@link RedirectedError}, {@link
 * ResponseTooLargeError}.
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

/** RFC 6749, section 2.3.1, for the secret. */
function clientFields({ clientId, clientSecret }: Sender): Fields {
  return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
}

/**
 * Deletes a token as GitHub wants it. Throws what `post` throws.
 *
 * @param address The base URL of the API.
 */
export function deleteToken(
  address: string,
  token: Secret,
  sender: Sender & { readonly clientSecret: Secret },
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { clientId, clientSecret } = sender
  // RFC 6749, section 2.3.1: both are form-encoded first.
  const [id, secret] = [clientId, clientSecret].map((text) => encodeURIComponent(text.reveal()))
  const headers = {
    accept: 'application/json',
    'content-type': CONTENT_TYPES.json,
    authorization: `Basic ${btoa(`${id}:${secret}`)}`,
  }
  const request = { method: 'DELETE', headers, body: JSON.stringify({ access_token: token.reveal() }) }
  const sent = [clientId, clientSecret, token]
  return exchange(address + tokenDeletionPath(clientId.reveal()), request, { ...sender, sent }, signal)
}

/** Fetches a JSON document and reads the response, whatever its status. Throws what `post` throws. */
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
  // A flow that is cancelled right after it was started must not send anything.
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
  // As a string: with `URLSearchParams`, `fetch` adds a charset to the content type, which some servers refuse.
  return encoding === 'json' ? JSON.stringify(plain) : new URLSearchParams(plain).toString()
}

async function textOf(response: Response): Promise<string> {
  const { body, headers } = response
  if (body === null) return ''
  const text = isSmall(headers) ? await response.text() : await readText(body, LARGEST_RESPONSE)
  if (text === undefined) throw new ResponseTooLargeError(LARGEST_RESPONSE)
  return text
}

/**
 * Whether the whole body can be read at once, which takes half the time. `Content-Length` is reliable unless the body
 * is compressed.
 */
function isSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= LARGEST_RESPONSE && !headers.has('content-encoding')
}
