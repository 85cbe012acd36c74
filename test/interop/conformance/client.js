/** An MCP client that logs in with `deviceLogin` and calls a tool: what the conformance scenarios of MCP run. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { deviceLogin } from '../../../dist/src/mcp/index.js'
import { memoryStore } from '../../../dist/src/session/index.js'
import { withDeviceGrant } from './device-grant.js'

const [url = ''] = process.argv.slice(2)
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const fetch = withDeviceGrant()

/** The client that a scenario gives, for whatever issuer the server names. */
const given = context.client_id && {
  clientId: context.client_id,
  clientAuthentication: context.client_secret && { clientSecret: context.client_secret },
}
const clients = given && { [await issuerOf(url)]: given }

const login = deviceLogin(url, {
  store: memoryStore(),
  fetch,
  clientName: 'conformance',
  confirmIssuer: () => true,
  ...(clients ? { clients } : { clientDocument: 'https://conformance-test.local/client-metadata.json' }),
})
const client = new Client({ name: 'conformance', version: '1.0.0' })
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: login.fetch }))
  const { tools } = await client.listTools()
  for (const { name } of tools) await client.callTool({ name, arguments: {} })
} finally {
  await client.close()
}

async function issuerOf(address) {
  const { origin, pathname } = new URL(address)
  const document = await globalThis.fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  const { authorization_servers } = await document.json()
  return authorization_servers[0]
}
