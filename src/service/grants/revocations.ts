import type { User } from '../../../machines/device-grant.ts'
import type { Json, Store } from '../../store/store.ts'
import { userKey } from '../stores/user-id.ts'

/**
 * Counts how often all tokens of a user were revoked. A token remembers the count of its login, and is not valid under
 * any other: no list of tokens is needed, and the clocks of several instances do not matter.
 */
export function createRevocations(store: Store) {
  return {
    async count(user: User): Promise<number> {
      return store.update(await keyOf(user), (value) => ({ result: countIn(value) }))
    },

    async add(user: User): Promise<void> {
      await store.update(await keyOf(user), (value) => ({ result: undefined, value: countIn(value) + 1 }))
    },
  }
}

export type Revocations = ReturnType<typeof createRevocations>

function countIn(value: Json | undefined): number {
  return (value ?? 0) as number
}

async function keyOf(user: User): Promise<string> {
  return `revocations:${await userKey(user)}`
}
