import { NotKeptError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { isStoredInTime, type Session } from './create-session.ts'

/**
 * Keeps a token, and tries again for a while: the service issues it only once.
 *
 * @throws {@link NotKeptError} and the other errors of `session.keep`.
 */
export async function keepInTime(session: Session, token: OAuthToken): Promise<void> {
  try {
    await session.keep(token)
  } catch (error) {
    if (!(error instanceof NotKeptError && (await isStoredInTime(session)))) throw error
  }
}
