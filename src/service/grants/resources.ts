import type { Secret } from '../../secret.ts'
import { createClients } from '../credentials/clients.ts'
import { refuse } from '../host/refused-request.ts'
import type { Limiter } from '../limits/limiter.ts'

/** An API that tokens may be requested for. */
export interface Resource {
  /** Its identifier: an absolute URI without a fragment, such as `https://api.example.com`. */
  readonly uri: string
  /** The name that users see on the verification page. */
  readonly name: string
  /** The scopes that may be requested for it. Default: any that the client may request. */
  readonly scopes?: readonly string[]
  /**
   * Lets the API ask about its tokens at the introspection endpoint, which the metadata names: it authenticates with its
   * `uri` as the client ID, and this secret, random with at least 128 bits, in a Basic header or in the body. Guesses are
   * limited as those of a client's secret. Default: none, and it may not ask.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7662.html#section-2 RFC 7662, section 2}
   */
  readonly secret?: string | Secret
}

/** Looks up the resources that tokens may be requested for. */
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

/** Looks up the APIs that may ask about tokens: they authenticate as clients do. */
export function createCallers(resources: readonly Resource[], limiter: Limiter) {
  const callers = resources.flatMap(({ uri, name, secret }) =>
    secret === undefined ? [] : [{ clientId: uri, name, clientSecret: secret }],
  )
  return createClients(callers, { limiter, policy: undefined })
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
