import { createDeviceAuthorization } from '../../../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor, ShownCodes } from '../../../client/options.ts'
import { exportResume } from '../../../client/resume.ts'
import { watch } from '../../../client/watch.ts'
import { AuthgraphError } from '../../../errors.ts'
import type { Provider } from '../../../protocol/provider.ts'
import type { LoginOptions } from '../../commands/login.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { httpFetch } from '../../network/http-fetch.ts'
import { providerAt } from '../../network/service-address.ts'
import { forgetFlow, saveFlow } from '../../storage/saved-flows.ts'
import { exitCodeOf, failure } from '../../terminal/failure.ts'
import { type Report, reportTo } from '../../terminal/report.ts'
import type { Observed } from '../../watch/observe.ts'
import { follow } from './follow.ts'
import { copyCode, openAddress } from './hand-over.ts'
import { type Plan, planLogin } from './plan.ts'
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
    return await authorize(await planLogin(options), { options, report, stream, hasKeys })
  } catch (error) {
    if (!(error instanceof AuthgraphError)) throw error
    const { event, lines } = failure(error, stream)
    report.say(event, ...lines)
    return exitCodeOf(error)
  } finally {
    report.close()
  }
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
  const provider = await providerAt(plan.address, fetch)
  const watching = options.watch
    ? await (await import('../../watch/start-watching.ts')).startWatching(fetch, report, {
        open: stream.isTTY,
      })
    : undefined
  try {
    return await obtain(plan, { ...means, provider, fetch }, watching?.options)
  } finally {
    await watching?.close()
  }
}

interface Reach extends Means {
  readonly provider: Provider
  readonly fetch: typeof globalThis.fetch
}

async function obtain(plan: Plan, means: Reach, observed: Observed | undefined): Promise<number> {
  const { name, scopes, store, clientId, resume } = plan
  const { options, report, provider, fetch } = means
  let shown: ShownCodes | undefined
  const actor = createDeviceAuthorization({
    provider,
    fetch,
    ...observed,
    ...(resume ? { resume } : { clientId, scopes }),
    onCodes: (codes) => {
      shown = codes
      report.codes(codes)
      if (options.copy) void copyCode(codes, means)
      if (options.open) openAddress(codes, means)
    },
  })
  const record = keepRecord(actor, plan)
  if (!options.wait) stopEarly(actor, resume !== undefined)
  const stopped = stopOnRequest(actor, { ...means, shown: () => shown })
  try {
    const result = await follow(actor, report)
    record.throwFailure()
    if (result === undefined) {
      tellSaved(plan, report, shown)
      return stopped.code()
    }
    forgetFlow(name)
    const token = await keepToken(result, plan)
    // Nothing stops what lies between a token and where it is kept, or else printed: it comes once.
    if (store.name !== 'none') stopped.close()
    await tellLogin(token, plan, { options, report, provider })
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
