import {
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { deviceLogin } from 'authgraph/mcp'
import { memoryStore } from 'authgraph/session'
import './server.ts'

const print = (line: string) => process.stdout.write(`${line}\n`)
const issuer = `http://localhost:${process.env.PORT ?? 3000}`
const { url, fetch } = deviceLogin(`${issuer}/mcp`, {
  store: memoryStore(),
  clients: { [issuer]: { clientId: 'my-agent' } },
  onCodes: ({ userCode, verificationUri }) =>
    print(`Enter ${userCode} at ${verificationUri}`),
})
const client = new Client({ name: 'my-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(url, { fetch }))
const { tools } = await client.listTools()
print(`Tools: ${tools.map(({ name }) => name).join(', ')}`)
for (const { name } of tools) {
  const { content } = await client.callTool({ name })
  print(`${name}: ${JSON.stringify(content)}`)
}
await client.close()
