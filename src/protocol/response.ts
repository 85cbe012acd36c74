import type { Secret } from '../secret.ts'
import { LONGEST_LIFETIME } from './endpoints.ts'

/** One answer of the service, read but not yet understood. */
export interface ReceivedResponse {
  readonly status: number
  /** The JSON value, or the fields of a form; `undefined` where the body is neither. */
  readonly body: unknown
  /** When it had arrived, epoch milliseconds. */
  readonly at: number
  /** Seconds after which the service asks to be called again. */
  readonly retryAfter?: number | undefined
  /** The service's own time of the answer, epoch milliseconds. */
  readonly date?: number | undefined
  /** The secrets of the request, which a server may repeat. */
  readonly sent?: readonly Secret[] | undefined
}

/** A date as HTTP writes it today, and as it did once. RFC 9110, section 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, [\d\w -]+ \d\d:\d\d:\d\d GMT$/

/** A form: names and values, without a character that stands in HTML, in JSON or in prose. */
const FORM = /^[^\s<>{}"=]+=[^\s<>{}"]*$/

/** Reads a body by what it is, not by what its header says: JSON is sent as text, and some answer with a form. */
export function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const form = text.trim()
    return FORM.test(form) ? Object.fromEntries(new URLSearchParams(form)) : undefined
  }
}

/** Finds the member `error` of a refusal. Spec 7; RFC 6749, section 5.2. */
export function errorCodeOf(body: unknown): string | undefined {
  const code = memberOf(body, 'error')
  return typeof code === 'string' && code !== '' ? code : undefined
}

/** Reads one member of what should be an object. `null` is an absent one: some servers write every field. */
export function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined
  return (body as Record<string, unknown>)[name] ?? undefined
}

/** Tells whether a member has a value. Some write every field, those without a value empty, beside an error. */
export function brings(body: unknown, name: string): boolean {
  const value = memberOf(body, name)
  return value !== undefined && (value !== '' || errorCodeOf(body) === undefined)
}

/**
 * Reads a `Retry-After` header, seconds or a date, into seconds from `at`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3 RFC 9110, section 10.2.3}
 */
export function readRetryAfter(headers: Headers, at: number): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST_LIFETIME)
  const until = readDate(text)
  if (until === undefined) return undefined
  // Measured by the clock of the service, where it tells its time: that of a device may be hours off.
  const now = readDate(headers.get('date')) ?? at
  return Math.min(Math.max(0, (until - now) / 1000), LONGEST_LIFETIME)
}

/** Reads a date of HTTP into epoch milliseconds, and nothing else: `Date.parse` makes a day in May of "-5". */
export function readDate(text: string | null): number | undefined {
  const date = HTTP_DATE.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN
  return Number.isNaN(date) ? undefined : date
}
