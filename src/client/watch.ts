import type { Subscribable } from 'xstate'

/**
 * Calls the listener with the current snapshot at once, and then with every new one. (`actor.subscribe` starts with the
 * next one.)
 *
 * @example
 * ```ts
 * import { createDeviceAuthorization, viewOf, watchActor } from 'authgraph'
 *
 * const actor = createDeviceAuthorization({ clientId: 'YOUR_CLIENT_ID' })
 * const stopWatching = watchActor(actor, (snapshot) =>
 *   show(viewOf(snapshot, Date.now())),
 * )
 * ```
 *
 * @param actor Any XState actor, such as a device authorization or the `actor` of a session.
 * @returns A function that stops watching.
 */
export function watchActor<Snapshot>(
  actor: Subscribable<Snapshot> & { getSnapshot(): Snapshot },
  listener: (snapshot: NoInfer<Snapshot>) => void,
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
