import {
  type DeviceLoginStep,
  type ShownCodes,
  type StartDeviceLoginOptions,
  type StepDeviceLoginOptions,
  startDeviceLogin,
  stepDeviceLogin,
  type UnfinishedDeviceLogin,
} from '../../../src/index.ts'

/**
 * Logs in: the user decides after the first poll. No poll waits for its time.
 *
 * @param first Options of the first step alone.
 */
export async function logInBySteps(
  first: StartDeviceLoginOptions,
  options: StepDeviceLoginOptions,
  decide: (codes: ShownCodes) => Promise<unknown>,
) {
  const begun = await startDeviceLogin({ ...first, ...options })
  const poll = ({ record }: UnfinishedDeviceLogin): Promise<DeviceLoginStep> =>
    stepDeviceLogin({ ...record, nextPollAt: 0 }, options)
  const pending = await poll(begun)
  if (pending.status !== 'pending') return { begun, pending, step: pending }
  await decide(begun.codes)
  return { begun, pending, step: await poll(pending) }
}

/** The token of a login that has succeeded. */
export function tokenOf(step: DeviceLoginStep) {
  if (step.status !== 'authorized') throw new Error(`the login is ${step.status}`)
  return step.token
}
