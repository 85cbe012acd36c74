import type { DeviceResult } from '../../machines/device-authorization.ts'
import { CancelledError, DeniedError, ExpiredError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-record.ts'
import { createDeviceAuthorization } from './create-device-authorization.ts'
import type { DeviceAuthorizationOptions, ShownCodes } from './options.ts'

/**
 * Obtains a token: asks for codes, hands them to `onCodes`, and polls until the user has decided.
 *
 * Each call is a flow of its own, with codes of its own. An `onCodes` that throws or rejects ends the flow with that
 * error.
 *
 * @throws {@link DeniedError}, {@link ExpiredError}, {@link CancelledError} (its `cause` is the reason of the signal), or what failed.
 * @group Device authorization
 * @see Spec 1, 3
 */
export function authorizeDevice(options: DeviceAuthorizationOptions): Promise<OAuthToken> {
  return new Promise((resolve, reject) => run(options, resolve, reject))
}

/** A function of its own: what waits for the user holds no more than it needs, ten thousand times over. */
function run(
  { onCodes, ...options }: DeviceAuthorizationOptions,
  resolve: (token: OAuthToken) => void,
  reject: (reason: unknown) => void,
): void {
  const { signal } = options
  const show = async (codes: ShownCodes) => {
    try {
      await onCodes?.(codes)
    } catch (error) {
      reject(error)
      if (actor.getSnapshot().status === 'active') actor.send({ type: 'cancel' })
    }
  }
  const settle = () => {
    const result = actor.getSnapshot().output as DeviceResult
    if (result.status === 'authorized') resolve(result.token)
    else reject(reasonOf(result, signal))
  }
  const actor = createDeviceAuthorization({ ...options, onCodes: show })
  actor.subscribe({ complete: settle, error: reject })
  actor.start()
}

/** Makes the error with which `authorizeDevice` rejects at every end but a token. */
export function reasonOf(result: Exclude<DeviceResult, { status: 'authorized' }>, signal?: AbortSignal) {
  switch (result.status) {
    case 'denied':
      return new DeniedError()
    case 'expired':
      return new ExpiredError()
    case 'cancelled':
      return new CancelledError(signal?.reason)
    case 'failed':
      return result.error
  }
}
