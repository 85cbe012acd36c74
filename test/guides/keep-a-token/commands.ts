import {
  authorizeDevice,
  type DeviceAuthorizationOptions,
  type RefreshOptions,
  RefusedError,
} from 'authgraph'
import { createApi, oauth } from 'authgraph/auth'
import { keepToken, keptToken } from './keep-token.js'

/** my-cli login */
export async function login(file: string, options: DeviceAuthorizationOptions): Promise<void> {
  await keepToken(file, await authorizeDevice(options))
}

/** my-cli whoami */
export async function whoami(file: string, options: RefreshOptions): Promise<string> {
  const token = await keptToken(file, options).catch((error) => {
    throw isLoggedOut(error) ? new Error('You are logged out. Log in again: my-cli login') : error
  })
  const { fetch } = options
  const api = createApi({ auth: oauth(token), ...(fetch && { fetch }) })
  return (await api<{ login: string }>('/user')).login
}

/** Whether the service refused the refresh token. After a lost connection, or with a busy service, it is still valid. */
function isLoggedOut(error: unknown): boolean {
  return error instanceof RefusedError && error.status < 500 && error.status !== 429
}
