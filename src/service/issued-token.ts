import { isScope, isScopes } from '../protocol/scopes.ts'
import { Secret } from '../secret.ts'
import type { MadeToken } from './options.ts'

/** A token that can be delivered. */
export interface IssuedToken {
  readonly token: Secret
  readonly scopes: readonly string[]
  /** Seconds that it lives, where the host says so. */
  readonly expiresIn: number | undefined
}

/** What a token is made of, so that it can be sent in a header. RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Reads what the host's own code has made: nothing that a client cannot use may reach one.
 *
 * @param asked The scopes of the request, which are granted where nothing else is said.
 * @throws TypeError that names what cannot be used.
 */
export function readIssuedToken(made: string | Secret | MadeToken, asked: readonly string[]): IssuedToken {
  const {
    token,
    expiresIn,
    scopes = asked,
  } = typeof made === 'object' && 'token' in made ? made : { token: made }
  const secret = Secret.of(token)
  if (!TOKEN.test(secret.reveal())) throw new TypeError('issueToken made a token that no header can carry')
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn >= 1))
    throw new TypeError('issueToken gave an expiresIn that is not a whole number of seconds, 1 or more')
  if (!isScopes(scopes) || !scopes.every(isScope))
    throw new TypeError('issueToken gave scopes that are not a list of scopes')
  return { token: secret, scopes, expiresIn }
}
