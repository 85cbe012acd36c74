import type { ReadStream } from 'node:tty'
import type { DeviceResult } from '../../machines/device-authorization.ts'
import { reasonOf } from '../client/authorize-device.ts'
import { createDeviceAuthorization } from '../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor, ShownCodes } from '../client/options.ts'
import { exportResume, type ResumeRecord } from '../client/resume.ts'
import { viewOf } from '../client/view.ts'
import { watch } from '../client/watch.ts'
import { AuthgraphError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-record.ts'
import type { Profile } from '../protocol/profiles.ts'
import { Secret } from '../secret.ts'
import { CommandError } from './command-error.ts'
import type { LoginOptions } from './commands/login.ts'
import { environmentFetch } from './environment-fetch.ts'
import { exitCodeOf, failure } from './failure.ts'
import { follow } from './follow.ts'
import { httpFetch } from './http-fetch.ts'
import { listenToKeys } from './keys.ts'
import { openBrowser } from './open-browser.ts'
import { type Report, reportTo } from './report.ts'
import { forgetFlow, savedFlowOf, saveFlow } from './saved-flows.ts'
import { findProfile, saveProfile } from './saved-profiles.ts'
import { DEFAULT_ADDRESS, originOf, profileAt, type ServiceAddress } from './service-address.ts'
import type { StoreName } from './store-names.ts'
import { type TokenStore, tokenStore } from './token-store.ts'
import { timeOf, validityOf } from './validity.ts'
import type { Observed } from './watch/observe.ts'
import { type Line, styled } from './writer.ts'

/** Saved, and not finished: `EX_TEMPFAIL` of sysexits.h. */
const SAVED = 75

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

const KEY_HINTS: Line = [
  styled('bold', 'Enter'),
  styled('dim', ' opens the browser   '),
  styled('bold', 'C'),
  styled('dim', ' copies the code   '),
  styled('bold', 'Ctrl-C'),
  styled('dim', ' saves the login for later'),
]

/** Whom to ask for what, and where to keep it. */
interface Plan {
  readonly name: string
  readonly address: ServiceAddress
  readonly scopes: readonly string[]
  readonly store: TokenStore
  readonly clientId: Secret
  /** Where an earlier command stopped. */
  readonly resume: ResumeRecord | undefined
}

/** Runs `authgraph login`. Returns the exit code. */
export async function login(options: LoginOptions): Promise<number> {
  // What is printed for programs stands alone on the standard output.
  const stream = options.print && !options.json ? process.stderr : process.stdout
  const hasKeys = stream.isTTY && process.stdin.isTTY && options.wait
  const report = reportTo(stream, {
    json: options.json ?? false,
    color: options.color,
    qr: options.qr,
    keys: hasKeys ? KEY_HINTS : undefined,
  })
  try {
    const plan = options.resume ? await unfinished(options) : await planned(options)
    return await authorize(plan, { options, report, stream, hasKeys })
  } catch (error) {
    if (!(error instanceof AuthgraphError)) throw error
    const { event, lines } = failure(error)
    report.say(event, ...lines)
    return exitCodeOf(error)
  } finally {
    report.close()
  }
}

async function planned(options: LoginOptions): Promise<Plan> {
  const { host, issuer } = options
  const given = issuer ? { issuer } : host ? { host } : undefined
  const name = options.profile ?? originOf(given ?? DEFAULT_ADDRESS).host
  const known = findProfile(name)
  const store = await checkedStore(options.store ?? known?.store ?? 'keyring', options)
  const clientId = options.clientId ?? (known && (await store.read(name))?.clientId)
  if (!clientId)
    throw new CommandError(
      'usage',
      'there is no client id. Give that of your OAuth application, from its settings, with --client-id or in ' +
        'the variable AUTHGRAPH_CLIENT_ID',
    )
  return {
    name,
    address: given ?? known?.address ?? DEFAULT_ADDRESS,
    scopes: options.scope ?? known?.scopes ?? [],
    store,
    clientId: Secret.of(clientId),
    resume: undefined,
  }
}

async function unfinished(options: LoginOptions): Promise<Plan> {
  const { name, address, record, ...saved } = savedFlowOf(options.profile)
  return {
    name,
    address,
    scopes: record.scopes,
    store: await checkedStore(options.store ?? saved.store, options),
    clientId: new Secret(record.clientId),
    resume: record,
  }
}

/** A place to keep the token in is found before there is one. */
async function checkedStore(name: StoreName, { print }: LoginOptions): Promise<TokenStore> {
  if (name === 'none' && !print)
    throw new CommandError('usage', '--store none keeps nothing: add --print, or the token would be lost')
  const store = await tokenStore(name)
  await store.check()
  return store
}

interface Means {
  readonly options: LoginOptions
  readonly report: Report
  readonly stream: NodeJS.WriteStream
  readonly hasKeys: boolean
}

async function authorize(plan: Plan, means: Means): Promise<number> {
  const { options, report, stream } = means
  // The page that follows a login reads each answer a second time, as those of the runtime can be.
  const fetch = await environmentFetch(options.watch ? undefined : httpFetch)
  const profile = await profileAt(plan.address, fetch)
  const watching = options.watch
    ? await (await import('./watch/start-watching.ts')).startWatching(fetch, report, {
        open: stream.isTTY,
      })
    : undefined
  try {
    return await obtain(plan, { ...means, profile, fetch }, watching?.options)
  } finally {
    await watching?.close()
  }
}

interface Reach extends Means {
  readonly profile: Profile
  readonly fetch: typeof globalThis.fetch
}

async function obtain(plan: Plan, means: Reach, observed: Observed | undefined): Promise<number> {
  const { name, scopes, clientId, resume } = plan
  const { options, report, profile, fetch } = means
  let shown: ShownCodes | undefined
  const actor = createDeviceAuthorization({
    profile,
    fetch,
    ...observed,
    ...(resume ? { resume } : { clientId, scopes }),
    onCodes: (codes) => {
      shown = codes
      report.codes(codes)
      if (options.copy) void copyCode(codes, means)
      if (options.open) open(codes, report)
    },
  })
  keepRecord(actor, plan)
  if (!options.wait) stopEarly(actor, resume !== undefined)
  const stopped = stopOnRequest(actor, means, () => shown)
  try {
    const result = await follow(actor, report)
    if (result === undefined) return saved(plan, { report, shown, code: stopped.code() })
    forgetFlow(name)
    return await settle(result, plan, means)
  } finally {
    stopped.close()
  }
}

/** Writes the record down at every change, before the poll leaves that it speaks of: any end of the process will do. */
function keepRecord(actor: DeviceAuthorizationActor, { name, address, store }: Plan): void {
  watch(actor, (snapshot) => {
    const record = exportResume(snapshot, Date.now())
    if (record) saveFlow(name, { address, store: store.name, record })
  })
}

/** Stops as soon as there is a code to show, or, of a login that goes on, once the service was asked. */
function stopEarly(actor: DeviceAuthorizationActor, isResumed: boolean): void {
  watch(actor, (snapshot) => {
    const { activity, polls } = viewOf(snapshot, Date.now())
    const rests = activity === 'waiting' || activity === 'retrying'
    if (rests && (!isResumed || polls > 0)) queueMicrotask(() => actor.stop())
  })
}

/** Stops at a signal or at Ctrl-C, and obeys the other keys. */
function stopOnRequest(actor: DeviceAuthorizationActor, means: Means, shown: () => ShownCodes | undefined) {
  let code: number = SAVED
  const stop = (signal: keyof typeof SIGNALS) => {
    code = SIGNALS[signal]
    actor.stop()
  }
  const withCodes = (act: (codes: ShownCodes) => unknown) => () => {
    const codes = shown()
    if (codes) void act(codes)
  }
  const copying = withCodes((codes) => copyCode(codes, means))
  const opening = withCodes((codes) => open(codes, means.report))
  const stopListening = means.hasKeys
    ? listenToKeys(process.stdin as ReadStream, {
        '\u0003': () => stop('SIGINT'),
        '\r': opening,
        c: copying,
        C: copying,
      })
    : () => undefined
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return {
    code: () => code,
    close: () => {
      stopListening()
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

function saved(
  { name }: Plan,
  {
    report,
    shown,
    code,
  }: { readonly report: Report; readonly shown: ShownCodes | undefined; readonly code: number },
): number {
  if (shown === undefined) {
    report.say({ event: 'stopped' }, 'Stopped before there was a code. Nothing was saved.')
    return code
  }
  const resume = `authgraph login --resume --profile ${name}`
  report.say(
    { event: 'saved', profile: name, resume, expiresAt: shown.expiresAt },
    [styled('yellow', '●'), ` The login is saved, and the code stays good until ${timeOf(shown.expiresAt)}.`],
    ['  Go on with  ', styled('bold', resume)],
  )
  return code
}

async function settle(
  result: DeviceResult,
  { name, address, scopes, store, clientId }: Plan,
  { options, report, profile }: Reach,
): Promise<number> {
  if (result.status !== 'authorized') throw reasonOf(result)
  const { token } = result
  await keep(store, name, { clientId, token })
  if (store.name !== 'none')
    saveProfile(name, { address, scopes: [...scopes], store: store.name, since: Date.now() })
  const { whoIs } = await import('./who-is.ts')
  const answer = await whoIs(token, { profile, fetch: await environmentFetch() })
  const user = typeof answer === 'string' ? answer : undefined
  const { host } = originOf(address)
  report.say(
    {
      event: 'authorized',
      profile: name,
      host,
      ...(user && { user }),
      scopes: token.scopes,
      missingScopes: token.missingScopes,
      ...(token.expiresAt && { expiresAt: token.expiresAt }),
      store: store.name,
      ...(options.print && { token: token.accessToken.reveal() }),
    },
    '',
    [
      styled('green', '✓'),
      ' Logged in to ',
      styled('bold', host),
      ...(user ? [' as ', styled('bold', user)] : []),
    ],
    ...(name === host ? [] : [`  profile     ${name}`]),
    ...tokenLines(token),
    ...(store.name === 'none' ? [] : [`  kept in     ${store.place(name)}`]),
    '',
  )
  if (options.print && !options.json) process.stdout.write(`${token.accessToken.reveal()}\n`)
  return 0
}

async function keep(...[store, name, kept]: [TokenStore, ...Parameters<TokenStore['write']>]): Promise<void> {
  try {
    await store.write(name, kept)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the store failed'
    throw new CommandError('not_kept', `the token came but could not be kept, and is lost: ${why}`)
  }
}

function tokenLines(token: OAuthToken): Line[] {
  const { scopes, missingScopes } = token
  return [
    `  scopes      ${scopes.join(', ') || 'none'}`,
    ...(missingScopes.length > 0 ? [`  not given   ${missingScopes.join(', ')}`] : []),
    `  valid       ${validityOf(token)}`,
  ]
}

async function copyCode({ userCode }: ShownCodes, { report, stream }: Means): Promise<void> {
  const { copy } = await import('./copy.ts')
  const message = await copy(userCode, stream)
  report.say({ event: 'copy', message }, message)
}

function open({ verificationUriComplete, verificationUri }: ShownCodes, report: Report): void {
  const address = verificationUriComplete ?? verificationUri
  const message = openBrowser(address)
    ? `Opening ${address}`
    : 'There is no browser here: open the address on another device.'
  report.say({ event: 'open', message }, message)
}
