import type { User } from '../../machines/device-grant.ts'

/** Returns what identifies a user: a login name may change, an id does not. */
export function userId(user: User): string | number {
  return typeof user === 'string' ? user : user.id
}
