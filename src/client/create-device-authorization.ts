import { createActor } from 'xstate'
import type { DeviceAuthorizationInput } from '../../machines/device-context.ts'
import { shownOf } from '../protocol/device-codes.ts'
import { systemClock } from '../request/clock.ts'
import { deviceMachine } from './device-machine.ts'
import type {
  DeviceAuthorizationActor,
  DeviceAuthorizationOptions,
  ResumeOptions,
  ResumeRecord,
  ShownCodes,
} from './options.ts'
import { newInput, resumedInput } from './read-options.ts'
import type { DeviceSnapshot } from './view.ts'

/**
 * Creates an XState actor that runs the device flow. It does nothing before `start()`. Each actor is a separate flow.
 *
 * @example
 * ```ts
 * import { createDeviceAuthorization, viewOf, watchActor } from 'authgraph'
 *
 * const actor = createDeviceAuthorization({
 *   clientId: 'YOUR_CLIENT_ID',
 *   scopes: ['repo'],
 * })
 * watchActor(actor, (snapshot) => show(viewOf(snapshot, Date.now())))
 * actor.start()
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3 RFC 8628, section 3}
 */
export function createDeviceAuthorization(options: DeviceAuthorizationOptions): DeviceAuthorizationActor {
  return actorOf(newInput(options), options)
}

/**
 * Creates an actor that continues a login from a record of `exportResume`, in the same process or in another one. It does
 * nothing before `start()`.
 *
 * @example
 * ```ts
 * import { resumeDeviceAuthorization } from 'authgraph'
 *
 * const actor = resumeDeviceAuthorization(await database.load())
 * actor.subscribe({ complete: () => show(actor.getSnapshot().output) })
 * actor.start()
 * ```
 *
 * @param record **Sensitive**: it contains the device code.
 * @param options With the provider that the record was created with.
 * @throws {@link BadResumeError} if the record cannot be read; {@link WrongHostError} if it belongs to another provider;
 * {@link BadOptionError} if an option is unknown or invalid.
 */
export function resumeDeviceAuthorization(
  record: ResumeRecord,
  options: ResumeOptions = {},
): DeviceAuthorizationActor {
  return actorOf(resumedInput(record, options), options)
}

function actorOf(
  input: DeviceAuthorizationInput,
  { clock = systemClock, onCodes, signal, inspect }: ResumeOptions,
): DeviceAuthorizationActor {
  const actor = createActor(deviceMachine, { input, clock, ...(inspect && { inspect }) })
  if (onCodes) onceStarted(actor, () => announce(actor, onCodes))
  if (signal) onceStarted(actor, () => cancelOn(signal, actor))
  return actor
}

/** Calls once with the codes: at once if there are some to show, else as soon as there are. */
export function announce(actor: DeviceAuthorizationActor, onCodes: (codes: ShownCodes) => unknown): void {
  const shown = shownCodes(actor.getSnapshot())
  if (shown) return void onCodes(shown)
  const subscription = actor.subscribe((snapshot) => {
    const codes = shownCodes(snapshot)
    if (codes === undefined) return
    subscription.unsubscribe()
    onCodes(codes)
  })
}

/** What a snapshot shows to the user; `undefined` if there are no codes, or the flow has ended. */
export function shownCodes({ context, status }: DeviceSnapshot): ShownCodes | undefined {
  const { codes, expiresAt, interval } = context
  if (codes === undefined || status !== 'active') return undefined
  return { ...shownOf(codes), expiresAt, interval }
}

/** An actor that is never started shows no codes, and must not hold on to a signal. */
function onceStarted(actor: DeviceAuthorizationActor, listen: () => void): void {
  const start = actor.subscribe(() => {
    start.unsubscribe()
    listen()
  })
}

function cancelOn(signal: AbortSignal, actor: DeviceAuthorizationActor): void {
  const cancel = () => actor.send({ type: 'cancel' })
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  actor.subscribe({ complete: () => signal.removeEventListener('abort', cancel) })
}
