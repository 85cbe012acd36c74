import { StoreUnavailableError, TimedOutError } from '../errors.ts'
import { systemClock } from '../protocol/clock.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import { within } from '../protocol/within.ts'
import type { Store } from '../store/store.ts'

/** A store whose updates reject with a StoreUnavailableError if they take longer than 30 seconds. */
export function boundedStore(store: Store): Store {
  return {
    update: (key, change) =>
      within({ clock: systemClock }, (signal) =>
        unlessAborted(signal, () => store.update(key, change)),
      ).catch((error) => {
        throw error instanceof TimedOutError
          ? new StoreUnavailableError('the store did not respond in time')
          : error
      }),
  }
}
