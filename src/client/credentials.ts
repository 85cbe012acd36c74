import type { ResolvedAuthentication } from '../protocol/client-authentication.ts'
import type { Provider } from '../protocol/provider.ts'
import { formEncoded } from '../request/without-secrets.ts'
import { Secret } from '../secret.ts'

/** RFC 7523, section 2.2. */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The client that authenticates. */
export interface ClientCredentials {
  readonly clientId: Secret
  readonly authentication: ResolvedAuthentication
  readonly provider: Provider
  readonly clock: { now(): number }
}

/** What one request carries to authenticate the client. RFC 6749, section 2.3.1; RFC 7523, section 2.2. */
export async function credentialsOf({
  clientId,
  authentication,
  provider,
  clock,
}: ClientCredentials): Promise<{
  readonly fields: Readonly<Record<string, string | Secret>>
  /** The credentials of an `Authorization: Basic` header. */
  readonly basic?: Secret
}> {
  switch (authentication.method) {
    case 'none':
      return { fields: { client_id: clientId } }
    case 'client_secret_post':
      return { fields: { client_id: clientId, client_secret: authentication.clientSecret } }
    case 'client_secret_basic':
      return { fields: {}, basic: basicCredentials(clientId, authentication.clientSecret) }
    case 'private_key_jwt': {
      const { issuer, tokenEndpoint } = provider
      const client_assertion = await authentication.sign({
        clientId,
        issuer,
        tokenEndpoint,
        now: clock.now(),
      })
      return { fields: { client_id: clientId, client_assertion_type: JWT_BEARER, client_assertion } }
    }
  }
}

/** RFC 6749, section 2.3.1: both are form-encoded first. */
export function basicCredentials(clientId: Secret, clientSecret: Secret): Secret {
  const [id, secret] = [clientId, clientSecret].map((text) => formEncoded(text.reveal()))
  return new Secret(btoa(`${id}:${secret}`))
}
