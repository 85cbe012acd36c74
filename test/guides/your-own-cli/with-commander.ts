import { createApi } from 'authgraph/auth'
import { github, loginCommands } from 'authgraph/terminal'
import { Command } from 'commander'

const url = process.env.ACME_URL ?? 'https://git.acme.example'
const provider = github({ authUrl: url, baseUrl: url })
const commands = loginCommands({
  name: 'acme',
  clientId: 'acme-cli',
  provider,
})
const acme = new Command('acme').description('The command line of Acme')

const names = ['login', 'logout', 'whoami', 'token', 'status'] as const
const summaries = {
  login: 'log in with a code that you enter in any browser',
  logout: 'log out, and revoke the token',
  whoami: 'print who is logged in',
  token: 'print the access token, for scripts',
  status: 'show the login, and when it expires',
}
for (const name of names) {
  const command = acme.command(name).description(summaries[name])
  if (name === 'login' || name === 'status')
    command.option('--json', 'print JSON, for programs')
  command.action(async (options) => {
    process.exitCode = await commands[name](options)
  })
}

const user = acme.command('user').description('show what the API says')
user.action(async () => {
  const api = createApi({ auth: commands.session, provider })
  console.log(await api('/user'))
})

await acme.parseAsync().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
