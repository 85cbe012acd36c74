import { AuthgraphError, StoreUnavailableError } from '../errors.ts'
import { withDeadline } from '../store/deadline.ts'
import type { Store } from '../store/store.ts'

/** A store whose updates reject with a StoreUnavailableError if they fail, or take longer than 30 seconds. */
export function boundedStore(store: Store): Store {
  const late = () => new StoreUnavailableError('the store did not respond in time')
  return {
    async update(key, change) {
      try {
        return await withDeadline(30_000, store.update(key, change), late)
      } catch (error) {
        if (error instanceof AuthgraphError) throw error
        throw new StoreUnavailableError('the store of the installation tokens failed', { cause: error })
      }
    },
  }
}
