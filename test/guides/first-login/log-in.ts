import { authorizeDevice, github } from 'authgraph'
import { createApi, oauth } from 'authgraph/auth'

/** Logs the user in, and returns their user name. */
export async function logIn(
  clientId: string,
  provider = github(),
): Promise<string> {
  const token = await authorizeDevice({
    clientId,
    provider,
    scopes: ['read:user'],
    onCodes: ({ verificationUri, userCode }) => {
      process.stdout.write(`Open ${verificationUri} and enter ${userCode}\n`)
    },
  })
  const api = createApi({ auth: oauth(token), provider })
  const { login } = await api<{ login: string }>('/user')
  return login
}
