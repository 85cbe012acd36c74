import { Secret } from '../../secret.ts'
import { hash, same } from '../stores/hash.ts'

/** A user who may use HTTP Basic credentials. */
export interface PasswordUser {
  /** Not empty, without a colon. */
  readonly username: string
  /** Not empty. */
  readonly password: string | Secret
}

/** Checks HTTP Basic credentials. Keeps only their hashes. */
export function createPasswords(users: readonly PasswordUser[]) {
  const known = Promise.all(
    users.map(({ username, password }) => hash(`${username}:${Secret.of(password).reveal()}`)),
  )

  return {
    /**
     * Returns the user name as sent, which may be unknown, and whether the password is right.
     *
     * @param encoded The Base64 text after `Basic`. RFC 7617, section 2.
     */
    async check(encoded: string) {
      const credentials = decode(encoded) ?? ''
      const given = await hash(credentials)
      const [username = ''] = credentials.split(':')
      let isRight = false
      // Compares every entry, so that the time reveals nothing.
      for (const right of await known) if (same(right, given)) isRight = true
      return { username, isRight }
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
