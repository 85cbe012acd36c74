import { startWatching } from '../../src/cli/watch/start-watching.ts'
import type { ReceivedEvent } from '../../src/cli/watch/stream.ts'
import { createDeviceAuthorization, github } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

const CLIENT_ID = 'client-id-in-the-clear'
const URL = 'https://login.example'

/** An authorization under virtual time that a page follows, with a service that records the secrets. */
export async function watchedFlow(response?: (body: object) => object) {
  const time = new VirtualTime()
  // The page uses the real clock.
  time.now = Date.now()
  const clock = time.clock()
  const secrets = [CLIENT_ID]
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'Watched' }],
    clock,
    authUrl: URL,
    baseUrl: URL,
    onWarning: () => undefined,
  })
  let address = ''
  const watching = await startWatching(
    async (input, init) => {
      const body = await (await service.fetch(new Request(input, init))).json()
      secrets.push(...[body.device_code, body.access_token].filter(Boolean))
      return Response.json(response?.(body) ?? body)
    },
    {
      codes: () => undefined,
      state: () => undefined,
      close: () => undefined,
      say: ({ url }) => {
        address = String(url)
      },
    },
    { watch: true, open: false },
  )
  const actor = createDeviceAuthorization({
    clientId: CLIENT_ID,
    scopes: ['repo', 'gist'],
    provider: github({ authUrl: URL, baseUrl: URL }),
    clock,
    random: () => 0,
    ...watching.options,
    fetch: time.through(watching.options.fetch),
  })
  actor.subscribe({ error: () => undefined })
  return {
    actor,
    /** What must not be exposed: the client ID, and the secrets that the service issued. */
    secrets,
    /** The address of the page, with its token. */
    address,
    /** Runs until the machine reaches a state. */
    reach: (state: 'pending' | 'settled') =>
      time.until(() => {
        const snapshot = actor.getSnapshot()
        return state === 'settled' ? snapshot.status !== 'active' : snapshot.matches({ waiting: state })
      }),
    decide: (decision: 'approve' | 'deny') => {
      const code = actor.getSnapshot().context.codes?.userCode ?? ''
      return decision === 'approve' ? service.approve(code, { id: 1, login: 'octocat' }) : service.deny(code)
    },
    close: watching.close,
  }
}

/** Reads a stream of events to its end. */
export function eventsOf(stream: string): ReceivedEvent[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}
