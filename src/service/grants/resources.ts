import type { JSONWebKeySet } from 'jose'
import { JWT_BEARER } from '../../protocol/endpoints.ts'
import type { Secret } from '../../secret.ts'
import { createAssertions, type Verifying } from '../credentials/assertions.ts'
import { type ClientFields, createClients } from '../credentials/clients.ts'
import { refuse } from '../host/refused-request.ts'
import type { ServiceRequest } from '../http/types.ts'

/** An API that tokens may be requested for. */
export interface Resource {
  /**
   * The identifier of the API, an absolute URI without a fragment, such as `https://api.example.com`.
   */
  readonly uri: string
  /** The name that users see on the verification page. */
  readonly name: string
  /** The scopes that may be requested for the API. Default: any that the client may request. */
  readonly scopes?: readonly string[]
  /**
   * Secret of the API for the introspection endpoint, where it asks about its tokens; random with at least 128 bits.
   * Default: none, and without `jwks` too, the API may not ask.
   *
   * The API sends its `uri` as the client ID and this secret, in a Basic header or in the body. The metadata names the
   * endpoint. Guesses are limited as those of a client's secret.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7662.html#section-2 RFC 7662, section 2}
   */
  readonly secret?: string | Secret
  /**
   * Public keys of the API for the introspection endpoint, instead of a `secret`: a JSON Web Key Set for RS256, PS256 or
   * ES256. Default: none.
   *
   * The API signs its requests (`private_key_jwt`). Each key needs a `kid` if there are several. An assertion is valid for
   * ten minutes at most and accepted once; its only audience is the issuer of the metadata.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7523.html#section-3 RFC 7523, section 3}
   */
  readonly jwks?: JSONWebKeySet
}

export function createResources(resources: readonly Resource[] = []) {
  const known = new Map(resources.map((resource) => [canonicalUri(resource.uri), resource]))

  const find = (uri: string) => (URL.canParse(uri) ? known.get(canonicalUri(uri)) : undefined)

  return {
    /** The fields of a request that name a resource. A service without resources ignores them. */
    fields: resources.length > 0 ? (['resource'] as const) : [],

    /** Finds a resource by its URI, in any spelling. */
    find,

    /** Finds the resource of a login, if it has one. `unknown`: this instance does not have it, or no longer. */
    of({ resource }: { readonly resource?: string }): Resource | 'unknown' | undefined {
      if (resource === undefined) return undefined
      const found = find(resource)
      return found?.uri === resource ? found : 'unknown'
    },
  }
}

export type Resources = ReturnType<typeof createResources>

/** The fields of a body that say which API sends it. RFC 7521, section 4.2. */
export interface CallerFields extends ClientFields {
  readonly client_assertion?: string
  readonly client_assertion_type?: string
}

export function mayIntrospect({ secret, jwks }: Resource): boolean {
  return secret !== undefined || jwks !== undefined
}

/** Authenticates the APIs that may ask about tokens: as clients do, or with a signed assertion. */
export function createCallers(resources: readonly Resource[], via: Verifying) {
  const withSecret = resources.flatMap(({ uri, name, secret }) =>
    secret === undefined ? [] : [{ clientId: uri, name, clientSecret: secret }],
  )
  const signers = resources.flatMap(({ uri, jwks }) => (jwks === undefined ? [] : [{ id: uri, jwks }]))
  const clients = createClients(withSecret, { limiter: via.limiter, policy: undefined })
  const assertions = createAssertions(signers, via)

  return {
    /**
     * Finds the URI of the API that sends a request; `undefined` if it is unknown, or does not prove who it is.
     *
     * @throws RefusedRequest if the request names no API or authenticates in two ways, and after too many wrong proofs.
     */
    async of(request: ServiceRequest, fields: CallerFields): Promise<string | undefined> {
      const { client_id, client_secret, client_assertion, client_assertion_type } = fields
      if (client_assertion === undefined && client_assertion_type === undefined)
        return (await clients.of(request, fields))?.client.clientId.reveal()
      if (client_secret !== undefined || request.header('authorization') !== undefined)
        return refuse(400, 'invalid_request', 'the request authenticates in two ways')
      if (client_assertion === undefined || client_assertion_type !== JWT_BEARER) return undefined
      const signer = await assertions.signerOf(client_assertion)
      return client_id === undefined || client_id === signer ? signer : undefined
    },
  }
}

/**
 * Whether the field `resource` of a poll or a refresh fits its login: it names the resource of the login, or is absent.
 * RFC 8707, section 2.2.
 */
export function fitsLogin(
  { find }: Resources,
  requested: string | undefined,
  { resource }: { readonly resource?: string },
): boolean {
  return requested === undefined || (resource !== undefined && find(requested)?.uri === resource)
}

/** The scopes that a client may request for a resource; `undefined` for any. */
export function allowedScopes(
  ofClient: readonly string[] | undefined,
  ofResource: readonly string[] | undefined,
): readonly string[] | undefined {
  return ofClient && ofResource
    ? ofClient.filter((scope) => ofResource.includes(scope))
    : (ofClient ?? ofResource)
}

/** Refuses a resource that is unknown, or not that of the login. */
export function refuseTarget(status: number): never {
  return refuse(status, 'invalid_target', 'the resource is unknown, or was not requested at the login')
}

/** Clients write the URL of a host with its last slash, or without. */
function canonicalUri(uri: string): string {
  return new URL(uri).href
}
