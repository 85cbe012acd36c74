import { AnswerTooLargeError, AuthgraphError, RedirectedError, UnreachableError } from '../errors.ts'
import { secureAddress } from '../protocol/address.ts'
import { type Answer, readBody, readDate, readRetryAfter } from '../protocol/answer.ts'
import { isRedirect } from '../protocol/is-redirect.ts'
import type { Profile } from '../protocol/profiles.ts'
import { discard, readText } from '../protocol/read-text.ts'
import type { Secret } from '../secret.ts'

/** Bytes of the largest answer that is read. */
const LARGEST_ANSWER = 64 * 1024

const CONTENT_TYPES = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} satisfies Record<Profile['encoding'], string>

/** Through what a request goes, and what tells the time of its answer. */
export interface Via {
  readonly fetch: typeof globalThis.fetch
  readonly clock: { now(): number }
}

/** By whom a request is sent, to which kind of service. */
export interface Sender extends Via {
  readonly clientId: Secret
  readonly clientSecret?: Secret | undefined
  readonly profile: Profile
}

/**
 * Posts the fields of one request, after those that say by whom it is sent, and reads the answer, whatever its status.
 *
 * @param signal Ends the request early.
 * @throws WrongHostError before anything is sent; UnreachableError, RedirectedError, AnswerTooLargeError.
 * @see Spec 4
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export function post(
  address: string,
  fields: Readonly<Record<string, string>>,
  sender: Sender,
  signal: AbortSignal,
): Promise<Answer> {
  const { encoding } = sender.profile
  const headers = { accept: 'application/json', 'content-type': CONTENT_TYPES[encoding] }
  const body = encode({ ...clientFields(sender), ...fields }, encoding)
  return exchange(address, { method: 'POST', headers, body }, sender, signal)
}

/** Spec 5.7; RFC 6749, section 2.3.1, for the secret. */
function clientFields({ clientId, clientSecret }: Sender): Record<string, string> {
  return { client_id: clientId.reveal(), ...(clientSecret && { client_secret: clientSecret.reveal() }) }
}

/** Gets a document of JSON and reads the answer, whatever its status. Throws what `post` throws. */
export function get(address: string, via: Via, signal: AbortSignal): Promise<Answer> {
  return exchange(address, { headers: { accept: 'application/json' } }, via, signal)
}

async function exchange(
  address: string,
  request: RequestInit,
  { fetch, clock }: Via,
  signal: AbortSignal,
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
