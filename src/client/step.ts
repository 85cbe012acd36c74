import { waitFor } from 'xstate'
import type { DeviceResult, DeviceStatus } from '../../machines/device-context.ts'
import { CancelledError } from '../errors.ts'
import { systemClock } from '../request/clock.ts'
import { systemFetch } from '../request/http.ts'
import { reasonOf } from './authorize-device.ts'
import {
  createDeviceAuthorization,
  resumeDeviceAuthorization,
  shownCodes,
} from './create-device-authorization.ts'
import type {
  DeviceAuthorizationActor,
  ResumeRecord,
  ShownCodes,
  StartDeviceLoginOptions,
  StepDeviceLoginOptions,
} from './options.ts'
import { exportResume } from './resume.ts'
import { type DeviceSnapshot, type DeviceView, viewOf } from './view.ts'

/** A login that waits for the user, or for the time of its next poll. */
export interface UnfinishedDeviceLogin {
  /** The result of the last poll; `requested` before the first one. */
  readonly status: DeviceStatus
  /** What to show to the user. */
  readonly codes: ShownCodes
  /** Plain data for a user interface. */
  readonly view: DeviceView
  /** **Sensitive**: pass it to `stepDeviceLogin`, from its `nextPollAt` on. */
  readonly record: ResumeRecord
}

/** The progress of a login, or how it ended. Only an unfinished one has a `record`. */
export type DeviceLoginStep = UnfinishedDeviceLogin | Exclude<DeviceResult, { readonly status: 'cancelled' }>

/**
 * Requests codes, and returns them with a record for {@link stepDeviceLogin}. For programs that cannot wait for the user:
 * agents, serverless functions, scheduled jobs. Everything else uses `authorizeDevice`.
 *
 * @example
 * ```ts
 * import { startDeviceLogin, stepDeviceLogin } from 'authgraph'
 *
 * const { codes, record } = await startDeviceLogin({
 *   clientId: 'YOUR_CLIENT_ID',
 *   scopes: ['repo'],
 * })
 * console.log(`Enter ${codes.userCode} at ${codes.verificationUri}`)
 * // Later, also in another process, and again with each new record:
 * const login = await stepDeviceLogin(record)
 * if (login.status === 'authorized') console.log(login.token.scopes)
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing or invalid; the error of the request, as `authorizeDevice`
 * does; and what `save` throws.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export async function startDeviceLogin(options: StartDeviceLoginOptions): Promise<UnfinishedDeviceLogin> {
  const login = await run(createDeviceAuthorization, options)
  if ('record' in login) return login
  // Without a poll, there is no token.
  throw reasonOf(login as Parameters<typeof reasonOf>[0])
}

/**
 * Continues a login by at most one poll. Before a poll is due, returns at once and sends nothing.
 *
 * @param record The record of the previous step. Each record is good for one poll: a record that was passed twice would
 * poll twice, so store the new one, with `save` even if the process may end in between.
 * @throws {@link BadResumeError} if the record cannot be read; {@link WrongHostError} if it belongs to another provider;
 * {@link BadOptionError}; {@link CancelledError} if the signal is aborted, after which the stored record remains valid;
 * and what `save` throws.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.4 RFC 8628, section 3.4}
 */
export function stepDeviceLogin(
  record: ResumeRecord,
  options: StepDeviceLoginOptions = {},
): Promise<DeviceLoginStep> {
  return run((flow) => resumeDeviceAuthorization(record, flow), options, record)
}

/** Runs the actor until it would wait. */
async function run<Options extends StepDeviceLoginOptions>(
  create: (options: Omit<Options, 'save'>) => DeviceAuthorizationActor,
  { save, ...options }: Options,
  resumed?: ResumeRecord,
): Promise<DeviceLoginStep> {
  const { fetch = systemFetch, clock = systemClock, signal } = options
  if (signal?.aborted) throw new CancelledError(signal.reason)
  let previous = resumed
  const store = async (next: ResumeRecord) => {
    await save?.(next, previous)
    previous = next
  }
  let failure: { readonly error: unknown } | undefined
  const actor = create({
    ...options,
    fetch: async (input, init) => {
      const record = exportResume(actor.getSnapshot(), clock.now())
      try {
        // A poll in another encoding is still the same poll.
        if (record && previous === resumed) await store(record)
      } catch (error) {
        failure = { error }
        throw error
      }
      return fetch(input, init)
    },
  })
  const waiting = waitFor(
    actor,
    (snapshot) => snapshot.output !== undefined || isAtRest(snapshot, clock.now()),
  )
  actor.start()
  // A poll that is due needs no timer.
  if (actor.getSnapshot().status === 'active') actor.send({ type: 'wake' })
  const snapshot = await waiting
  actor.stop()
  if (failure) throw failure.error
  const { output } = snapshot
  if (output?.status === 'cancelled') throw reasonOf(output, signal)
  if (output) return output
  const now = clock.now()
  const record = exportResume(snapshot, now) as ResumeRecord
  await store(record)
  return {
    status: record.status,
    codes: shownCodes(snapshot) as ShownCodes,
    view: viewOf(snapshot, now),
    record,
  }
}

/** Whether a poll has ended, or none is due. */
function isAtRest(snapshot: DeviceSnapshot, now: number): boolean {
  const { polls, nextPollAt, expiresAt } = snapshot.context
  return snapshot.hasTag('waiting') && (polls > 0 || now < Math.min(nextPollAt, expiresAt))
}
