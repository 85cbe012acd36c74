import { assertKnown, type Names } from '../../assert-known.ts'
import { isTexts } from '../../protocol/fields.ts'
import { isScope } from '../../protocol/syntax.ts'
import { isSecret, Secret } from '../../secret.ts'
import { withDeadline } from '../../store/deadline.ts'
import type { KnownClient } from '../credentials/clients.ts'
import type { IssueToken, MadeToken, TokenRequest } from '../host/hooks.ts'

/** A token that is ready to be sent to the client. */
export interface IssuedToken {
  readonly token: Secret
  readonly scopes: readonly string[]
  /** Lifetime in seconds, if the host or the policy gave one. */
  readonly expiresIn: number | undefined
}

/** Lifetime in seconds of an access token with a refresh token, if the host gives none: 8 hours, as at GitHub. */
const SHORT_LIFETIME = 8 * 60 * 60

const FIELDS: Names<MadeToken> = { token: true, expiresIn: true, scopes: true }

/** The characters of a token that can be sent in a header. RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Has the host issue a token.
 *
 * @param until When the claim ends, in epoch milliseconds.
 * @throws what the host throws, a TypeError if the token is not valid, and an Error if it takes too long.
 */
export async function issueFor(
  { issueToken, clock }: { readonly issueToken: IssueToken; readonly clock: { now(): number } },
  { client, ...request }: Omit<TokenRequest, 'client'> & { readonly client: KnownClient },
  until: number,
): Promise<IssuedToken> {
  const { clientId, name, policy } = client
  const made = issueToken({ ...request, client: { clientId, name } })
  const issued = readIssuedToken(await withDeadline(until - clock.now(), made, tookTooLong), request.scopes)
  const { expiresIn = Number.POSITIVE_INFINITY } = issued
  return policy ? { ...issued, expiresIn: Math.min(expiresIn, policy.tokenLifetime) } : issued
}

/** The claim is over and another request may issue a token: what `issueToken` returns later is dropped. */
function tookTooLong(): Error {
  return new Error('issueToken took longer than ten seconds')
}

/**
 * Returns the lifetime of an access token with a refresh token, in seconds.
 *
 * @param left Seconds until its family expires.
 */
export function accessLifetime(expiresIn: number | undefined, left: number): number {
  return Math.min(expiresIn ?? SHORT_LIFETIME, left)
}

/**
 * Checks what `issueToken` returned, so that no client receives a token that it cannot use.
 *
 * @param requested The scopes of the request, granted unless the host returns others.
 * @throws TypeError or BadOptionError that names the field.
 */
function readIssuedToken(made: string | Secret | MadeToken, requested: readonly string[]): IssuedToken {
  const fields = typeof made === 'object' && made !== null && !isSecret(made) ? made : { token: made }
  assertKnown(fields, FIELDS, 'field of issueToken')
  const { token, expiresIn, scopes = requested } = fields
  const secret = Secret.of(token, 'the token of issueToken')
  if (!TOKEN.test(secret.reveal()))
    throw new TypeError('issueToken returned a token that cannot be sent in a header')
  if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn >= 1))
    throw new TypeError('issueToken returned an expiresIn that is not a whole number of seconds, 1 or more')
  if (!isTexts(scopes) || !scopes.every(isScope))
    throw new TypeError('issueToken returned scopes that are not a list of scopes')
  return { token: secret, scopes, expiresIn }
}
