// Imported before a program of a document: an embedded service plays github.com, whose user decides at once.
import { createService } from 'authgraph/service'

const service = createService({ clients: [{ clientId: 'YOUR_CLIENT_ID', name: 'My CLI' }], interval: 1 })

globalThis.fetch = async (input, init) => {
  const response = await service.fetch(new Request(input, init))
  const { user_code: code } = await response.clone().json()
  if (code) await (process.env.DECISION === 'deny' ? service.deny(code) : service.approve(code, 'octocat'))
  return response
}
