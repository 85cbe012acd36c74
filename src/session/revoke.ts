import type { Revocation, SessionContext } from '../../machines/session-context.ts'
import { basicCredentials, post, type Sender } from '../client/exchange.ts'
import { tokenDeletionPath } from '../protocol/endpoints.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { within } from '../request/clock.ts'
import { errorCodeOf, send } from '../request/http.ts'
import type { Clock } from '../request/options.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import type { Secret } from '../secret.ts'

/** Revokes tokens at the provider, the newest first. A failure does not keep the others. RFC 7009, section 2. */
export async function revoke(
  { sender }: { readonly sender: Sender & { readonly clock: Clock } },
  { revoking }: Pick<SessionContext, 'revoking'>,
): Promise<Revocation> {
  const revokeOne = revoker(sender)
  if (typeof revokeOne === 'string') return { revoked: false, why: revokeOne }
  const failures: unknown[] = []
  for (const [index, token] of revoking.entries()) {
    try {
      const { status, body } = await within({ clock: sender.clock }, (signal) => revokeOne(token, signal))
      // GitHub no longer knows an older token once the newest one of its login is revoked.
      const endedBefore = status === 404 && index > failures.length
      // Google's word for a token that has ended: https://developers.google.com/identity/protocols/oauth2/native-app
      const isDead = status === 400 && errorCodeOf(body) === 'invalid_token'
      if (status !== 200 && status !== 204 && !endedBefore && !isDead)
        failures.push(`the provider responded with status ${status}`)
    } catch (error) {
      failures.push(error)
    }
  }
  const [first] = failures
  if (first === undefined) return { revoked: true }
  if (typeof first === 'string') return { revoked: false, why: first }
  throw first
}

/** How the provider revokes a token, or why it cannot. */
function revoker(
  sender: Sender,
): ((token: OAuthToken, signal: AbortSignal) => Promise<ReceivedResponse>) | string {
  const { provider, authentication } = sender
  const { revocationEndpoint, tokenDeletionUrl } = provider
  if (revocationEndpoint !== undefined)
    return ({ accessToken, refreshToken }, signal) =>
      post(revocationEndpoint, { token: refreshToken ?? accessToken }, sender, signal)
  if (tokenDeletionUrl === undefined) return 'there is no revocation endpoint'
  if (!('clientSecret' in authentication)) return 'revoking it needs the client secret'
  return ({ accessToken }, signal) =>
    deleteToken(tokenDeletionUrl, accessToken, { ...sender, ...authentication }, signal)
}

/**
 * Deletes a token as GitHub wants it. Throws what `post` throws.
 *
 * @param address The base URL of the API.
 */
function deleteToken(
  address: string,
  token: Secret,
  sender: Sender & { readonly clientSecret: Secret },
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { clientId, clientSecret } = sender
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: `Basic ${basicCredentials(clientId, clientSecret).reveal()}`,
  }
  const request = { method: 'DELETE', headers, body: JSON.stringify({ access_token: token.reveal() }) }
  const sent = [clientId, clientSecret, token]
  return send(address + tokenDeletionPath(clientId.reveal()), request, { ...sender, sent }, signal)
}
