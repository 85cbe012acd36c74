import type { RefreshResult } from '../../../machines/session-context.ts'
import { LoginRequiredError, RefusedError, TimedOutError, UnreachableError } from '../../../src/errors.ts'
import type { OAuthToken } from '../../../src/protocol/oauth-token.ts'
import { Secret } from '../../../src/secret.ts'
import { POLL_RESPONSES } from '../../../src/testing/paths/poll-responses.ts'
import { jsonResponse, type WireResponse } from '../../../src/testing/paths/wire-response.ts'

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
export interface RefreshCase {
  /** What is sent for the token of this number. Absent if the connection breaks, or nothing is sent. */
  readonly response?: (number: number) => WireResponse
  /** Description in the name of a path. */
  readonly told: string
  /** How the session must interpret it. */
  means(number: number, at: number): RefreshResult
}

/** The outcome of a poll with this response, which a refresh may have too. */
function asPolled(
  name: 'busy' | 'refusedProof' | 'failing' | 'unreadable' | 'unusableToken' | 'redirected' | 'unreachable',
  type: 'fault' | 'unclear',
): RefreshCase {
  const { label: told, means, ...polled } = POLL_RESPONSES[name]
  const { at, ...meant } = means(0)
  const response = 'response' in polled ? { response: () => polled.response } : {}
  return { ...response, told, means: () => ({ ...meant, type }) as RefreshResult }
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
  busy: asPolled('busy', 'fault'),
  refusedProof: asPolled('refusedProof', 'fault'),
  failing: asPolled('failing', 'unclear'),
  unreadable: asPolled('unreadable', 'unclear'),
  unusableToken: asPolled('unusableToken', 'unclear'),
  redirected: asPolled('redirected', 'unclear'),
  unreachable: asPolled('unreachable', 'unclear'),
  stopped: {
    told: 'connection lost while the process was stopped',
    means: () => ({ type: 'unclear', error: new UnreachableError('the provider') }),
  },
  silence: {
    told: 'no response',
    means: () => ({ type: 'unclear', error: new TimedOutError() }),
  },
} as const satisfies Record<string, RefreshCase>

/** The name of one outcome of a refresh request. */
export type RefreshResponseName = keyof typeof REFRESH_RESPONSES
