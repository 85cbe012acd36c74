import { BadResponseError, RedirectedError, RefusedError, UnreachableError } from '../../errors.ts'
import type { PollResponse } from '../../protocol/poll-response.ts'
import { Secret } from '../../secret.ts'
import { jsonResponse, pageResponse, type WireResponse } from './wire-response.ts'

/** One outcome of a poll. */
interface PollCase {
  /** Absent if the connection breaks. */
  readonly response?: WireResponse
  /** Description in the name of a path. */
  readonly told: string
  /**
   * How the device must interpret it. Written by hand rather than parsed by the client: the client is compared with it.
   *
   * @param at When the response arrives, in epoch milliseconds.
   */
  means(at: number): PollResponse
}

/** Every outcome of a poll, except no response. RFC 8628, section 3.5. */
export const POLL_RESPONSES = {
  pending: {
    response: jsonResponse({ error: 'authorization_pending' }),
    told: 'pending',
    means: (at) => ({ type: 'pending', at }),
  },
  pendingWith400: {
    response: jsonResponse({ error: 'authorization_pending' }, 400),
    told: 'pending (status 400)',
    means: (at) => ({ type: 'pending', at }),
  },
  slowDown: {
    response: jsonResponse({ error: 'slow_down' }),
    told: 'slowed by slow_down',
    means: (at) => ({ type: 'slow_down', at }),
  },
  slowDownTo30: {
    response: jsonResponse({ error: 'slow_down', interval: 30 }),
    told: 'slowed by slow_down to 30 seconds',
    means: (at) => ({ type: 'slow_down', at, interval: 30 }),
  },
  token: {
    response: jsonResponse({ access_token: 'sample-access-token', token_type: 'bearer', scope: 'repo,gist' }),
    told: 'authorized',
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
    told: 'an invalid token',
    means: (at) => ({ type: 'refused', at, error: new BadResponseError('the access token is not a string') }),
  },
  denied: {
    response: jsonResponse({ error: 'access_denied' }),
    told: 'denied',
    means: (at) => ({ type: 'denied', at }),
  },
  expired: {
    response: jsonResponse({ error: 'expired_token' }),
    told: 'expired',
    means: (at) => ({ type: 'expired', at }),
  },
  refused: {
    response: jsonResponse({ error: 'unsupported_grant_type' }),
    told: 'refused',
    means: (at) => ({
      type: 'refused',
      at,
      error: new RefusedError({ error: 'unsupported_grant_type', status: 200 }),
    }),
  },
  unknownCode: {
    response: jsonResponse({ error: 'incorrect_device_code' }),
    told: 'told that the code is unknown',
    means: (at) => ({
      type: 'refused',
      at,
      error: new RefusedError({ error: 'incorrect_device_code', status: 200 }),
    }),
  },
  failing: {
    response: pageResponse(502),
    told: 'met by a failing server',
    means: (at) => ({ type: 'fault', at, error: new RefusedError({ status: 502 }) }),
  },
  busy: {
    response: jsonResponse({ error: 'too_many_requests' }, 429, { 'retry-after': '40' }),
    told: 'asked to come back after 40 seconds',
    means: (at) => ({
      type: 'fault',
      at,
      retryAfter: 40,
      error: new RefusedError({ error: 'too_many_requests', status: 429, retryAfter: 40 }),
    }),
  },
  unreadable: {
    response: pageResponse(200),
    told: 'met by an HTML page',
    means: (at) => ({ type: 'fault', at, error: new BadResponseError('expected JSON, got a page') }),
  },
  redirected: {
    response: { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
    told: 'sent elsewhere by a redirect',
    means: (at) => ({ type: 'refused', at, error: new RedirectedError('the service') }),
  },
  unreachable: {
    told: 'cut off',
    means: (at) => ({ type: 'fault', at, error: new UnreachableError('the service') }),
  },
} as const satisfies Record<string, PollCase>

/**
 * The name of one outcome of a poll.
 *
 * @useDeclaredType
 */
export type PollResponseName = keyof typeof POLL_RESPONSES
