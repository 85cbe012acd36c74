import { BadOptionError } from '../../errors.ts'

/**
 * What goes wrong with one request.
 *
 * - `drop`: the connection breaks before the service sees the request.
 * - `hang`: no answer ever comes.
 * - `html`: a page with status 200, as the sign-in of a hotel's network sends it.
 * - `malformed`: JSON that ends in its middle.
 * - `status`: that HTTP status, such as 503 or 429, with a `Retry-After` of so many seconds where it is given.
 * - `slow`: the answer is that many seconds on its way.
 * - `clockSkew`: the service's clock, as the header `Date` tells it, is that many seconds ahead; negative is behind.
 *
 * @group Sandbox
 */
export type Fault =
  | 'drop'
  | 'hang'
  | 'html'
  | 'malformed'
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly slow: number }
  | { readonly clockSkew: number }

/** What a fault is played on. */
export interface Exchange {
  /** Hands the request to the service. */
  respond(): Promise<Response>
  /** Lets time pass, in seconds. */
  wait(seconds: number): Promise<void>
  /** The service's time, epoch milliseconds. */
  now(): number
}

/**
 * Refuses what is no fault: played, it would look like another one.
 *
 * @throws {@link BadOptionError}
 */
export function assertFault(fault: Fault): void {
  if (!isFault(fault))
    throw new BadOptionError(
      "the fault is none: give 'drop', 'hang', 'html', 'malformed', { status } from 200 to 599, { slow } or { clockSkew }",
    )
}

function isFault(fault: unknown): boolean {
  if (typeof fault === 'string') return ['drop', 'hang', 'html', 'malformed'].includes(fault)
  const { status, slow, clockSkew, retryAfter = 0 } = Object(fault)
  const [value, ...others] = [status, slow, clockSkew].filter((given) => given !== undefined)
  if (others.length > 0 || !Number.isFinite(value) || !Number.isFinite(retryAfter)) return false
  if (status !== undefined) return Number.isInteger(status) && status >= 200 && status <= 599
  return slow === undefined || slow >= 0
}

/** Answers one request with a fault in it. */
export async function play(fault: Fault, { respond, wait, now }: Exchange): Promise<Response> {
  if (fault === 'drop') throw connectionReset()
  if (fault === 'hang') return new Promise(() => undefined)
  if (fault === 'html') return page()
  if (fault === 'malformed') return malformed()
  if ('status' in fault) return failure(fault)
  const response = await respond()
  if ('slow' in fault) await wait(fault.slow)
  else response.headers.set('date', new Date(now() + fault.clockSkew * 1000).toUTCString())
  return response
}

/** The word under which a fault stands in the log. */
export function nameOf(fault: Fault): string {
  if (typeof fault === 'string') return fault
  if ('status' in fault) return 'status'
  return 'slow' in fault ? 'slow' : 'clockSkew'
}

/** What Node's `fetch` throws where a connection breaks. */
export function connectionReset(): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

function page(): Response {
  return new Response('<!doctype html><title>Welcome to the network</title><p>Sign in to go on.</p>', {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
}

function malformed(): Response {
  return new Response('{"error":"authorization_pen', { headers: { 'content-type': 'application/json' } })
}

function failure({ status, retryAfter }: Extract<Fault, { status: number }>): Response {
  // Nothing, since some statuses allow no body.
  return new Response(null, {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  })
}
