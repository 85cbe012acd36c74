import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { deviceLogin, type McpLoginOptions } from 'authgraph/mcp'

/** Connects to a remote MCP server, and logs in if it wants that. */
export async function connect(
  url: string,
  options: McpLoginOptions,
): Promise<Client> {
  const login = deviceLogin(url, {
    onCodes: ({ server, issuer, userCode, verificationUri }) =>
      process.stderr.write(
        `${server} needs a login at ${issuer}.\n` +
          `Enter ${userCode} at ${verificationUri}\n`,
      ),
    ...options,
  })
  const client = new Client({ name: 'my-agent', version: '1.0.0' })
  const { url: address, fetch } = login
  await client.connect(new StreamableHTTPClientTransport(address, { fetch }))
  return client
}
