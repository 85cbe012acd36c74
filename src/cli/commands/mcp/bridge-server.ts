import { LoginPendingError } from '../../../errors.ts'
import { isHolding } from '../../../session/node/hold-signals.ts'
import { writerTo } from '../../../terminal/writer.ts'
import { CommandError } from '../../command-error.ts'
import { bridge } from './bridge.ts'
import { hostErrorOf } from './host-error.ts'
import type { McpTransport, ServerTransport } from './mcp-message.ts'
import { assertIssuer, type McpOptions, openMcpLogin } from './open-mcp-login.ts'

/** Seconds for a poll that is on its way when the host has gone. */
const LAST_POLL = 1

/** What is loaded of `@modelcontextprotocol/client`. */
interface ClientPackage {
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: { readonly fetch: typeof globalThis.fetch },
  ) => ServerTransport
}

/** What is loaded of `@modelcontextprotocol/server`. */
interface ServerPackage {
  readonly StdioServerTransport: new () => McpTransport
}

/** Runs `authgraph mcp`. Standard output carries the protocol only. */
export async function bridgeServer(url: string, options: McpOptions): Promise<number> {
  const { print } = writerTo(process.stderr, options)
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }] = await loadPackages()
  await bridge(new StdioServerTransport(), async (onCodes) => {
    const login = await openMcpLogin(url, options, {
      onCodes(codes) {
        print(new LoginPendingError(codes).message)
        onCodes(codes)
      },
    })
    await assertIssuer(options, login)
    const server = new StreamableHTTPClientTransport(login.url, { fetch: login.fetch })
    // A request that the host or the bridge gave up is no fault.
    server.onerror = (error) => error.name === 'AbortError' || print(String(hostErrorOf(error).message))
    return { login, server }
  })
  // A poll on its way may bring the token, but a silent issuer does not hold the process.
  setTimeout(() => isHolding() || process.exit(), LAST_POLL * 1000).unref()
  return 0
}

/**
 * Loads the packages of the bridge.
 *
 * @throws {@link CommandError} with code `not_installed`.
 */
export function loadPackages(): Promise<[ClientPackage, ServerPackage]> {
  return Promise.all([
    load<ClientPackage>('@modelcontextprotocol/client'),
    load<ServerPackage>('@modelcontextprotocol/server/stdio'),
  ])
}

async function load<Package>(name: string): Promise<Package> {
  try {
    return await import(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError(
      'not_installed',
      'the bridge for MCP hosts needs two more packages: npm install @modelcontextprotocol/client@2 @modelcontextprotocol/server@2',
    )
  }
}
