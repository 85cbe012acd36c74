/** One answer of the service, read but not yet understood. */
export interface Answer {
  readonly status: number
  /** The JSON value, or the fields of a form; `undefined` where the body is neither. */
  readonly body: unknown
  /** When it had arrived, epoch milliseconds. */
  readonly at: number
  /** Seconds after which the service asks to be called again. */
  readonly retryAfter?: number | undefined
  /** The service's own time of the answer, epoch milliseconds. */
  readonly date?: number | undefined
}

/** A form: names and values, without a character that stands in HTML, in JSON or in prose. */
const FORM = /^[^\s<>{}"=]+=[^\s<>{}"]*$/

/** Reads a body by what it is, not by what its header says: JSON is sent as text, and some answer with a form. */
export function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return FORM.test(text.trim()) ? Object.fromEntries(new URLSearchParams(text.trim())) : undefined
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

/** Reads a `Date` header into epoch milliseconds. RFC 9110, section 6.6.1. */
export function readDate(header: string | null): number | undefined {
  const date = Date.parse(header ?? '')
  return Number.isNaN(date) ? undefined : date
}

/**
 * Reads a `Retry-After` header, seconds or a date, into seconds from `at`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3 RFC 9110, section 10.2.3}
 */
export function readRetryAfter(header: string | null, at: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  // `Date.parse` makes a date of "-5", too.
  const date = /^[A-Za-z]/.test(header) ? readDate(header) : undefined
  return date === undefined ? undefined : Math.max(0, (date - at) / 1000)
}
