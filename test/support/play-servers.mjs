// Imported before a program of a document: plays github.com with its API, and login.example.com, whose users decide at once.
import { createSign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSandbox } from 'authgraph/testing'

const publicKeys = [readFileSync('app.public.pem', 'utf8')]
const clients = [{ clientId: 'YOUR_CLIENT_ID', name: 'My CLI' }]
const options = { clients, interval: 1, time: 'real', onWarning: () => undefined }
const installation = (id, owner) => ({ id, owner, repositories: [{ id: 1, name: 'hello' }] })
const github = createSandbox({
  ...options,
  apps: [
    { appId: 1, publicKeys, installations: [installation(123, 'octocat')] },
    { appId: 12345, publicKeys, installations: [installation(42, 'octo-org')] },
  ],
})
const authUrl = 'https://login.example.com'
const servers = {
  'github.com': github,
  'api.github.com': github,
  'login.example.com': createSandbox({ ...options, authUrl, dialect: 'rfc8628' }),
}

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  const server = servers[new URL(request.url).hostname]
  const response = await server.fetch(request)
  const { user_code: code } = await response.clone().json()
  if (code) await (process.env.DECISION === 'deny' ? server.deny(code) : server.approve(code))
  return response
}

globalThis.vault = {
  sign: async (_, bytes) => createSign('sha256').update(bytes).sign(readFileSync('app.pem')),
}
