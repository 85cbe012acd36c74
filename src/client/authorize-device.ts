import type { DeviceResult } from '../../machines/device-context.ts'
import { BadOptionError, CancelledError, DeniedError, ExpiredError } from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { createDeviceAuthorization } from './create-device-authorization.ts'
import type { AuthorizeDeviceOptions, ShownCodes } from './options.ts'

/**
 * Runs the device flow and returns a token: requests codes, passes them to `onCodes`, and polls until the user has
 * decided. Each call is a separate flow with its own codes.
 *
 * @example
 * ```ts
 * import { authorizeDevice } from 'authgraph'
 *
 * const token = await authorizeDevice({
 *   clientId: 'YOUR_CLIENT_ID',
 *   scopes: ['repo'],
 *   onCodes: ({ userCode, verificationUri }) =>
 *     console.log(`Enter ${userCode} at ${verificationUri}`),
 * })
 * console.log(token.scopes)
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid.
 * @throws {@link DeniedError}, {@link ExpiredError}, {@link CancelledError} (its `cause` is the reason of the signal),
 * or the error that ended the flow.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3 RFC 8628, section 3}
 */
export function authorizeDevice(options: AuthorizeDeviceOptions): Promise<OAuthToken> {
  return new Promise((resolve, reject) => run(options, resolve, reject))
}

/** A separate function, so that a waiting flow keeps no more in memory than it needs: ten thousand may wait at once. */
function run(
  options: AuthorizeDeviceOptions,
  resolve: (token: OAuthToken) => void,
  reject: (reason: unknown) => void,
): void {
  const { onCodes, signal } = Object(options) as AuthorizeDeviceOptions
  const show = async (codes: ShownCodes) => {
    try {
      await onCodes(codes)
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
  // The flow would wait until the codes expire.
  if (typeof onCodes !== 'function') throw onCodesMissing()
  actor.subscribe({ complete: settle, error: reject })
  actor.start()
}

/** Creates the error for a login whose codes nobody can show. */
export function onCodesMissing(): BadOptionError {
  return new BadOptionError('onCodes is missing: pass a function that shows the code to the user')
}

/** Creates the error that `authorizeDevice` rejects with when it gets no token. */
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
