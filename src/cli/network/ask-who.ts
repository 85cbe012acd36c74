import type { OAuthToken } from '../../protocol/oauth-token.ts'
import type { Provider } from '../../protocol/provider.ts'
import { whoIs } from '../../terminal/who-is.ts'
import { isFailure, type ReportedError } from '../command-error.ts'
import { tokenAuth } from './token-auth.ts'

/** Asks the service who the user is. The login is complete: a failure must not lose its token. */
export async function askWho(
  token: OAuthToken,
  profile: string,
  via: { readonly provider: Provider; readonly fetch: typeof globalThis.fetch },
): Promise<{ readonly user?: string | undefined; readonly error?: ReportedError }> {
  try {
    return { user: await whoIs(tokenAuth(token, profile), via) }
  } catch (error) {
    if (isFailure(error)) return { error }
    throw error
  }
}
