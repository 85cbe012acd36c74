import { createService } from '../../src/service/index.ts'
import { type AppInstallation, githubApi, type InstalledApp } from '../../src/testing/index.ts'
import { rsaKeys } from './rsa-keys.ts'

export const { privateKey, publicKey } = rsaKeys()

const INSTALLATIONS: readonly AppInstallation[] = [
  {
    id: 11,
    owner: 'octo-org',
    permissions: { contents: 'admin', issues: 'read' },
    repositories: [
      { id: 11, name: 'hello' },
      { id: 12, name: '11' },
    ],
  },
  { id: 22, owner: 'hubot' },
]

/**
 * A service at `https://<host>` whose app 1 is installed, as another process would see it: its requests and responses
 * are recorded. Time moves only where something waits.
 */
export function appService({
  host = 'git.example',
  installations = INSTALLATIONS,
  apps = [{ appId: 1, publicKeys: [publicKey], installations }],
  clock = steppingClock(),
}: {
  readonly host?: string
  readonly installations?: readonly AppInstallation[]
  readonly apps?: readonly InstalledApp[]
  readonly clock?: ReturnType<typeof steppingClock>
} = {}) {
  const baseUrl = `https://${host}/api`
  const service = createService({
    clients: [],
    apps,
    api: githubApi(apps),
    baseUrl,
    clock,
    onWarning: () => undefined,
  })
  const requests: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    requests.push(`${request.method} ${new URL(request.url).pathname.replace('/api', '')}`)
    return (await seen.instead?.(request)) ?? service.fetch(request)
  }
  const seen = {
    baseUrl,
    clock,
    fetch,
    requests,
    /** How many tokens were requested. */
    minted: () => requests.filter((request) => request.endsWith('/access_tokens')).length,
    /** Responds instead of the service, unless it returns nothing. */
    instead: undefined as ((request: Request) => Response | Promise<Response> | undefined) | undefined,
  }
  return seen
}

/** A clock on which every timer fires at once, and moves the time to its end. */
export function steppingClock() {
  const clock = {
    time: Date.UTC(2026, 0, 1),
    now: () => clock.time,
    setTimeout: (callback: () => void, delay: number) => {
      const due = clock.time + delay
      return setImmediate(() => {
        clock.time = Math.max(clock.time, due)
        callback()
      })
    },
    clearTimeout: (timer: NodeJS.Immediate) => clearImmediate(timer),
  }
  return clock
}
