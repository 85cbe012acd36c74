import {
  authorizeDevice,
  type DeviceAuthorizationOptions,
  LoginRequiredError,
  type RefreshOptions,
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
    throw error instanceof LoginRequiredError
      ? new Error('You are logged out. Log in again: my-cli login')
      : error
  })
  const { fetch } = options
  const api = createApi({ auth: oauth(token), ...(fetch && { fetch }) })
  return (await api<{ login: string }>('/user')).login
}
