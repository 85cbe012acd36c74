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
import { keepToken, tellLogin } from './settle.ts'
import { KEY_HINTS, stopEarly, stopOnRequest, tellSaved } from './stop.ts'

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
    const plan = await planLogin(options)
    // The page that follows a login reads each response a second time, as those of the runtime can be.
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
  const record = keepRecord(actor, plan)
  if (!options.wait) stopEarly(actor, resume !== undefined)
  const stopped = stopOnRequest(actor, session)
  try {
    const result = await follow(actor, report)
    record.throwFailure()
    if (result === undefined) {
      tellSaved(session)
      return stopped.code()
    }
    forgetFlow(plan.name)
    const token = await keepToken(result, plan)
    // Nothing stops what lies between a token and where it is kept, or else printed: it comes once.
    if (plan.store.name !== 'none') stopped.close()
    await tellLogin(token, session)
    return 0
  } finally {
    stopped.close()
  }
}

/**
 * Writes the record down at every change, before the poll leaves that it speaks of: any end of the process will do.
 * Where it cannot be written the login stops.
 */
function keepRecord(actor: DeviceAuthorizationActor, { name, address, store }: Plan) {
  let failure: unknown
  watch(actor, (snapshot) => {
    const record = exportResume(snapshot, Date.now())
    try {
      if (record) saveFlow(name, { address, store: store.name, record })
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
