import { AuthgraphError, UnreachableError } from '../../../errors.ts'
import { deviceLogin, type McpLogin, type McpLoginOptions } from '../../../mcp/index.ts'
import type { Session } from '../../../session/create-session.ts'
import { holdSignals } from '../../../session/node/hold-signals.ts'
import { CommandError } from '../../command-error.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { checkStore, loginStore } from '../../storage/saved-logins.ts'
import type { StoreName } from '../../storage/store-names.ts'

/** The options that all commands for MCP servers have. */
export interface McpOptions {
  readonly store: Exclude<StoreName, 'none'>
  readonly proxy?: string
  readonly issuer?: string
  readonly clientId?: string
  readonly verificationHost?: string[]
  readonly color: boolean
}

/** What the library calls its options, and what the command line calls its own. */
const OPTIONS: readonly (readonly [ofLibrary: string, ofCommand: string])[] = [
  ['to "verificationHosts"', 'with --verification-host'],
  ['in "clients"', 'with --client-id, and the issuer with --issuer'],
  ['in "issuer"', 'in --issuer'],
]

/**
 * Opens the login at an MCP server.
 *
 * @throws {@link CommandError} if the store cannot be used, or the options do not fit.
 */
export async function openMcpLogin(
  url: string,
  { store, proxy, issuer = '', clientId, verificationHost }: McpOptions,
  more: Pick<McpLoginOptions, 'onCodes' | 'wait'> = {},
): Promise<McpLogin> {
  if (clientId !== undefined && issuer === '')
    throw new CommandError('usage', '--client-id requires --issuer: a client belongs to one issuer')
  await checkStore(store)
  const fetch = await environmentFetch(globalThis.fetch, proxy)
  const login = deviceLogin(url, {
    store: loginStore(store),
    // Without a proxy, the address that is connected is checked, too.
    ...(fetch !== globalThis.fetch && { fetch }),
    ...(issuer !== '' && { issuer }),
    ...(clientId !== undefined && { clients: { [issuer]: { clientId } } }),
    verificationHosts: verificationHost,
    confirmIssuer({ server, issuer: named }) {
      throw new CommandError(
        'usage',
        `${new URL(server).host} wants a login at ${named}: if you trust it, add --issuer ${named}`,
      )
    },
    ...more,
  })
  const { host } = login.url
  const held = new WeakSet<Session>()
  /** Hosts end the command with a signal, which must not cost a token that is being refreshed. */
  async function hold(): Promise<void> {
    const session = await login.session()
    if (session === undefined || held.has(session)) return
    held.add(session)
    holdSignals(session)
  }
  return {
    ...login,
    fetch: (...request) =>
      hold()
        .then(() => login.fetch(...request))
        .catch((error) => explain(error, host)),
    login: (...options) => login.login(...options).catch((error) => explain(error, host)),
  }
}

/** A login at another issuer would be used, or continued. */
export async function assertIssuer({ issuer: wanted }: McpOptions, login: McpLogin): Promise<void> {
  const { isLoggedIn, codes, issuer } = await login.status()
  if (!wanted || issuer === wanted || !(isLoggedIn || codes)) return
  throw new CommandError('usage', `there is a login at ${issuer}: log out first, or leave out --issuer`)
}

function explain(error: unknown, host: string): never {
  // What `fetch` throws says less than its cause.
  if (error instanceof TypeError && error.cause !== undefined) throw UnreachableError.of(host, error)
  if (error instanceof AuthgraphError)
    error.message = OPTIONS.reduce(
      (text, [ofLibrary, ofCommand]) => text.replace(ofLibrary, ofCommand),
      error.message,
    )
  throw error
}
