import { BadResponseError, RedirectedError, RefusedError, UnreachableError } from '../../errors.ts'
import type { PollResponse } from '../../protocol/poll-response.ts'
import { Secret } from '../../secret.ts'
import { jsonResponse, pageResponse, type WireResponse } from './wire-response.ts'

/** One outcome of a poll. */
interface PollCase {
  /** Absent if the connection breaks. */
  readonly response?: WireResponse
  /** Description in the name of a path. */
  readonly label: string
  /**
   * How the device must interpret it. Written by hand rather than parsed by the client: the client is compared with it.
   *
   * @param at When the response arrives, in epoch milliseconds.
   */
  means(at: number): PollResponse
}

const refused =
  (error: string) =>
  (at: number): PollResponse => ({ type: 'refused', at, error: new RefusedError({ error, status: 200 }) })

/** Every outcome of a poll, except no response. RFC 8628, section 3.5. */
export const POLL_RESPONSES = {
  pending: {
    response: jsonResponse({ error: 'authorization_pending' }),
    label: 'pending',
    means: (at) => ({ type: 'pending', at }),
  },
  pendingWith400: {
    response: jsonResponse({ error: 'authorization_pending' }, 400),
    label: 'pending (status 400)',
    means: (at) => ({ type: 'pending', at }),
  },
  slowDown: {
    response: jsonResponse({ error: 'slow_down' }),
    label: 'slowed by slow_down',
    means: (at) => ({ type: 'slow_down', at }),
  },
  slowDownTo30: {
    response: jsonResponse({ error: 'slow_down', interval: 30 }),
    label: 'slowed by slow_down to 30 seconds',
    means: (at) => ({ type: 'slow_down', at, interval: 30 }),
  },
  token: {
    response: jsonResponse({ access_token: 'sample-access-token', token_type: 'bearer', scope: 'repo,gist' }),
    label: 'authorized',
    means: (at) => ({
      type: 'token',
      at,
      token: {
        accessToken: new Secret('sample-access-token'),
        tokenType: 'bearer',
        scopes: ['repo', 'gist'],
        missingScopes: [],
      },
    }),
  },
  unusableToken: {
    response: jsonResponse({ access_token: 7, token_type: 'bearer', scope: '' }),
    label: 'invalid token',
    means: (at) => ({ type: 'refused', at, error: new BadResponseError('the access token is not a string') }),
  },
  denied: {
    response: jsonResponse({ error: 'access_denied' }),
    label: 'denied',
    means: (at) => ({ type: 'denied', at }),
  },
  expired: {
    response: jsonResponse({ error: 'expired_token' }),
    label: 'expired',
    means: (at) => ({ type: 'expired', at }),
  },
  refused: {
    response: jsonResponse({ error: 'unsupported_grant_type' }),
    label: 'refused',
    means: refused('unsupported_grant_type'),
  },
  unknownCode: {
    response: jsonResponse({ error: 'incorrect_device_code' }),
    label: 'unknown device code',
    means: refused('incorrect_device_code'),
  },
  failing: {
    response: pageResponse(502),
    label: 'server error',
    means: (at) => ({ type: 'fault', at, error: new RefusedError({ status: 502 }) }),
  },
  busy: {
    response: jsonResponse({ error: 'too_many_requests' }, 429, { 'retry-after': '40' }),
    label: 'retry after 40 seconds',
    means: (at) => ({
      type: 'fault',
      at,
      retryAfter: 40,
      slow: 'limit',
      error: new RefusedError({ error: 'too_many_requests', status: 429, retryAfter: 40 }),
    }),
  },
  refusedProof: {
    response: jsonResponse({ error: 'invalid_dpop_proof' }, 400),
    label: 'refused proof',
    means: (at) => ({
      type: 'fault',
      at,
      error: new RefusedError({ error: 'invalid_dpop_proof', status: 400 }),
    }),
  },
  unreadable: {
    response: pageResponse(200),
    label: 'HTML page',
    means: (at) => ({ type: 'fault', at, error: new BadResponseError('expected JSON, got a page') }),
  },
  redirected: {
    response: { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
    label: 'redirected',
    means: (at) => ({ type: 'refused', at, error: new RedirectedError('the service') }),
  },
  unreachable: {
    label: 'connection lost',
    means: (at) => ({ type: 'fault', at, error: new UnreachableError('the service') }),
  },
} as const satisfies Record<string, PollCase>

/**
 * The name of one outcome of a poll.
 *
 * @useDeclaredType
 */
export type PollResponseName = keyof typeof POLL_RESPONSES
