import { BadOptionError } from '../../errors.ts'

/**
 * A fault of one request.
 *
 * - `drop`: the connection breaks before the service receives the request.
 * - `lose`: the service handles the request, and the connection breaks before its response arrives.
 * - `hang`: no response ever arrives.
 * - `html`: a page with status 200, such as the sign-in page of a hotel network.
 * - `malformed`: JSON that is cut off.
 * - `status`: this HTTP status, such as 503 or 429; `retryAfter` adds a `Retry-After` header in seconds.
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
  | { readonly slow: number }
  | { readonly clockSkew: number }

const NAMES = ['drop', 'lose', 'hang', 'html', 'malformed']

/** The request that a fault is applied to. */
export interface FaultyExchange {
  /** Passes the request to the service. */
  respond(): Promise<Response>
  /** Lets time pass, in seconds. */
  wait(seconds: number): Promise<void>
  /** The service's time in epoch milliseconds. */
  now(): number
}

/**
 * Refuses an unknown fault: otherwise it would look like another one.
 *
 * @throws {@link BadOptionError}
 */
export function assertFault(fault: Fault): void {
  if (!isFault(fault))
    throw new BadOptionError(
      `unknown fault: use ${NAMES.map((name) => `'${name}'`).join(', ')}, { status } from 200 to 599, { slow } or { clockSkew }`,
    )
}

function isFault(fault: unknown): boolean {
  if (typeof fault === 'string') return NAMES.includes(fault)
  const { status, slow, clockSkew, retryAfter = 0 } = Object(fault)
  const [value, ...others] = [status, slow, clockSkew].filter((given) => given !== undefined)
  if (others.length > 0 || !Number.isFinite(value) || !Number.isFinite(retryAfter)) return false
  if (status !== undefined) return Number.isInteger(status) && status >= 200 && status <= 599
  return slow === undefined || slow >= 0
}

/** Responds to one request with a fault. */
export async function play(fault: Fault, { respond, wait, now }: FaultyExchange): Promise<Response> {
  if (fault === 'drop') throw connectionReset()
  if (fault === 'hang') return new Promise(() => undefined)
  if (fault === 'html') return page()
  if (fault === 'malformed') return truncatedJson()
  if (typeof fault === 'object' && 'status' in fault) return failure(fault)
  const response = await respond()
  if (fault === 'lose') throw connectionReset()
  if ('slow' in fault) await wait(fault.slow)
  else response.headers.set('date', new Date(now() + fault.clockSkew * 1000).toUTCString())
  return response
}

/** The name of a fault in the log. */
export function nameOfFault(fault: Fault): string {
  if (typeof fault === 'string') return fault
  if ('status' in fault) return 'status'
  return 'slow' in fault ? 'slow' : 'clockSkew'
}

/** What Node's `fetch` throws when a connection breaks. */
export function connectionReset(): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

function page(): Response {
  return new Response('<!doctype html><title>Welcome to the network</title><p>Sign in to continue.</p>', {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
}

function truncatedJson(): Response {
  return new Response('{"error":"authorization_pen', { headers: { 'content-type': 'application/json' } })
}

function failure({ status, retryAfter }: Extract<Fault, { status: number }>): Response {
  // No body, because some statuses do not allow one.
  return new Response(null, {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  })
}
