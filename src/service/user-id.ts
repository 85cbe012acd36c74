import type { User } from '../../machines/device-grant.ts'
import { hash } from './credentials/hash.ts'

/** Returns what identifies a user: a login name may change, an id does not. */
export function userId(user: User): string | number {
  return typeof user === 'string' ? user : user.id
}

/** Returns what names a user in the keys of records. */
export function userKey(user: User): Promise<string> {
  return hash(JSON.stringify(userId(user)))
}
