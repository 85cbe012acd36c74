import type { DeviceGrantState } from '../../machines/device-grant.ts'
import { systemClock } from '../request/clock.ts'
import type { Clock } from '../request/options.ts'
import type { Store } from '../store/store.ts'
import type { RecordedEvent } from './events.ts'

/**
 * Returns a store that records each change of a grant: what the service knows of an authorization.
 *
 * @param store The store of the service.
 */
export function recordGrants(
  store: Store,
  onEvent: (event: RecordedEvent) => void,
  { now }: Pick<Clock, 'now'> = systemClock,
): Store {
  return {
    update: (key, change) =>
      store.update(key, (value) => {
        const made = change(value)
        if (key.startsWith('grant:') && made.value) {
          const { state, interval } = made.value as unknown as { state: DeviceGrantState; interval: number }
          onEvent({ type: 'grant', state, interval, at: now() })
        }
        return made
      }),
  }
}
