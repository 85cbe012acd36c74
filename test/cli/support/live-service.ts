import { githubApi } from '../../../src/github-api/github-api.ts'
import { createService, type ServiceOptions } from '../../../src/service/index.ts'

export const CLIENT_ID = 'client-id-of-the-command'

/** The embedded service over HTTP with an interval of one second. */
export async function liveService(options: Partial<ServiceOptions> = {}) {
  const issued: string[] = []
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'Command' }],
    interval: 1,
    api: githubApi(),
    issueToken: () => {
      const token = `gho_${crypto.randomUUID().replaceAll('-', '')}`
      issued.push(token)
      return token
    },
    ...options,
  })
  const { url, close } = await service.listen()
  const host = url.replace('127.0.0.1', 'localhost')
  return {
    ...service,
    /** The tokens that were issued. */
    issued,
    /** The value of `--host`. */
    host,
    close,
    url,
    /** Approves the code in the output, once. */
    approver: () => decider((code) => service.approve(code, { id: 1, login: 'octocat' })),
    denier: () => decider((code) => service.deny(code)),
  }
}

function decider(decide: (code: string) => unknown) {
  let decided = false
  return (output: string) => {
    const code = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(output)?.[0]
    if (decided || !code) return
    decided = true
    void decide(code)
  }
}
