import { assertKnown, type Names } from '../assert-known.ts'
import {
  BadOptionError,
  CancelledError,
  LoginRequiredError,
  NotKeptError,
  type RefusedError,
} from '../errors.ts'
import { REFRESH_GRANT_TYPE } from '../protocol/endpoints.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { readProvider } from '../protocol/providers.ts'
import { refusalWithout } from '../protocol/refusal.ts'
import { assertDpop } from '../protocol/syntax.ts'
import { assertToken, parseOAuthRecord } from '../protocol/token-record.ts'
import { abortInTime, systemClock, unlessAborted } from '../request/clock.ts'
import { systemFetch } from '../request/http.ts'
import type { Clock } from '../request/options.ts'
import { post, type Sender } from './exchange.ts'
import type { RefreshOptions } from './options.ts'
import { readAuthentication, readClientId, readResources } from './read-options.ts'

const KNOWN: Names<RefreshOptions> = {
  clientId: true,
  clientAuthentication: true,
  resource: true,
  provider: true,
  dpop: true,
  onToken: true,
  signal: true,
  fetch: true,
  clock: true,
}

/** What sends a refresh request. */
export interface RefreshSender extends Sender {
  readonly clock: Clock
  readonly resource?: readonly string[] | undefined
}

/**
 * Timeout in seconds. The refresh token may be used without a response: a second request must arrive while the service
 * still returns its successor, for some 30 seconds.
 */
const TIMEOUT = 15

/**
 * The error codes after which only a new login gets a token.
 *
 * - The refresh token is used, expired or revoked: RFC 6749, section 5.2, and GitHub with status 200.
 * - The user must be present: https://learn.microsoft.com/entra/identity-platform/reference-error-codes and Auth0's
 *   https://auth0.com/docs/secure/multi-factor-authentication/authenticate-using-ropg-flow-with-mfa
 * - The client or the user may not: https://developers.google.com/identity/protocols/oauth2/web-server
 */
const ENDING_CODES = [
  'invalid_grant',
  'bad_refresh_token',
  'interaction_required',
  'consent_required',
  'mfa_required',
  'deleted_client',
  'disabled_client',
  'admin_policy_enforced',
]

/** A refresh request that runs, or whose new token is being saved by some of its callers. */
interface Shared {
  readonly pair: Promise<OAuthToken>
  callers: number
}

/** The refresh of each refresh token: a second one would spend the token twice. */
const underWay = new Map<string, Shared>()

/**
 * Gets a new access token with the refresh token. Concurrent calls with the same token share one request, with the
 * options of the first call. Each waits with its own `signal`, and each `onToken` is called.
 *
 * @example
 * ```ts
 * import { importToken, refresh } from 'authgraph'
 *
 * const token = importToken(await database.load())
 * const refreshed = await refresh(token, {
 *   clientId: 'YOUR_CLIENT_ID',
 *   onToken: (token) => database.save(token),
 * })
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid, or the token has no refresh token, or is not a token: read a saved one with {@link
 * importToken}.
 * @throws `LoginRequiredError` from `authgraph/session` if the provider has ended the login: the refresh token is used,
 * expired or revoked, the user must be present again, or the client was deleted or is forbidden.
 * @throws `NotKeptError` from `authgraph/session` if `onToken` throws. It holds the new tokens.
 * @throws {@link CancelledError} if `signal` is aborted.
 * @throws {@link RefusedError}, {@link UnreachableError}, {@link TimedOutError} and the other errors of a request. They
 * do not end the login: try again later.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749, section 6}
 */
export async function refresh(token: OAuthToken, options: RefreshOptions): Promise<OAuthToken> {
  assertToken(token)
  assertKnown(options, KNOWN)
  if (token.refreshToken === undefined)
    throw new BadOptionError('the token has no refresh token: authorize again to get a new token')
  const { signal, onToken } = options
  const sender = senderOf(options)
  try {
    return await unlessAborted(signal, () => joinRefresh(token, sender, onToken))
  } catch (error) {
    throw signal?.aborted && error === signal.reason ? new CancelledError(error) : error
  }
}

function senderOf({
  clientId,
  clientAuthentication,
  resource,
  provider: given,
  dpop,
  fetch = systemFetch,
  clock = systemClock,
}: RefreshOptions): RefreshSender {
  const provider = readProvider(given)
  return {
    clientId: readClientId(clientId),
    authentication: readAuthentication(clientAuthentication, provider),
    resource: readResources(resource),
    provider,
    dpop,
    fetch,
    clock,
  }
}

/** Runs to its end even if its caller gives up: the service may have replaced the refresh token already. */
async function joinRefresh(
  token: OAuthToken,
  sender: RefreshSender,
  onToken: RefreshOptions['onToken'],
): Promise<OAuthToken> {
  const key = token.refreshToken?.reveal() ?? ''
  const refresh = underWay.get(key) ?? { pair: requestRefresh(token, sender), callers: 0 }
  underWay.set(key, refresh)
  refresh.callers += 1
  try {
    const pair = await refresh.pair
    try {
      await onToken?.(pair)
    } catch (cause) {
      throw new NotKeptError(pair, { cause })
    }
    return pair
  } finally {
    refresh.callers -= 1
    if (refresh.callers === 0) underWay.delete(key)
  }
}

/**
 * Sends one refresh request. Throws LoginRequiredError if the provider has ended the login.
 *
 * @param timeout Seconds.
 */
export async function requestRefresh(
  token: OAuthToken,
  sender: RefreshSender,
  timeout = TIMEOUT,
): Promise<OAuthToken> {
  const { refreshToken } = token
  if (refreshToken === undefined) throw new BadOptionError('the token has no refresh token')
  assertDpop(sender.dpop, token)
  const { dpopKey } = token
  const { tokenEndpoint, scopeSeparator } = sender.provider
  const fields = { grant_type: REFRESH_GRANT_TYPE, refresh_token: refreshToken, resource: sender.resource }
  const response = await abortInTime({ clock: sender.clock, timeout }, (limit) =>
    post(tokenEndpoint, fields, sender, limit, dpopKey),
  )
  const refusal = refusalWithout('access_token', response)
  if (refusal) throw toRefreshError(refusal)
  const fresh = parseOAuthRecord(response, { scopes: token.scopes, separator: scopeSeparator, dpopKey })
  const { idToken } = token
  // Without a new refresh token, the old one remains valid. OpenID Connect Core 1.0, section 12.2, for the ID token.
  return { ...(idToken && { idToken }), ...(fresh.refreshToken ? {} : keptRefresh(token)), ...fresh }
}

/** Only the provider's word ends a login. A busy service or a page of a proxy says nothing about the refresh token. */
function toRefreshError(refusal: RefusedError): LoginRequiredError | RefusedError {
  const isEnd = refusal.status < 500 && ENDING_CODES.includes(refusal.error ?? '')
  return isEnd ? new LoginRequiredError('the provider has ended the login', { cause: refusal }) : refusal
}

function keptRefresh(token: OAuthToken) {
  const { refreshToken, refreshTokenExpiresIn, refreshTokenExpiresAt } = token
  return {
    ...(refreshToken && { refreshToken }),
    ...(refreshTokenExpiresIn !== undefined && { refreshTokenExpiresIn }),
    ...(refreshTokenExpiresAt !== undefined && { refreshTokenExpiresAt }),
  }
}
