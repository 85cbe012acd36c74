import type { Auth } from '../../auth/auth.ts'
import { oauth } from '../../auth/oauth.ts'
import { dpop } from '../../dpop/dpop.ts'
import type { OAuthToken } from '../../protocol/oauth-token.ts'
import { isBearer } from '../../protocol/syntax.ts'
import type { Secret } from '../../secret.ts'
import { CommandError } from '../command-error.ts'

/**
 * Authenticates with the token of this profile, and with its key if it is bound to one. Throws {@link CommandError} with
 * code `not_bearer`.
 */
export function tokenAuth(token: OAuthToken, profile: string): Auth {
  return token.dpopKey ? oauth(token, { dpop: dpop() }) : oauth(bearerToken(token, profile))
}

/** Gives the token of this profile, to be sent as a bearer token. Throws CommandError `not_bearer`. */
export function bearerToken({ accessToken, tokenType }: OAuthToken, profile: string): Secret {
  if (isBearer(tokenType)) return accessToken
  throw new CommandError(
    'not_bearer',
    `the token is not a bearer token, so it cannot be sent: print it with authgraph token --profile ${profile}`,
  )
}
