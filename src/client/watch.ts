import type { DeviceAuthorizationActor } from './options.ts'
import type { DeviceSnapshot } from './view.ts'

/**
 * Calls the listener with the present snapshot at once, and with every later one. (`actor.subscribe` starts with the
 * next.)
 *
 * @returns A function that ends the watch.
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
