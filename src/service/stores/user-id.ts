import type { User } from '../../../machines/device-grant.ts'
import { hash } from './hash.ts'

/**
 * Returns what identifies a user: a login name may change, an ID does not. As text: the same ID may be a number in one
 * place of a host and a string in another.
 */
export function userId(user: User): string {
  return String(typeof user === 'string' ? user : user.id)
}

/** Whether a host gave what identifies a user: an empty name would be nobody. */
export function hasUserId(user: unknown): user is User {
  const id = typeof user === 'string' ? user : ((user ?? {}) as Partial<Exclude<User, string>>).id
  return Number.isFinite(id) || (typeof id === 'string' && id !== '')
}

/** Whether a host gave a user whom a page can name. */
export function isUser(user: unknown): user is User {
  return (
    hasUserId(user) && (typeof user === 'string' || (typeof user.login === 'string' && user.login !== ''))
  )
}

/** Returns what names a user in the keys of records. */
export function userKey(user: User): Promise<string> {
  return hash(JSON.stringify(userId(user)))
}
