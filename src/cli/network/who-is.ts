import * as v from 'valibot'
import { createApi } from '../../auth/create-api.ts'
import { TimedOutError } from '../../errors.ts'
import type { OAuthToken } from '../../protocol/oauth-record.ts'
import type { Provider } from '../../protocol/provider.ts'
import { isFailure, type ReportedError } from '../command-error.ts'
import { tokenAuth } from './token-auth.ts'

/** Milliseconds. */
const TIMEOUT = 10_000

const user = v.object({ login: v.string() })

/** Asks the API who the user is: `undefined` if the service has no API or does not say, an error if the request fails. */
export async function whoIs(
  token: OAuthToken,
  { provider, fetch }: { readonly provider: Provider; readonly fetch: typeof globalThis.fetch },
): Promise<string | ReportedError | undefined> {
  if (provider.baseUrl === undefined) return undefined
  try {
    const response = await createApi({ auth: tokenAuth(token), provider, fetch })('/user', {
      signal: AbortSignal.timeout(TIMEOUT),
    })
    return v.is(user, response) ? response.login : undefined
  } catch (error) {
    if (isFailure(error)) return error
    // The login is complete: an API that does not respond must not lose its token.
    if (error instanceof Error && error.name === 'TimeoutError') return new TimedOutError()
    throw error
  }
}
