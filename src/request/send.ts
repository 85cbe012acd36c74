import { RedirectedError, ResponseTooLargeError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import type { Secret } from '../secret.ts'
import { nameRequest } from './name-request.ts'
import { requestFailure } from './request-failure.ts'
import {
  discard,
  isRedirect,
  type ReceivedResponse,
  readBody,
  readDate,
  readRetryAfter,
  readText,
} from './response.ts'

/** Largest response to read, in bytes. */
const LARGEST_RESPONSE = 64 * 1024

export interface Transport {
  readonly fetch: typeof globalThis.fetch
  readonly clock: { now(): number }
}

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
      throw new RedirectedError(nameRequest(named, sent))
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
