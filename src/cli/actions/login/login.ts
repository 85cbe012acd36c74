import { createDeviceAuthorization } from '../../../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor } from '../../../client/options.ts'
import { exportResume } from '../../../client/resume.ts'
import { watch } from '../../../client/watch.ts'
import { isFailure } from '../../command-error.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { httpFetch } from '../../network/http-fetch.ts'
import { providerAt } from '../../network/service-address.ts'
import { forgetFlow, saveFlow } from '../../storage/saved-flows.ts'
import { exitCodeOf, failure } from '../../terminal/failure.ts'
import { reportTo } from '../../terminal/report.ts'
import type { Observed } from '../../watch/observe.ts'
import { follow } from './follow.ts'
import { copyCode, openAddress } from './hand-over.ts'
import type { LoginSession } from './login-session.ts'
import { type LoginOptions, type Plan, planLogin } from './plan.ts'
import { reportLogin, saveToken } from './settle.ts'
import { KEY_HINTS, reportSaved, stopEarly, stopOnRequest } from './stop.ts'

/** Runs `authgraph login`. Returns the exit code. */
export async function login(options: LoginOptions): Promise<number> {
  // With --print, standard output contains the token and nothing else.
  const stream = options.print && !options.json ? process.stderr : process.stdout
  const hasKeys = stream.isTTY && process.stdin.isTTY && options.wait
  const report = reportTo(stream, {
    json: options.json ?? false,
    color: options.color,
    qr: options.qr,
    keys: hasKeys ? KEY_HINTS : undefined,
  })
  try {
    const plan = await planLogin(options)
    // --watch clones each response, which only the fetch of the runtime supports.
    const fetch = await environmentFetch(options.watch ? undefined : httpFetch)
    const provider = await providerAt(plan.address, fetch)
    const session = { options, plan, provider, fetch, report, stream, hasKeys, codes: undefined }
    return await (options.watch ? authorizeWatched(session) : authorize(session))
  } catch (error) {
    if (!isFailure(error)) throw error
    const { event, lines } = failure(error, stream)
    report.say(event, ...lines)
    return exitCodeOf(error)
  } finally {
    report.close()
  }
}

async function authorizeWatched(session: LoginSession): Promise<number> {
  const { startWatching } = await import('../../watch/start-watching.ts')
  const watching = await startWatching(session.fetch, session.report, { open: session.stream.isTTY })
  try {
    return await authorize(session, watching.options)
  } finally {
    await watching.close()
  }
}

async function authorize(session: LoginSession, observed?: Observed): Promise<number> {
  const { options, plan, provider, fetch, report } = session
  const { scopes, clientId, resume } = plan
  const actor = createDeviceAuthorization({
    provider,
    fetch,
    ...observed,
    ...(resume ? { resume } : { clientId, scopes }),
    onCodes: (codes) => {
      session.codes = codes
      report.codes(codes)
      if (options.copy) void copyCode(codes, session)
      if (options.open) openAddress(codes, session)
    },
  })
  const record = saveProgress(actor, plan)
  if (!options.wait) stopEarly(actor, resume !== undefined)
  const stopped = stopOnRequest(actor, session)
  try {
    const result = await follow(actor, report)
    record.throwFailure()
    if (result === undefined) {
      reportSaved(session)
      return stopped.code()
    }
    forgetFlow(plan.name)
    const token = await saveToken(result, session)
    // Signals must not interrupt before the token is stored or printed: the service issues it once.
    if (plan.store !== 'none') stopped.close()
    await reportLogin(token, session)
    return 0
  } finally {
    stopped.close()
  }
}

/**
 * Saves the record at every change, before the poll that it describes is sent, so that a login survives any end of the
 * process. Stops the login if the record cannot be written.
 */
function saveProgress(actor: DeviceAuthorizationActor, { name, address, store }: Plan) {
  let failure: unknown
  watch(actor, (snapshot) => {
    const record = exportResume(snapshot, Date.now())
    try {
      if (record) saveFlow(name, { address, store, record })
    } catch (error) {
      failure = error
      queueMicrotask(() => actor.stop())
    }
  })
  return {
    throwFailure: () => {
      if (failure) throw failure
    },
  }
}
