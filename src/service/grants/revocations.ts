import type { User } from '../../../machines/device-grant.ts'
import type { Records } from '../stores/records.ts'
import { userKey } from '../stores/user-id.ts'

/**
 * Counts how often all tokens of a user were revoked. A token remembers the count of its login, and is not valid under
 * any other: no list of tokens is needed, and the clocks of several instances do not matter.
 */
export function createRevocations(records: Records<number>) {
  return {
    count: async (user: User): Promise<number> => (await records.find(await userKey(user))) ?? 0,

    async add(user: User): Promise<void> {
      await records.change(await userKey(user), (count = 0) => ({ result: undefined, value: count + 1 }))
    },
  }
}

export type Revocations = ReturnType<typeof createRevocations>
