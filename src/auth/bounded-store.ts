import { AuthgraphError, StoreUnavailableError, TimedOutError } from '../errors.ts'
import { systemClock, unlessAborted, within } from '../request/clock.ts'
import type { Store } from '../store/store.ts'

/** A store whose updates reject with a StoreUnavailableError if they fail, or take longer than 30 seconds. */
export function boundedStore(store: Store): Store {
  return {
    update: (key, change) =>
      within({ clock: systemClock }, (signal) =>
        unlessAborted(signal, () => store.update(key, change)),
      ).catch((error) => {
        if (error instanceof TimedOutError)
          throw new StoreUnavailableError('the store did not respond in time')
        if (error instanceof AuthgraphError) throw error
        throw new StoreUnavailableError('the store of the installation tokens failed', { cause: error })
      }),
  }
}
