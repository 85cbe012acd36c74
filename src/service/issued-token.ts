import { isScope, isScopes } from '../protocol/scopes.ts'
import { Secret } from '../secret.ts'
import type { MadeToken } from './options.ts'

/** A token that is ready to be sent to the client. */
export interface IssuedToken {
  readonly token: Secret
  readonly scopes: readonly string[]
  /** Lifetime in seconds, if the host gave one. */
  readonly expiresIn: number | undefined
}

/** The characters of a token that can be sent in a header. RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Checks what `issueToken` returned, so that no client receives a token that it cannot use.
 *
 * @param requested The scopes of the request, granted unless the host returns others.
 * @throws TypeError that says what is not valid.
 */
export function readIssuedToken(
  made: string | Secret | MadeToken,
  requested: readonly string[],
): IssuedToken {
  const {
    token,
    expiresIn,
    scopes = requested,
  } = typeof made === 'object' && 'token' in made ? made : { token: made }
  const secret = Secret.of(token)
  if (!TOKEN.test(secret.reveal()))
    throw new TypeError('issueToken returned a token that cannot be sent in a header')
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn >= 1))
    throw new TypeError('issueToken returned an expiresIn that is not a whole number of seconds, 1 or more')
  if (!isScopes(scopes) || !scopes.every(isScope))
    throw new TypeError('issueToken returned scopes that are not a list of scopes')
  return { token: secret, scopes, expiresIn }
}
