import { AuthgraphError, rfc8628 } from 'authgraph'
import { createApi } from 'authgraph/auth'
import { createSession } from 'authgraph/session'
import { fileStore, holdSignals } from 'authgraph/session/node'
import { loginInTerminal } from 'authgraph/terminal'
import { Command } from 'commander'

const url = process.env.ACME_URL ?? 'https://api.acme.example'
const provider = rfc8628({
  deviceAuthorizationEndpoint: `${url}/login/device/code`,
  tokenEndpoint: `${url}/login/oauth/access_token`,
  revocationEndpoint: `${url}/login/oauth/revoke`,
  baseUrl: url,
})
const session = createSession({
  clientId: 'acme-cli',
  scopes: ['read'],
  provider,
  store: fileStore('acme'),
})
holdSignals(session) // Ctrl-C waits until a refreshed token is stored
const acme = new Command('acme').description('The command line of Acme')

const login = acme
  .command('login')
  .description('log in with a code that you enter in any browser')
login.option('--json', 'print one JSON object per line')
login.action(async (options) => {
  await loginInTerminal(session, {
    ...options,
    texts: { loggedIn: 'Logged in to Acme.' },
  })
})

const whoami = acme.command('whoami').description('show who is logged in')
whoami.action(async () => {
  const api = createApi({ auth: session, provider })
  console.log((await api<{ login: string }>('/user')).login)
})

const logout = acme
  .command('logout')
  .description('revoke the token, and delete it from this machine')
logout.action(async () => {
  const { revoked, why } = await session.logout()
  console.log(
    revoked ? 'Logged out.' : `Logged out. The token is not revoked: ${why}.`,
  )
})

await acme.parseAsync().catch((error: unknown) => {
  if (!(error instanceof AuthgraphError)) throw error
  // That of a login is shown already.
  if (!acme.args.includes('login')) console.error(error.message)
  process.exitCode =
    error.cause === 'SIGINT' ? 130 : error.cause === 'SIGTERM' ? 143 : 1
})
