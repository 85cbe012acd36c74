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
 * @throws DeniedError, ExpiredError, CancelledError (its `cause` is the reason of the signal), or what failed.
 * @group Device authorization
 * @see Spec 1, 3
 */
export async function authorizeDevice(options: DeviceAuthorizationOptions): Promise<OAuthToken> {
  const { onCodes, signal } = options
  const result = await new Promise<DeviceResult>((resolve, reject) => {
    const show = async (codes: ShownCodes) => {
      try {
        await onCodes?.(codes)
      } catch (error) {
        reject(error)
        if (actor.getSnapshot().status === 'active') actor.send({ type: 'cancel' })
      }
    }
    const actor = createDeviceAuthorization({ ...options, onCodes: show })
    actor.subscribe({
      complete: () => resolve(actor.getSnapshot().output as DeviceResult),
      error: reject,
    })
    actor.start()
  })
  return tokenOf(result, signal)
}

function tokenOf(result: DeviceResult, signal: AbortSignal | undefined): OAuthToken {
  switch (result.status) {
    case 'authorized':
      return result.token
    case 'denied':
      throw new DeniedError()
    case 'expired':
      throw new ExpiredError()
    case 'cancelled':
      throw new CancelledError(signal?.reason)
    case 'failed':
      throw result.error
  }
}
