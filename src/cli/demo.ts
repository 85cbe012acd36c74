import type { DeviceResult } from '../../machines/device-authorization.ts'
import { createApi } from '../auth/create-api.ts'
import { oauth } from '../auth/oauth.ts'
import { createDeviceAuthorization } from '../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor } from '../client/options.ts'
import { viewOf } from '../client/view.ts'
import { watch } from '../client/watch.ts'
import { github } from '../protocol/profiles.ts'
import { createService, type Service } from '../service/create-service.ts'
import { DEMO_HELP, type DemoOptions, readDemoOptions } from './demo-options.ts'
import { openBrowser } from './open-browser.ts'
import { type Report, reportTo } from './report.ts'

const CLIENT_ID = 'authgraph-demo'

/** Polls after which `--approve` and `--deny` decide. */
const POLLS_BEFORE_DECISION = 2

/** Runs `authgraph demo`. Returns the exit code. */
export async function demo(args: readonly string[]): Promise<number> {
  let options: DemoOptions
  try {
    options = readDemoOptions(args)
  } catch (error) {
    process.stderr.write(`authgraph demo: ${(error as Error).message}. See: authgraph demo --help\n`)
    return 1
  }
  if (options.help) {
    process.stdout.write(DEMO_HELP)
    return 0
  }
  return run(options)
}

async function run(options: DemoOptions): Promise<number> {
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'Authgraph demo' }],
    interval: options.interval,
    ...(options.decision === 'expire' && { expiresIn: 3 * options.interval }),
  })
  const { url, close } = await service.listen({ port: 0 })
  const profile = github({ authUrl: url, baseUrl: url })
  const report = reportTo(process.stdout, options)
  const interrupt = new AbortController()
  const onInterrupt = () => interrupt.abort()
  process.once('SIGINT', onInterrupt)
  try {
    const actor = createDeviceAuthorization({
      clientId: CLIENT_ID,
      scopes: ['repo', 'gist'],
      profile,
      signal: interrupt.signal,
      onCodes: (codes) => {
        report.codes(codes)
        if (options.decision === 'person') openBrowser(codes.verificationUriComplete ?? codes.verificationUri)
      },
    })
    decideBySelf(actor, service, options.decision)
    const result = await follow(actor, report)
    if (result.status === 'authorized')
      report.authorized(result.token, await createApi({ auth: oauth(result.token), profile })('/user'))
    return interrupt.signal.aborted ? 130 : result.status === 'authorized' ? 0 : 1
  } finally {
    process.off('SIGINT', onInterrupt)
    report.close()
    await close()
  }
}

function follow(actor: DeviceAuthorizationActor, report: Report): Promise<DeviceResult> {
  return new Promise((resolve, reject) => {
    actor.subscribe({ error: reject, complete: () => resolve(actor.getSnapshot().output as DeviceResult) })
    actor.start()
    watch(actor, (snapshot) => report.state(viewOf(snapshot, Date.now()), () => viewOf(snapshot, Date.now())))
  })
}

function decideBySelf(
  actor: DeviceAuthorizationActor,
  service: Service,
  decision: DemoOptions['decision'],
): void {
  if (decision !== 'approve' && decision !== 'deny') return
  const subscription = actor.subscribe((snapshot) => {
    const { userCode, activity, polls } = viewOf(snapshot, Date.now())
    if (userCode === undefined || activity !== 'waiting' || polls < POLLS_BEFORE_DECISION) return
    subscription.unsubscribe()
    void (decision === 'approve'
      ? service.approve(userCode, { id: 1, login: 'octocat' })
      : service.deny(userCode))
  })
}
