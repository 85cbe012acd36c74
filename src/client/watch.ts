import type { DeviceAuthorizationActor } from './options.ts'
import type { DeviceSnapshot } from './view.ts'

/**
 * Calls the listener with the current snapshot at once, and then with every new one. (`actor.subscribe` starts with the
 * next one.)
 *
 * @example
 * ```ts
 * import { createDeviceAuthorization, viewOf, watch } from 'authgraph'
 *
 * const actor = createDeviceAuthorization({ clientId: 'Iv1.0123456789abcdef' })
 * const stopWatching = watch(actor, (snapshot) => show(viewOf(snapshot, Date.now())))
 * ```
 *
 * @returns A function that stops watching.
 * @group Device authorization
 */
export function watch(
  actor: Pick<DeviceAuthorizationActor, 'subscribe' | 'getSnapshot'>,
  listener: (snapshot: DeviceSnapshot) => void,
): () => void {
  const { unsubscribe } = actor.subscribe(listener)
  try {
    listener(actor.getSnapshot())
  } catch (error) {
    unsubscribe()
    throw error
  }
  return unsubscribe
}
