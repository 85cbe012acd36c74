import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DeviceResult } from '../../../../machines/device-context.ts'
import {
  createDeviceAuthorization,
  resumeDeviceAuthorization,
} from '../../../client/create-device-authorization.ts'
import type { ResumeRecord } from '../../../client/options.ts'
import { exportResume, readResume } from '../../../client/resume.ts'
import { startDeviceLogin, stepDeviceLogin, type UnfinishedDeviceLogin } from '../../../client/step.ts'
import { watchActor } from '../../../client/watch.ts'
import { dpop } from '../../../dpop/dpop.ts'
import { CancelledError } from '../../../errors.ts'
import { shownOf } from '../../../protocol/device-codes.ts'
import type { Dpop } from '../../../protocol/dpop.ts'
import type { Provider } from '../../../protocol/provider.ts'
import type { LoginRecorder } from '../../../recording/record.ts'
import { exitCodeOf, SIGNAL_EXIT_CODES } from '../../../terminal/exit-codes.ts'
import { timeOf } from '../../../terminal/login-facts.ts'
import { type LoginTerminal, loginTerminal } from '../../../terminal/login-terminal.ts'
import { isLive } from '../../../terminal/report.ts'
import { styled, toType } from '../../../terminal/writer.ts'
import { brokenOutput, finishWithoutOutput } from '../../command.ts'
import { isFailure } from '../../command-error.ts'
import { textsOf } from '../../command-texts.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { httpFetch } from '../../network/http-fetch.ts'
import { providerAt } from '../../network/service-address.ts'
import { printWarning } from '../../print-error.ts'
import { damagedFlow, type OwnFlow, ownFlow, unfinishedLogins } from '../../storage/saved-flows.ts'
import { isWatched, whileWatched } from '../../watch/while-watched.ts'
import { type LoginOptions, type LoginSession, type Plan, planLogin } from './plan.ts'

/** The exit code of a saved login: `EX_TEMPFAIL` of sysexits.h. */
const SAVED = 75

/** Runs `authgraph login`. Returns the exit code. */
export async function login(options: LoginOptions, self: Command): Promise<number> {
  // The variable may be set for other logins.
  if (options.resume && self.getOptionValueSource('clientId') === 'cli')
    self.error('error: --resume cannot be used with --client-id')
  const { json = false, copy = false, open = false, qr, color, wait } = options
  finishWithoutOutput()
  const texts = textsOf('authgraph login', { ...options, hasCodes: () => terminal.codes() !== undefined })
  const terminal: LoginTerminal = loginTerminal({
    // With --print, standard output contains the token and nothing else.
    ...(options.print && !json && { stream: process.stderr }),
    ...{ json, copy, open, qr, color, keys: wait, texts },
  })
  try {
    const plan = await planLogin(options)
    // A recorder clones each response, which only the fetch of the runtime supports.
    const fetch = await environmentFetch(isWatched(options) ? undefined : httpFetch)
    const provider = await providerAt(plan.address, fetch)
    assertResumable(plan, provider)
    const flow = ownFlow(plan.name, plan.resume?.deviceCode)
    const login = { options, plan, flow, provider, fetch, terminal }
    return await whileWatched(fetch, terminal, options, (recorder) => authorize(login, recorder))
  } catch (error) {
    if (!isFailure(error) || (terminal.stream === process.stdout && brokenOutput())) throw error
    terminal.fail(error)
    return exitCodeOf(error)
  } finally {
    terminal.close()
  }
}

/** Says in the words of the command line that the saved progress cannot be resumed. */
function assertResumable({ name, resume }: Plan, provider: Provider): void {
  try {
    if (resume) readResume(resume, provider)
  } catch {
    throw damagedFlow(name)
  }
}

async function authorize(login: LoginSession, recorder?: LoginRecorder): Promise<number> {
  const { options, plan, terminal } = login
  if (!plan.resume && unfinishedLogins().includes(plan.name))
    printWarning(`this login will replace the unfinished one of ${plan.name}`)
  const result = await (options.wait ? untilEnd(login, recorder) : once(login, recorder))
  if ('record' in result || result.status === 'cancelled') {
    reportSaved(login)
    const signal = terminal.signal()
    return signal ? SIGNAL_EXIT_CODES[signal] : SAVED
  }
  const { reportLogin, saveToken } = await import('./settle.ts')
  const token = await saveToken(result, login).finally(() => forget(login.flow))
  // Signals must not interrupt before the token is stored or printed: the service issues it once.
  if (plan.store !== 'none') terminal.release()
  await reportLogin(token, login)
  return 0
}

/**
 * Waits for the user. Saves the record at every change, before the poll that it describes is sent, so that a login
 * survives any end of the process. Stops the login if the record cannot be written.
 */
async function untilEnd(login: LoginSession, recorder?: LoginRecorder): Promise<DeviceResult> {
  const { plan, provider, fetch, terminal } = login
  const { clientId, scopes, resume } = plan
  const options = { provider, fetch, dpop: keyOf(login), ...recorder }
  const actor = resume
    ? resumeDeviceAuthorization(resume, options)
    : createDeviceAuthorization({ ...options, clientId, scopes })
  let failure: unknown
  watchActor(actor, (snapshot) => {
    const record = exportResume(snapshot, Date.now())
    try {
      if (record) save(login, record)
    } catch (error) {
      failure = error
      queueMicrotask(() => actor.send({ type: 'cancel' }))
    }
  })
  const result = await terminal.run(actor)
  if (failure) throw failure
  return result
}

/** Requests a code or, for a saved login, polls once. */
async function once(
  session: LoginSession,
  recorder?: LoginRecorder,
): Promise<UnfinishedDeviceLogin | DeviceResult> {
  const { plan, provider, fetch, terminal } = session
  const { clientId, scopes, resume } = plan
  const stop = new AbortController()
  const { signal } = stop
  terminal.listen(() => stop.abort())
  const options = {
    ...{ provider, fetch, dpop: keyOf(session), ...recorder, signal },
    save: (record: ResumeRecord) => save(session, record),
  }
  const show = (login: UnfinishedDeviceLogin | DeviceResult) => {
    if (!('record' in login)) return
    if (!terminal.codes()) terminal.show(login.codes)
    terminal.report.state(login.view, () => login.view)
  }
  if (resume) {
    // A poll may take long, and after Ctrl-C the user needs the code.
    const { codes, interval, expiresAt } = readResume(resume, provider).resume
    if (Date.now() < expiresAt) terminal.show({ ...shownOf(codes), interval, expiresAt })
  }
  try {
    let login = resume
      ? await stepDeviceLogin(resume, options)
      : await startDeviceLogin({ ...options, clientId, scopes })
    show(login)
    if (resume && 'record' in login && login.view.polls === 0) {
      // A timer may fire a millisecond early.
      await setTimeout(login.record.nextPollAt - Date.now() + 1, undefined, { signal }).catch(() => undefined)
      login = await stepDeviceLogin(login.record, options)
      show(login)
    }
    return login
  } catch (error) {
    if (error instanceof CancelledError) return { status: 'cancelled' }
    throw error
  }
}

/** What binds the token to a key, if the user wants that, or the saved login has one. */
function keyOf({ options, plan }: LoginSession): Dpop | undefined {
  return options.dpop || plan.resume?.dpopKey ? dpop({ required: true }) : undefined
}

/** A record that stays neither costs the user a token nor hides how the login ended. */
function forget(flow: OwnFlow): void {
  try {
    flow.forget()
  } catch {
    // It is removed once its codes have expired.
  }
}

function save({ plan: { address, store }, flow }: LoginSession, record: ResumeRecord): void {
  flow.save({ address, store, record })
  // Once the codes are there, which it would delay, and before a poll: the package may be replaced while the user decides.
  void import('./settle.ts')
}

function reportSaved({ plan: { name, store }, flow, terminal }: LoginSession): void {
  const { report } = terminal
  const { expiresAt } = terminal.codes() ?? {}
  if (expiresAt === undefined) {
    report.say({ event: 'stopped' }, 'Stopped before a code was issued. Nothing was saved.')
    return
  }
  if (!flow.isSaved()) {
    const why = `another login of ${name} has replaced it, or a logout has deleted it`
    report.say({ event: 'stopped' }, `Stopped. This login is not saved: ${why}.`)
    return
  }
  // Some shells read the brackets of an IPv6 address as a pattern.
  const profile = name.includes('[') ? `'${name}'` : name
  const resume = `authgraph login --resume --profile ${profile}${store === 'none' ? ' --print' : ''}`
  report.say(
    { event: 'saved', profile: name, resume, expiresAt },
    ...(isLive(terminal.stream) ? [''] : []),
    [styled('yellow', '●'), ` Login saved. The code is valid until ${timeOf(expiresAt)}.`],
    ['  Resume with  ', toType(resume)],
  )
}
