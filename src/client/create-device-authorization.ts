import { createActor } from 'xstate'
import { shownOf } from '../protocol/device-codes.ts'
import { deviceMachine } from './device-machine.ts'
import {
  type DeviceAuthorizationActor,
  type DeviceAuthorizationOptions,
  deviceInput,
  type ShownCodes,
  systemClock,
} from './options.ts'
import type { DeviceSnapshot } from './view.ts'

/**
 * Makes an actor that obtains a token. It does nothing before `start()`, and each one is a flow of its own.
 *
 * @throws {@link BadOptionError}, {@link BadResumeError}, {@link WrongHostError} for options that cannot be used.
 * @group Device authorization
 * @see Spec 3
 */
export function createDeviceAuthorization({
  onCodes,
  signal,
  inspect,
  ...options
}: DeviceAuthorizationOptions): DeviceAuthorizationActor {
  const actor = createActor(deviceMachine, {
    input: deviceInput(options),
    clock: options.clock ?? systemClock,
    ...(inspect && { inspect }),
  })
  if (onCodes) announce(actor, onCodes)
  if (signal) obey(actor, signal)
  return actor
}

function announce(actor: DeviceAuthorizationActor, onCodes: (codes: ShownCodes) => unknown): void {
  const subscription = actor.subscribe((snapshot) => {
    const codes = shownCodes(snapshot)
    if (codes === undefined) return
    subscription.unsubscribe()
    onCodes(codes)
  })
}

function shownCodes({ context, status }: DeviceSnapshot): ShownCodes | undefined {
  const { codes, expiresAt, interval, flow } = context
  const alive = status === 'active' && flow.clock.now() < expiresAt
  if (codes === undefined || !alive) return undefined
  return { ...shownOf(codes), expiresAt, interval }
}

/** Listens from the start on: an actor that is never started holds nothing of the signal. */
function obey(actor: DeviceAuthorizationActor, signal: AbortSignal): void {
  const cancel = () => actor.send({ type: 'cancel' })
  const start = actor.subscribe(() => {
    start.unsubscribe()
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  })
  actor.subscribe({ complete: () => signal.removeEventListener('abort', cancel) })
}
