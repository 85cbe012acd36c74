import { AnswerTooLargeError, AuthgraphError, RedirectedError, UnreachableError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { type Answer, readBody, readDate, readRetryAfter } from '../protocol/answer.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import type { Profile } from '../protocol/profiles.ts'
import { discard, readText } from '../protocol/read-text.ts'

/** Bytes of the largest answer that is read. */
const LARGEST_ANSWER = 64 * 1024

type Fetch = typeof globalThis.fetch

const CONTENT_TYPES = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} satisfies Record<Profile['encoding'], string>

/** Through what a request goes, and what ends it early. */
export interface Via {
  readonly fetch: Fetch
  readonly clock: { now(): number }
  readonly signal: AbortSignal
}

/**
 * Posts the fields of one request and reads the answer, whatever its status.
 *
 * @throws WrongHostError before anything is sent; UnreachableError, RedirectedError, AnswerTooLargeError.
 * @see Spec 4
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export function post(
  address: string,
  fields: Readonly<Record<string, string>>,
  via: Via & { readonly profile: Profile },
): Promise<Answer> {
  const { encoding } = via.profile
  const headers = { accept: 'application/json', 'content-type': CONTENT_TYPES[encoding] }
  return exchange(address, { method: 'POST', headers, body: encode(fields, encoding) }, via)
}

/** Gets a document of JSON and reads the answer, whatever its status. Throws what `post` throws. */
export function get(address: string, via: Via): Promise<Answer> {
  return exchange(address, { headers: { accept: 'application/json' } }, via)
}

async function exchange(
  address: string,
  request: RequestInit,
  { fetch, clock, signal }: Via,
): Promise<Answer> {
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
    }
  } catch (error) {
    throw error instanceof AuthgraphError ? error : UnreachableError.of(host, error)
  }
}

function encode(fields: Readonly<Record<string, string>>, encoding: Profile['encoding']): string {
  // As a string: from `URLSearchParams`, `fetch` makes a header with a charset, which some servers refuse.
  return encoding === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
}

async function textOf(response: Response): Promise<string> {
  const { body, headers } = response
  if (body === null) return ''
  const text = isSmall(headers) ? await response.text() : await readText(body, LARGEST_ANSWER)
  if (text === undefined) throw new AnswerTooLargeError(LARGEST_ANSWER)
  return text
}

/** A length that is said holds for what comes, unless it comes compressed. Reading it whole takes half the time. */
function isSmall(headers: Headers): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= LARGEST_ANSWER && !headers.has('content-encoding')
}
