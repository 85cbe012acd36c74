import { type ApiOptions, createApi } from 'authgraph/auth'
import { LoginRequiredError, type Session } from 'authgraph/session'

/** Asks the API who the user is. Logs in first if necessary. */
export async function whoami(
  session: Session,
  options: ApiOptions = {},
): Promise<string> {
  const api = createApi({ auth: session, ...options })
  try {
    return (await api<{ login: string }>('/user')).login
  } catch (error) {
    if (!(error instanceof LoginRequiredError)) throw error
    await session.login()
    return (await api<{ login: string }>('/user')).login
  }
}
