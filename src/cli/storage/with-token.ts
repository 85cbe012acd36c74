import type { OAuthToken } from '../../protocol/oauth-token.ts'
import { findValidToken } from '../../session/session-record.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { openLogin, providerOf } from './saved-logins.ts'
import { loginError, type NamedProfile } from './saved-profiles.ts'

/**
 * Uses a token of a saved login that is valid now, refreshed first if necessary. Git asks for one with every push and pull, so
 * only a refresh loads the session.
 *
 * @throws As `withSession` and `validToken` do.
 */
export async function withToken<Result>(
  profile: NamedProfile,
  use: (token: OAuthToken) => Promise<Result>,
): Promise<Result> {
  const fetch = await environmentFetch()
  const login = await openLogin(profile)
  const provider = await providerOf(profile, fetch)
  const token = storedToken()
  if (token) return use(token)
  const { validToken, withSession } = await import('./open-session.ts')
  return withSession(profile, fetch, async (session) => use(await validToken(session, profile)), login)

  function storedToken(): OAuthToken | undefined {
    try {
      return findValidToken(login.record, provider, Date.now())
    } catch (error) {
      throw loginError(profile.name, error)
    }
  }
}
