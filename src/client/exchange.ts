import type { PrivateKeyJwt, ResolvedAuthentication } from '../protocol/client-authentication.ts'
import type { Dpop } from '../protocol/dpop.ts'
import { JWT_BEARER } from '../protocol/endpoints.ts'
import type { Provider } from '../protocol/provider.ts'
import { send, type Transport } from '../request/http.ts'
import { formEncoded } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { isSecret, Secret } from '../secret.ts'

const CONTENT_TYPES = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
} satisfies Record<Provider['encoding'], string>

/** The fields of a request. Secrets are revealed only when the body is written. A list is sent as repeated fields. */
type RequestFields = Readonly<Record<string, string | Secret | readonly string[] | undefined>>

/** Providers that refused a form and accepted JSON. */
const takeJson = new WeakSet<Provider>()

/** The client that authenticates. */
interface ClientCredentials {
  readonly clientId: Secret
  readonly authentication: ResolvedAuthentication
  readonly provider: Provider
  readonly clock: { now(): number }
}

interface SentCredentials {
  readonly fields: Readonly<Record<string, string | Secret>>
  /** The credentials of an `Authorization: Basic` header. */
  readonly basic?: Secret
}

/** The client that sends a request, and its provider. */
export interface Sender extends Transport, ClientCredentials {
  readonly dpop?: Dpop | undefined
}

/**
 * Posts the fields of a request together with the client's credentials, and reads the response, whatever its status.
 *
 * If a server refuses a form with status 415, the same fields are sent again as JSON, and from then on as JSON only. If it
 * refuses a proof, the request is sent once more, with a new proof and new credentials.
 *
 * @param signal Cancels the request.
 * @param dpopKey The key of the token, if it is bound to one: each request then carries a proof.
 * @throws {@link WrongHostError} before anything is sent; {@link UnreachableError}, {@link RedirectedError}, {@link
 * ResponseTooLargeError}.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.1 RFC 8628, section 3.1}
 */
export async function post(
  address: string,
  fields: RequestFields,
  sender: Sender,
  signal: AbortSignal,
  dpopKey?: Secret,
): Promise<ReceivedResponse> {
  const { provider, fetch, clock, dpop } = sender
  const first = takeJson.has(provider) ? 'json' : provider.encoding
  let encoding = first
  let mayProveAgain = true
  for (;;) {
    const credentials = await credentialsOf(sender)
    const proof = dpopKey && (await dpop?.prove(dpopKey, { method: 'POST', url: address, now: clock.now() }))
    const headers = {
      accept: 'application/json',
      'content-type': CONTENT_TYPES[encoding],
      ...(credentials.basic && { authorization: `Basic ${credentials.basic.reveal()}` }),
      ...(proof && { dpop: proof.reveal() }),
    }
    const all = { ...credentials.fields, ...fields }
    const sent = [...secretsOf(sender), credentials.basic, proof, ...Object.values(all)].filter(isSecret)
    const request = { method: 'POST', headers, body: encode(all, encoding) }
    const response = await send(address, request, { fetch, clock, sent }, signal)
    const isRefused = proof && dpop?.learn(address, response)
    if (isRefused && mayProveAgain) {
      mayProveAgain = false
    } else if (response.status === 415 && encoding === 'form') {
      encoding = 'json'
      mayProveAgain = true
    } else {
      if (encoding !== first && response.status !== 415) takeJson.add(provider)
      return response
    }
  }
}

/** What one request carries to authenticate the client. RFC 6749, section 2.3.1; RFC 7523, section 2.2. */
function credentialsOf(sender: ClientCredentials): SentCredentials | Promise<SentCredentials> {
  const { clientId, authentication } = sender
  switch (authentication.method) {
    case 'none':
      return { fields: { client_id: clientId } }
    case 'client_secret_post':
      return { fields: { client_id: clientId, client_secret: authentication.clientSecret } }
    case 'client_secret_basic':
      return { fields: {}, basic: basicCredentials(clientId, authentication.clientSecret) }
    case 'private_key_jwt':
      return assertionOf(authentication, sender)
  }
}

async function assertionOf({ sign }: PrivateKeyJwt, { clientId, provider, clock }: ClientCredentials) {
  const { issuer, tokenEndpoint } = provider
  const client_assertion = await sign({ clientId, issuer, tokenEndpoint, now: clock.now() })
  return { fields: { client_id: clientId, client_assertion_type: JWT_BEARER, client_assertion } }
}

/** RFC 6749, section 2.3.1: both are form-encoded first. */
export function basicCredentials(clientId: Secret, clientSecret: Secret): Secret {
  const [id, secret] = [clientId, clientSecret].map((text) => formEncoded(text.reveal()))
  return new Secret(btoa(`${id}:${secret}`))
}

/** The secrets of a client, however they are sent. */
function secretsOf({ clientId, authentication }: ClientCredentials): Secret[] {
  return 'clientSecret' in authentication ? [clientId, authentication.clientSecret] : [clientId]
}

function encode(fields: RequestFields, encoding: Provider['encoding']): string {
  const plain = (value: RequestFields[string]) => (isSecret(value) ? value.reveal() : value)
  const entries = Object.entries(fields)
  if (encoding === 'json')
    return JSON.stringify(Object.fromEntries(entries.map(([name, value]) => [name, plain(value)])))
  const form = new URLSearchParams()
  for (const [name, value] of entries) {
    const text = plain(value) ?? []
    if (typeof text === 'string') form.append(name, text)
    else for (const one of text) form.append(name, one)
  }
  // As a string: with `URLSearchParams`, `fetch` adds a charset to the content type, which some servers refuse.
  return form.toString()
}
