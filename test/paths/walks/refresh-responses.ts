import type { RefreshResult } from '../../../machines/session-context.ts'
import {
  BadResponseError,
  LoginRequiredError,
  RedirectedError,
  RefusedError,
  TimedOutError,
  UnreachableError,
} from '../../../src/errors.ts'
import type { OAuthToken } from '../../../src/protocol/oauth-record.ts'
import { Secret } from '../../../src/secret.ts'
import { jsonResponse, pageResponse, type WireResponse } from '../../../src/testing/paths/wire-response.ts'

/** Seconds for which the tokens of the paths are good. */
const LIFETIME = 600

/** A token as the provider sends it. Tokens are numbered in the order in which they are issued. */
export function tokenResponse(number: number): WireResponse {
  return jsonResponse({
    access_token: `sample-access-token-${number}`,
    token_type: 'bearer',
    scope: 'repo',
    expires_in: LIFETIME,
    refresh_token: `sample-refresh-token-${number}`,
  })
}

/** The same token as the client must read it, at `at` (epoch milliseconds). */
export function tokenOf(number: number, at: number): OAuthToken {
  return {
    accessToken: new Secret(`sample-access-token-${number}`),
    tokenType: 'bearer',
    scopes: ['repo'],
    missingScopes: [],
    expiresIn: LIFETIME,
    expiresAt: at + LIFETIME * 1000,
    refreshToken: new Secret(`sample-refresh-token-${number}`),
  }
}

/** One outcome of a refresh request. */
interface RefreshCase {
  /** What is sent for the token of this number. Absent if the connection breaks, or nothing is sent. */
  readonly response?: (number: number) => WireResponse
  /** Description in the name of a path. */
  readonly told: string
  /** How the session must interpret it. */
  means(number: number, at: number): RefreshResult
}

/** Every outcome of a refresh request. RFC 6749, section 5.2; GitHub sends errors with status 200. */
export const REFRESH_RESPONSES = {
  token: {
    response: tokenResponse,
    told: 'refreshed',
    means: (number, at) => ({ type: 'token', token: tokenOf(number, at), sentAt: at }),
  },
  badRefreshToken: {
    response: () => jsonResponse({ error: 'bad_refresh_token' }),
    told: 'ended by the provider (status 200)',
    means: () => ({ type: 'ended', error: new LoginRequiredError() }),
  },
  invalidGrant: {
    response: () => jsonResponse({ error: 'invalid_grant' }, 400),
    told: 'ended by the provider',
    means: () => ({ type: 'ended', error: new LoginRequiredError() }),
  },
  invalidClient: {
    response: () => jsonResponse({ error: 'invalid_client' }, 401),
    told: 'unknown client',
    means: () => ({ type: 'fault', error: new RefusedError({ error: 'invalid_client', status: 401 }) }),
  },
  busy: {
    response: () => jsonResponse({ error: 'too_many_requests' }, 429, { 'retry-after': '40' }),
    told: 'retry after 40 seconds',
    means: () => ({
      type: 'fault',
      retryAfter: 40,
      error: new RefusedError({ error: 'too_many_requests', status: 429, retryAfter: 40 }),
    }),
  },
  refusedProof: {
    response: () => jsonResponse({ error: 'invalid_dpop_proof' }, 400),
    told: 'refused proof',
    means: () => ({ type: 'fault', error: new RefusedError({ error: 'invalid_dpop_proof', status: 400 }) }),
  },
  failing: {
    response: () => pageResponse(503),
    told: 'server error',
    means: () => ({ type: 'unclear', error: new RefusedError({ status: 503 }) }),
  },
  unreadable: {
    response: () => pageResponse(200),
    told: 'HTML page',
    means: () => ({ type: 'unclear', error: new RefusedError({ status: 200 }) }),
  },
  unusableToken: {
    response: () => jsonResponse({ access_token: 7, token_type: 'bearer' }),
    told: 'invalid token',
    means: () => ({ type: 'unclear', error: new BadResponseError('the access token is not a string') }),
  },
  redirected: {
    response: () => ({ status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' }),
    told: 'redirected',
    means: () => ({ type: 'unclear', error: new RedirectedError('the provider') }),
  },
  unreachable: {
    told: 'connection lost',
    means: () => ({ type: 'unclear', error: new UnreachableError('the provider') }),
  },
  stopped: {
    told: 'connection lost while the process was stopped',
    means: () => ({ type: 'unclear', error: new UnreachableError('the provider') }),
  },
  silence: {
    told: 'no response',
    means: () => ({ type: 'unclear', error: new TimedOutError() }),
  },
} as const satisfies Record<string, RefreshCase>

/**
 * The name of one outcome of a refresh request.
 *
 * @useDeclaredType
 */
export type RefreshResponseName = keyof typeof REFRESH_RESPONSES
