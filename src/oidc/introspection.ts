import { post, type Sender } from '../client/exchange.ts'
import { BadResponseError } from '../errors.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { within } from '../request/clock.ts'
import { memberOf } from '../request/http.ts'
import type { Clock } from '../request/options.ts'
import { hexSha256 } from '../request/sha256.ts'
import { Secret } from '../secret.ts'

/** Milliseconds for which the issuer is not asked again about a token that was valid. */
const RECENT = 10_000

/** Tokens that are kept for that time. */
const MOST = 1000

/** Seconds for a response. */
const TIMEOUT = 10

type TokenClaims = Readonly<Record<string, unknown>>

/**
 * Asks an issuer about tokens: returns what it says about a valid one, and `undefined` for any other.
 *
 * @param senderOf Returns the client that asks, and its provider.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662.html#section-2 RFC 7662, section 2}
 */
export function createIntrospection(
  senderOf: () => Promise<Sender>,
  clock: Clock,
): (token: string) => Promise<TokenClaims | undefined> {
  const recent = new Map<
    string,
    { readonly claims: Promise<TokenClaims | undefined>; readonly until: number }
  >()

  async function ask(token: string, key: string): Promise<TokenClaims | undefined> {
    let claims: TokenClaims | undefined
    try {
      claims = await introspect(new Secret(token), await senderOf(), clock)
      return claims
    } finally {
      if (claims === undefined) recent.delete(key)
    }
  }

  return async (token) => {
    const key = await hexSha256(token)
    const now = clock.now()
    let known = recent.get(key)
    if (known === undefined || now >= known.until) {
      known = { claims: ask(token, key), until: now + RECENT }
      recent.delete(key)
      recent.set(key, known)
      const [oldest = ''] = recent.keys()
      if (recent.size > MOST) recent.delete(oldest)
    }
    const claims = await known.claims
    const exp = memberOf(claims, 'exp')
    return typeof exp === 'number' && exp * 1000 <= clock.now() ? undefined : claims
  }
}

async function introspect(token: Secret, sender: Sender, clock: Clock): Promise<TokenClaims | undefined> {
  const { introspectionEndpoint } = sender.provider
  if (introspectionEndpoint === undefined)
    throw new BadResponseError('the metadata of the issuer names no introspection endpoint')
  const fields = { token, token_type_hint: 'access_token' }
  const response = await within({ clock, timeout: TIMEOUT }, (signal) =>
    post(introspectionEndpoint, fields, sender, signal),
  )
  const { status, body } = response
  if (status !== 200) throw refusalOf(response)
  const active = memberOf(body, 'active')
  if (typeof active !== 'boolean') throw new BadResponseError('the introspection response has no "active"')
  return active ? (body as TokenClaims) : undefined
}
