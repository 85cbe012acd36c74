import { BadOptionError } from '../../errors.ts'
import { isTexts } from '../../protocol/fields.ts'

/**
 * A fault of one request.
 *
 * - `drop`: the connection breaks before the service receives the request.
 * - `lose`: the service handles the request, and the connection breaks before its response arrives.
 * - `hang`: no response ever arrives.
 * - `html`: a page with status 200, such as the sign-in page of a hotel network.
 * - `malformed`: JSON that is cut off.
 * - `status`: this HTTP status, such as 503 or 429; `retryAfter` adds a `Retry-After` header in seconds.
 * - `error`: this OAuth error, such as `slow_down` or `expired_token`, as the dialect sends errors at the token endpoint.
 *   `interval` adds the interval in seconds that a `slow_down` may contain.
 * - `body`: this text as the body, by default JSON with status 200.
 * - `slow`: the response takes this many seconds.
 * - `clockSkew`: the service's clock (its `Date` header) is this many seconds ahead; negative means behind.
 */
export type Fault =
  | 'drop'
  | 'lose'
  | 'hang'
  | 'html'
  | 'malformed'
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly error: string; readonly interval?: number }
  | { readonly body: string; readonly contentType?: string; readonly status?: number }
  | { readonly slow: number }
  | { readonly clockSkew: number }

const NAMES = ['drop', 'lose', 'hang', 'html', 'malformed']

const PAGE = '<!doctype html><title>Welcome to the network</title><p>Sign in to continue.</p>'

export interface FaultyExchange {
  /** Passes the request to the service. */
  respond(): Promise<Response>
  /** Lets time pass, in seconds. */
  wait(seconds: number): Promise<void>
  /** The service's time in epoch milliseconds. */
  now(): number
  /** The status of an OAuth error. */
  readonly errorStatus: number
}

/**
 * Refuses an unknown fault: otherwise it would look like another one.
 *
 * @throws {@link BadOptionError}
 */
export function assertFault(fault: Fault): void {
  if (!isFault(fault))
    throw new BadOptionError(
      `unknown fault: use ${NAMES.map((name) => `'${name}'`).join(', ')}, { status } from 200 to 599, { error }, { body }, { slow } or { clockSkew }`,
    )
}

function isFault(fault: unknown): boolean {
  if (typeof fault === 'string') return NAMES.includes(fault)
  const { status, slow, clockSkew, error, body } = Object(fault)
  const { contentType = '', retryAfter = 0, interval = 0 } = Object(fault)
  const kinds = [body ?? status, slow, clockSkew, error].filter((given) => given !== undefined)
  if (kinds.length !== 1 || ![retryAfter, interval].every(Number.isFinite)) return false
  if (body !== undefined)
    return (
      isTexts([body, contentType]) &&
      (status === undefined || (isStatus(status) && ![204, 205, 304].includes(status)))
    )
  if (error !== undefined) return typeof error === 'string' && error !== ''
  if (status !== undefined) return isStatus(status)
  return slow === undefined ? Number.isFinite(clockSkew) : Number.isFinite(slow) && slow >= 0
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 200 && value <= 599
}

/** Responds to one request with a fault. */
export async function play(
  fault: Fault,
  { respond, wait, now, errorStatus }: FaultyExchange,
): Promise<Response> {
  if (fault === 'drop') throw connectionReset()
  if (fault === 'hang') return new Promise(() => undefined)
  if (fault === 'html') return bodyOf(PAGE, 200, 'text/html; charset=utf-8')
  if (fault === 'malformed') return bodyOf('{"error":"authorization_pen')
  if (typeof fault === 'object' && 'error' in fault) return bodyOf(JSON.stringify(fault), errorStatus)
  if (typeof fault === 'object' && 'body' in fault) return bodyOf(fault.body, fault.status, fault.contentType)
  if (typeof fault === 'object' && 'status' in fault) {
    const { status, retryAfter } = fault
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    // No body, because some statuses do not allow one.
    return new Response(null, { status, headers })
  }
  const response = await respond()
  if (fault === 'lose') throw connectionReset()
  if ('slow' in fault) await wait(fault.slow)
  else response.headers.set('date', new Date(now() + fault.clockSkew * 1000).toUTCString())
  return response
}

/** The name of a fault in the log; of an OAuth error its code. */
export function nameOfFault(fault: Fault): string {
  if (typeof fault === 'string') return fault
  if ('error' in fault) return fault.error
  if ('body' in fault) return 'body'
  if ('status' in fault) return 'status'
  return 'slow' in fault ? 'slow' : 'clockSkew'
}

/** What Node's `fetch` throws when a connection breaks. */
export function connectionReset(): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

function bodyOf(body: string, status = 200, contentType = 'application/json'): Response {
  return new Response(body, { status, headers: { 'content-type': contentType } })
}
