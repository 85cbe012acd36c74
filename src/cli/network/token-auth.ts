import type { Auth } from '../../auth/auth.ts'
import { oauth } from '../../auth/oauth.ts'
import type { OAuthToken } from '../../protocol/oauth-record.ts'
import type { Provider } from '../../protocol/provider.ts'
import { isBearer } from '../../protocol/syntax.ts'
import type { Secret } from '../../secret.ts'
import { whoIs } from '../../terminal/who-is.ts'
import { CommandError, isFailure, type ReportedError } from '../command-error.ts'

/** Authenticates with the token of a login. Throws {@link CommandError} with code `not_bearer`. */
export function tokenAuth(token: OAuthToken): Auth {
  return oauth(bearerToken(token))
}

/** Gives the token of a login, to be sent. Throws CommandError `not_bearer`. */
export function bearerToken({ accessToken, tokenType }: OAuthToken): Secret {
  if (isBearer(tokenType)) return accessToken
  throw new CommandError(
    'not_bearer',
    'the token is not a bearer token, so it cannot be sent: print it with authgraph token',
  )
}

/** Asks the service who the user is. The login is complete: a failure must not lose its token. */
export async function askWho(
  token: OAuthToken,
  via: { readonly provider: Provider; readonly fetch: typeof globalThis.fetch },
): Promise<{ readonly user?: string | undefined; readonly error?: ReportedError }> {
  try {
    return { user: await whoIs(tokenAuth(token), via) }
  } catch (error) {
    if (isFailure(error)) return { error }
    throw error
  }
}
