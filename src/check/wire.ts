import type { AuthgraphError } from '../errors.ts'
import { pause, within } from '../request/clock.ts'
import { errorCodeOf, readBody, readRetryAfter, readText, textMemberOf } from '../request/http.ts'
import { requestFailure, SECRET_FIELDS } from '../request/name-request.ts'
import type { Clock } from '../request/options.ts'
import { HIDDEN, type Secret } from '../secret.ts'

/** How many requests one check sends at most. */
export const MOST_REQUESTS = 100

/** How many of them repeat one that the service refused for its rate, and how many seconds one such wait may last. */
const MOST_REPEATS = 25
const LONGEST_WAIT = 60

/** Seconds after which a request times out. */
const REQUEST_TIMEOUT = 10

/** Bytes of the largest body that is read, as on a device. For a larger page, only the headers are checked. */
const LARGEST_RESPONSE = 64 * 1024

/** Characters of a body that a report shows. */
const LONGEST_SHOWN = 400

const SHOWN_HEADERS = [
  'content-type',
  'cache-control',
  'location',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-frame-options',
  'content-security-policy',
  'referrer-policy',
  'access-control-allow-origin',
]

/** Matches other spellings too, such as `accessToken`. */
const SECRET_NAMES = SECRET_FIELDS.map((name) => name.replace('_', '[_-]?')).join('|')

/** Members of JSON, even if it is cut off, and fields of a form. */
const IN_JSON = new RegExp(`("(${SECRET_NAMES})"\\s*:\\s*)("(?:[^"\\\\]|\\\\.)*"?|[^\\s,}\\]]+)`, 'gi')
const IN_FORM = new RegExp(`\\b(${SECRET_NAMES})=[^&\\s"'<>]*`, 'gi')

/** A long word, which is hidden if it contains a digit: it may be a token or a code in an unexpected place. */
const LONG_WORD = /[\w~+=-]{20,}/g

/** Fields in order, since one may be repeated. */
export type FieldList = readonly (readonly [name: string, value: string])[]

/** One request of the check. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: string
  readonly fields?: FieldList
  /** Default: `form`. */
  readonly encoding?: 'form' | 'json'
  /** An access token. */
  readonly token?: string
  /** A proof of DPoP. */
  readonly proof?: Secret
}

/** The response to a request. Without one, `status` is 0, and `failure` is the reason. */
export interface CheckedResponse {
  readonly request: WireRequest
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: unknown
  /** The error code. */
  readonly error: string | undefined
  readonly failure?: AuthgraphError
}

/** A request and its response in a report, with placeholders such as `[device_code]` instead of secrets. */
export interface ShownExchange {
  /** The request line, headers and body as text. */
  readonly request: string
  /** The status, headers and body as text. */
  readonly response: string
}

/** Replaces control characters, which could change a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Sends the requests of a check, and formats them without secrets. */
export function createWire({
  fetch,
  clock,
  signal,
}: {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}) {
  const secrets = new Map<string, string>()
  const responses: CheckedResponse[] = []
  let sent = 0
  let repeats = 0

  async function ask(request: WireRequest, signal: AbortSignal) {
    const { url, method, fields = [], encoding = 'form', token, proof } = request
    const { status, headers, body } = await fetch(url, {
      method,
      headers: {
        accept: method === 'POST' ? 'application/json' : 'application/json, text/html',
        ...(method === 'POST' && { 'content-type': CONTENT_TYPES[encoding] }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(proof && { dpop: proof.reveal() }),
      },
      ...(method === 'POST' && { body: encode(fields, encoding) }),
      redirect: 'manual',
      signal,
    })
    const text = (await readText(body, LARGEST_RESPONSE)) ?? `larger than ${LARGEST_RESPONSE} bytes`
    return { status, headers, text }
  }

  function hide(name: string, value: string): void {
    secrets.set(value, name)
  }

  function redact(text: string): string {
    let shown = printable(text).replaceAll(IN_JSON, '$1"[$2]"').replaceAll(IN_FORM, '$1=[$1]')
    // A short value could match inside ordinary words.
    for (const [value, name] of secrets) if (value.length >= 8) shown = shown.replaceAll(value, `[${name}]`)
    return shown.replaceAll(LONG_WORD, (word) => (/\d/.test(word) ? HIDDEN : word))
  }

  async function exchange(request: WireRequest): Promise<CheckedResponse> {
    try {
      const response = await within({ clock, signal, timeout: REQUEST_TIMEOUT }, (limit) =>
        ask(request, limit),
      )
      const body = readBody(response.text)
      for (const name of SECRET_FIELDS) {
        const value = textMemberOf(body, name)
        if (value) hide(name, value)
      }
      return { request, ...response, body, error: errorCodeOf(body) }
    } catch (error) {
      signal?.throwIfAborted()
      const failure = requestFailure({ method: request.method, address: request.url }, error)
      const none = { status: 0, headers: new Headers(), body: undefined, error: undefined }
      return { request, ...none, text: failure.message, failure }
    }
  }

  return {
    /** Every response so far. */
    responses: responses as readonly CheckedResponse[],

    get sent() {
      return sent
    },

    /** Redacts a value in everything that is shown. The secrets of responses are redacted anyway. */
    hide,

    /** Sends one request, again if it came too soon. Resolves with status 0 when there is no response. */
    async send(request: WireRequest): Promise<CheckedResponse> {
      for (;;) {
        signal?.throwIfAborted()
        if (sent === MOST_REQUESTS) throw new TypeError('the check would send more requests than it may')
        sent += 1
        const response = await exchange(request)
        const seconds = rateLimit(response, clock.now())
        if (seconds === undefined || repeats === MOST_REPEATS) {
          responses.push(response)
          return response
        }
        repeats += 1
        await pause(clock, seconds * 1000, signal)
      }
    },

    /** Formats a request and its response, without secrets. */
    show({ request, status, headers, text }: CheckedResponse): ShownExchange {
      const { method, url, fields, encoding = 'form', token, proof } = request
      const shownFields = (fields ?? []).map(
        ([name, value]) => [name, secrets.has(value) ? `[${secrets.get(value)}]` : value] as const,
      )
      const shownHeaders = SHOWN_HEADERS.filter((name) => headers.has(name)).map(
        (name) => `${name}: ${headers.get(name)?.replace(/\?.*/, '?…')}`,
      )
      const shown = redact(text).trim()
      return {
        request: [
          `${method} ${redact(url)}`,
          ...(token ? ['authorization: Bearer [access_token]'] : []),
          ...(proof ? ['dpop: [proof]'] : []),
          ...(fields ? [`content-type: ${CONTENT_TYPES[encoding]}`, '', encode(shownFields, encoding)] : []),
        ]
          .join('\n')
          .replaceAll('%5B', '[')
          .replaceAll('%5D', ']'),
        response:
          status === 0
            ? shown
            : [String(status), ...shownHeaders.map(redact), '', shown.slice(0, LONGEST_SHOWN)]
                .join('\n')
                .trim(),
      }
    },
  }
}

/** Seconds to wait if a request was refused only for its rate. A poll is not repeated: its pace is checked. */
function rateLimit(
  { status, headers, request: { fields = [] } }: CheckedResponse,
  at: number,
): number | undefined {
  const seconds = status === 429 ? readRetryAfter(headers, at) : undefined
  const isPoll = fields.some(([name]) => name === 'device_code')
  return seconds === undefined || seconds > LONGEST_WAIT || isPoll ? undefined : seconds
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' }

function encode(fields: FieldList, encoding: 'form' | 'json'): string {
  return encoding === 'json'
    ? JSON.stringify(Object.fromEntries(fields))
    : new URLSearchParams(fields.map((field) => [...field])).toString()
}
