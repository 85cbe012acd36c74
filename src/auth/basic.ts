import { BadOptionError } from '../errors.ts'
import { assertRevealed, Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { FixedHeader } from './fixed-header.ts'

const CONTROL = /\p{Cc}/u

/**
 * Authenticates with HTTP Basic credentials, encoded as UTF-8.
 *
 * @param username Must not contain a colon.
 * @throws {@link BadOptionError} if the user name or password is missing or contains control characters, or the user
 * name contains a colon.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7617.html#section-2 RFC 7617, section 2}
 */
export function basic(username: string, password: string | Secret): Auth {
  if (typeof username !== 'string' || (password ?? undefined) === undefined)
    throw new BadOptionError('basic authentication needs a user name and a password')
  if (username.includes(':'))
    throw new BadOptionError('the user name for basic authentication must not contain a colon')
  const credentials = new Secret(
    `${assertRevealed(username, 'the user name')}:${Secret.of(password, 'the password').reveal()}`,
  )
  if (CONTROL.test(credentials.reveal())) {
    throw new BadOptionError('the credentials for basic authentication must not contain control characters')
  }
  return new FixedHeader('basic', encode(credentials))
}

function encode(credentials: Secret): Secret {
  const bytes = new TextEncoder().encode(credentials.reveal())
  return new Secret(`Basic ${btoa(String.fromCharCode(...bytes))}`)
}
