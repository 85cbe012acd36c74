import { deviceLogin } from '../../../src/mcp/index.ts'
import { fileStore } from '../../../src/session/node/index.ts'
import type { Change, Json } from '../../../src/store/store.ts'

/**
 * A program of its own process: calls an MCP server once, and prints each code and the status of the response. It kills
 * itself at a step of the login.
 */
const [, , server = '', folder = '', step = ''] = process.argv

function at(reached: string): void {
  if (step !== '' && step === reached) process.kill(process.pid, 'SIGKILL')
}

const files = fileStore(folder)
const WRITTEN: Record<string, string> = {
  starting: 'claimed',
  pending: 'login stored',
  signedIn: 'token stored',
}

const { fetch } = deviceLogin(server, {
  store: {
    ...files,
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>) {
      let written: Change<Result> | undefined
      const result = await files.update(key, (value) => {
        written = change(value)
        return written
      })
      if (key.startsWith('mcp client') && written?.value !== undefined) at('client stored')
      at(WRITTEN[(written?.value as { status?: string } | undefined)?.status ?? ''] ?? '')
      return result
    },
  },
  async fetch(input, init) {
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const isPoll = pathname === '/login/oauth/access_token'
    if (isPoll) at('poll')
    const response = await globalThis.fetch(input, init)
    if (pathname.endsWith('/register')) at('client received')
    if (pathname === '/login/device/code') at('codes received')
    if (isPoll && response.ok && (await response.clone().text()).includes('access_token'))
      at('token received')
    return response
  },
  onCodes: ({ userCode }) => void process.stdout.write(`${userCode} `),
})
await fetch(server, { method: 'POST', body: 'read' }).then(
  ({ status }) => process.stdout.write(String(status)),
  (error) => process.stdout.write(String(error.code ?? error)),
)
