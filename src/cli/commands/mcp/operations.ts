import { LoginPendingError, type PendingCodes } from '../../../errors.ts'
import type { McpLogin, McpLoginStatus } from '../../../mcp/index.ts'
import { SIGNAL_EXIT_CODES } from '../../../terminal/exit-codes.ts'
import { logoutLines, placeFact } from '../../../terminal/login-facts.ts'
import { loginTerminal } from '../../../terminal/login-terminal.ts'
import { fact, type Line, markedLine, styled, toType, writerTo } from '../../../terminal/writer.ts'
import { finishWithoutOutput } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { textsOf } from '../../command-texts.ts'
import { proxyVariable } from '../../network/environment-fetch.ts'
import { placeOf } from '../../storage/saved-logins.ts'
import { loadPackages } from './bridge-server.ts'
import { assertIssuer, type McpOptions, openMcpLogin } from './open-mcp-login.ts'

/** Runs `authgraph mcp login`. */
export async function mcpLogin(url: string, options: McpOptions): Promise<number> {
  finishWithoutOutput()
  const { color } = options
  const texts = textsOf('authgraph mcp login')
  const terminal = loginTerminal({ color, texts })
  const { report } = terminal
  const say = (...lines: Line[]) => report.say({ event: 'mcp' }, ...lines)
  const onCodes = (codes: PendingCodes) => {
    say(...askedBy(codes))
    terminal.show(codes)
  }
  const login = await openMcpLogin(url, options, { onCodes, wait: Number.POSITIVE_INFINITY })
  await assertIssuer(options, login)
  terminal.listen(login.stop)
  try {
    await login.login()
  } catch (error) {
    const signal = terminal.signal()
    if (!(error instanceof LoginPendingError) || signal === undefined) throw error
    say('Stopped. The next process that uses this server continues with the same code.')
    return SIGNAL_EXIT_CODES[signal]
  } finally {
    terminal.close()
  }
  say(
    ...factsOf(login, options, await login.status()),
    fact('for hosts', toType(`authgraph mcp ${wordsOf(options)}${login.url.href}`)),
    ...warnings(options),
    ...(await loadPackages().then(
      () => [],
      (error) => [markedLine(styled('yellow', '!'), texts.message(error))],
    )),
  )
  return 0
}

/** Runs `authgraph mcp status`. */
export async function mcpStatus(url: string, options: McpOptions): Promise<number> {
  const login = await openMcpLogin(url, options)
  const status = await login.status()
  const { isLoggedIn, codes } = status
  const { print } = writerTo(process.stdout, options)
  if (isLoggedIn) print(...factsOf(login, options, status))
  if (codes) print(...askedBy(codes), `Enter ${codes.userCode} at ${codes.verificationUri}`)
  if (isLoggedIn) return 0
  const { host, href } = login.url
  throw new CommandError(
    'no_login',
    `not logged in to ${host}: run authgraph mcp login ${wordsOf(options)}${href}`,
  )
}

/** Runs `authgraph mcp logout`. */
export async function mcpLogout(url: string, options: McpOptions): Promise<number> {
  finishWithoutOutput()
  const login = await openMcpLogin(url, options)
  const { isLoggedIn, issuer = url } = await login.status()
  const revocation = await login.logout()
  const name = login.url.host
  if (!isLoggedIn) throw new CommandError('no_login', `not logged in to ${name}`)
  writerTo(process.stdout, options).print(...logoutLines({ name, host: new URL(issuer).host }, revocation))
  return 0
}

function factsOf({ url }: McpLogin, { store }: McpOptions, { issuer = '', scopes }: McpLoginStatus): Line[] {
  return [
    [styled('green', '✓'), ' Logged in to ', styled('bold', url.host)],
    fact('issuer', issuer),
    fact('scopes', scopes.join(', ') || 'none'),
    placeFact(placeOf(store, `mcp ${url.href} ${issuer}`)),
  ]
}

/** A server that the user adds decides where the user logs in. */
function askedBy({ server, issuer }: PendingCodes): Line[] {
  return [`${server} asks for a login at ${issuer}.`]
}

/** The options that a host must pass, too. */
function wordsOf({ store, proxy, issuer, clientId, verificationHost = [] }: McpOptions): string {
  const words = { store: store === 'file' && store, proxy, issuer, 'client-id': clientId }
  return [
    ...Object.entries(words).map(([name, value]) => (value ? `--${name} ${value} ` : '')),
    ...verificationHost.map((host) => `--verification-host ${host} `),
  ].join('')
}

/** The variables that decide where the login is and how it is reached, and that hosts do not pass on. */
function warnings({ proxy }: McpOptions): string[] {
  const { AUTHGRAPH_CONFIG_DIR, XDG_STATE_HOME, NODE_EXTRA_CA_CERTS } = process.env
  const folder = AUTHGRAPH_CONFIG_DIR ? 'AUTHGRAPH_CONFIG_DIR' : XDG_STATE_HOME && 'XDG_STATE_HOME'
  const names = [folder, !proxy && proxyVariable(), NODE_EXTRA_CA_CERTS && 'NODE_EXTRA_CA_CERTS']
  return names
    .filter((name) => typeof name === 'string' && name !== '')
    .map(
      (name) => `${name} is set here, but most hosts do not pass it on: set it in their configuration, too.`,
    )
}
