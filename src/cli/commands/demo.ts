import { type Command, Option } from 'commander'
import { createApi } from '../../auth/create-api.ts'
import { oauth } from '../../auth/oauth.ts'
import { reasonOf } from '../../client/authorize-device.ts'
import { createDeviceAuthorization } from '../../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor } from '../../client/options.ts'
import { viewOf } from '../../client/view.ts'
import { githubApi } from '../../github-api/github-api.ts'
import type { OAuthToken } from '../../protocol/oauth-token.ts'
import { github } from '../../protocol/providers.ts'
import type { LoginRecorder } from '../../recording/record.ts'
import { recordGrants } from '../../recording/record-grants.ts'
import { createService, type Service } from '../../service/create-service.ts'
import { memoryStore } from '../../store/memory-store.ts'
import { SIGNAL_EXIT_CODES } from '../../terminal/exit-codes.ts'
import { type LoginTerminal, loginTerminal } from '../../terminal/login-terminal.ts'
import type { TerminalTexts } from '../../terminal/texts.ts'
import { fact, type Line, styled } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { textsOf } from '../command-texts.ts'
import { nextSteps } from '../next-steps.ts'
import type { WatchOptions } from '../watch/start-watching.ts'
import { whileWatched } from '../watch/while-watched.ts'
import { wholeNumber } from './values.ts'

interface DemoOptions extends WatchOptions {
  readonly approve?: true
  readonly deny?: true
  readonly expire?: true
  /** Seconds between polls. */
  readonly interval: number
  readonly json?: true
  readonly color: boolean
}

interface Demo {
  readonly service: Service
  readonly url: string
  readonly terminal: LoginTerminal
  readonly options: DemoOptions
  readonly recorder?: LoginRecorder
}

const CLIENT_ID = 'authgraph-demo'

/** Polls after which `--approve` and `--deny` decide. */
const POLLS_BEFORE_DECISION = 2

/** Declares `authgraph demo`. */
export function demoCommand(): Command {
  return command({
    name: 'demo',
    summary: 'try a complete login on this machine',
    description:
      'Start an authorization service on a free port of this machine, request a code as a device would, ' +
      'and poll until you approve or deny the request in your browser.',
    exitCodes: { 0: 'authorized', 1: 'not authorized', 130: 'interrupted with Ctrl-C' },
    examples: ['authgraph demo', 'authgraph demo --watch', 'authgraph demo --approve --interval 1'],
  })
    .addOption(
      new Option('--approve', 'approve automatically after the second poll').conflicts(['deny', 'expire']),
    )
    .addOption(new Option('--deny', 'deny automatically after the second poll').conflicts('expire'))
    .option('--expire', 'let the code expire')
    .option('--interval <seconds>', 'poll at this interval', wholeNumber(1, 300, 'seconds'), 5)
    .option('--watch', 'follow states, transitions and HTTP messages in the browser')
    .option('--record <file>', 'write the events to this file, for authgraph replay')
    .option('--json', 'print one JSON object per line')
    .action(exitWith(demo))
}

/** What a demo advises. */
const ADVICE: Readonly<Record<string, string>> = {
  denied: 'No token was issued. Try next: authgraph demo --expire',
  expired: 'No token was issued. Try next: authgraph demo --watch',
}

/** Says who decides. */
function textsFor({ approve, deny, expire }: DemoOptions): TerminalTexts {
  const decides = approve ? 'approves the request' : 'denies the request'
  const states = {
    requested: expire ? 'The demo lets the code expire.' : `The demo ${decides} after the second poll.`,
    pending: 'Nothing is decided yet.',
  }
  const own: Readonly<Record<string, string>> = approve || deny || expire ? states : {}
  const texts = textsOf('authgraph demo')
  return {
    ...texts,
    advice: (error) => ADVICE[error.code] ?? texts.advice(error),
    state: (view) => own[view.status] ?? texts.state(view),
  }
}

async function demo(options: DemoOptions): Promise<number> {
  const { json = false, color } = options
  const open = isLeftToUser(options) && process.stdout.isTTY && !json
  const texts = textsFor(options)
  const terminal = loginTerminal({ stream: process.stdout, json, color, open, qr: false, keys: false, texts })
  try {
    return await whileWatched(fetch, terminal, options, async (recorder, send = () => undefined) => {
      const service = createService({
        store: recordGrants(memoryStore(), send),
        clients: [{ clientId: CLIENT_ID, name: 'Authgraph demo' }],
        interval: options.interval,
        api: githubApi(),
        // The warnings are about production.
        onWarning: () => undefined,
        ...(options.expire && { expiresIn: 3 * options.interval }),
      })
      const { url, close } = await service.listen({ port: 0 })
      try {
        return await logIn({ service, url, terminal, options, ...(recorder && { recorder }) })
      } finally {
        await close()
      }
    })
  } finally {
    terminal.close()
  }
}

async function logIn({ service, url, terminal, options, recorder }: Demo): Promise<number> {
  const { report } = terminal
  const provider = github({ authUrl: url, baseUrl: url })
  const actor = createDeviceAuthorization({
    clientId: CLIENT_ID,
    scopes: ['repo', 'gist'],
    provider,
    ...recorder,
  })
  decideAutomatically(actor, service, options)
  const result = await terminal.run(actor)
  if (result.status === 'authorized') {
    const user = await createApi({ auth: oauth(result.token), provider })('/user')
    report.say({ event: 'authorized', token: result.token, user }, ...record(result.token, user))
    return 0
  }
  terminal.fail(reasonOf(result))
  const signal = terminal.signal()
  return signal ? SIGNAL_EXIT_CODES[signal] : 1
}

function isLeftToUser({ approve, deny, expire }: DemoOptions): boolean {
  return !approve && !deny && !expire
}

function decideAutomatically(
  actor: DeviceAuthorizationActor,
  service: Service,
  { approve, deny }: Pick<DemoOptions, 'approve' | 'deny'>,
): void {
  if (!approve && !deny) return
  const subscription = actor.subscribe((snapshot) => {
    const { userCode, activity, polls } = viewOf(snapshot, Date.now())
    if (userCode === undefined || activity !== 'waiting' || polls < POLLS_BEFORE_DECISION) return
    subscription.unsubscribe()
    void (approve ? service.approve(userCode, { id: 1, login: 'octocat' }) : service.deny(userCode))
  })
}

function record(token: OAuthToken, user: unknown): Line[] {
  return [
    '',
    [styled('green', '✓'), ' Logged in, and used the token'],
    fact('token', `${token.accessToken} (${token.tokenType})`),
    fact('scopes', token.scopes.join(', ')),
    fact('GET /user', JSON.stringify(user)),
    '',
    ...nextSteps({
      'authgraph demo --watch': 'see it in your browser',
      'authgraph demo --deny': 'deny the request',
      'authgraph demo --expire': 'let the code expire',
    }),
  ]
}
