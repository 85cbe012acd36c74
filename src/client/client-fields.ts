import type { Secret } from '../secret.ts'

/** Writes by whom a request is sent. Spec 5.7; RFC 6749, section 2.3.1, for the secret. */
export function clientFields(client: {
  readonly clientId: Secret
  readonly clientSecret?: Secret | undefined
}): Record<string, string> {
  const { clientId, clientSecret } = client
  return { client_id: clientId.reveal(), ...(clientSecret && { client_secret: clientSecret.reveal() }) }
}
