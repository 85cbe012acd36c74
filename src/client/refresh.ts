import { BadOptionError } from '../errors.ts'
import { type OAuthToken, parseOAuthRecord } from '../protocol/oauth-record.ts'
import { github, type Provider } from '../protocol/provider.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { brings } from '../protocol/response.ts'
import type { Secret } from '../secret.ts'
import { post } from './exchange.ts'
import { type Clock, readClientId, readClientSecret, systemClock, systemFetch } from './options.ts'
import { assertToken } from './token-record.ts'
import { within } from './within.ts'

/**
 * What `refresh` takes besides the token.
 *
 * @group Device authorization
 */
export interface RefreshOptions {
  readonly clientId: string | Secret
  /** Of a confidential client alone. */
  readonly clientSecret?: string | Secret
  /** Whom to ask: {@link github}`()` by default. */
  readonly provider?: Provider
  /** Gets the new pair before anyone uses it: keep it here. The old refresh token may be worth nothing by now. */
  readonly onToken?: (token: OAuthToken) => unknown
  readonly signal?: AbortSignal | undefined
  /** Sends the request: the runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
  /** The runtime's own by default. */
  readonly clock?: Clock
}

/** The refresh that is under way for each refresh token: a second one would spend it twice. */
const underWay = new Map<string, Promise<OAuthToken>>()

/**
 * Buys a new pair of tokens with the refresh token. Calls for the same token, while one is under way, share its
 * outcome, and its options.
 *
 * @throws {@link BadOptionError} where the token has no refresh token, or is not a token: make one with {@link importToken} from
 * what was kept; {@link RefusedError} where the service does not take it;
 * {@link UnreachableError}, {@link TimedOutError} and the other errors of a request, after which it may be tried again; and what
 * `onToken` throws.
 * @group Device authorization
 * @see Spec: not shown. Follows {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749, section 6}
 */
export async function refresh(token: OAuthToken, options: RefreshOptions): Promise<OAuthToken> {
  assertToken(token)
  if (token.refreshToken === undefined)
    throw new BadOptionError('the token has no refresh token: authorize again to get a new token')
  const key = token.refreshToken.reveal()
  const running = underWay.get(key)
  if (running) return running
  const started = buy(token, token.refreshToken, options).finally(() => underWay.delete(key))
  underWay.set(key, started)
  return started
}

async function buy(token: OAuthToken, refreshToken: Secret, options: RefreshOptions): Promise<OAuthToken> {
  const { provider = github(), fetch = systemFetch, clock = systemClock, onToken } = options
  const sender = {
    clientId: readClientId(options.clientId),
    clientSecret: readClientSecret(options.clientSecret),
    provider,
    fetch,
    clock,
  }
  const response = await within({ clock, signal: options.signal }, (signal) =>
    post(
      provider.tokenEndpoint,
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      sender,
      signal,
    ),
  )
  if (!brings(response.body, 'access_token')) throw refusalOf(response)
  const fresh = parseOAuthRecord(response, { scopes: token.scopes, separator: provider.scopeSeparator })
  // Without a new refresh token the old one stays good.
  const pair = fresh.refreshToken ? fresh : { ...keptRefresh(token), ...fresh }
  await onToken?.(pair)
  return pair
}

function keptRefresh(token: OAuthToken) {
  const { refreshToken, refreshTokenExpiresIn, refreshTokenExpiresAt } = token
  return {
    ...(refreshToken && { refreshToken }),
    ...(refreshTokenExpiresIn !== undefined && { refreshTokenExpiresIn }),
    ...(refreshTokenExpiresAt !== undefined && { refreshTokenExpiresAt }),
  }
}
