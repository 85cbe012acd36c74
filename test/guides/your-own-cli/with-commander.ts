import { createApi } from 'authgraph/auth'
import { github, loginCommands } from 'authgraph/terminal'
import { Command } from 'commander'

const url = process.env.ACME_URL ?? 'https://git.acme.example'
const provider = github({ authUrl: url, baseUrl: url })
const { session, ...commands } = loginCommands({
  name: 'acme',
  clientId: 'acme-cli',
  provider,
})
const acme = new Command('acme').description('The command line of Acme')

for (const name of ['login', 'logout', 'whoami', 'token', 'status'] as const)
  acme.command(name).action(async () => {
    process.exitCode = await commands[name]()
  })

const user = acme.command('user').description('show what the API says')
user.action(async () => {
  const api = createApi({ auth: session, provider })
  console.log(await api('/user'))
})

await acme.parseAsync().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
