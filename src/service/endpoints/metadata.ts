import { PROOF_ALGORITHMS } from '../../access/proof.ts'
import { withoutSlash } from '../../protocol/address.ts'
import {
  ACCESS_TOKEN_PATH,
  DEVICE_CODE_PATH,
  INTROSPECTION_PATH,
  JWKS_PATH,
  REGISTRATION_PATH,
  REVOCATION_PATH,
  VERIFICATION_PATH,
} from '../../protocol/endpoints.ts'
import { ASSERTION_ALGORITHMS } from '../credentials/assertions.ts'
import type { Client, FindClient } from '../credentials/clients.ts'
import type { Resource } from '../grants/resources.ts'
import { json, type ServiceResponse } from '../http/types.ts'
import { OPENID } from '../tokens/jwts.ts'

/** How a client that has a secret sends it. */
const WITH_SECRET = ['client_secret_basic', 'client_secret_post']

/** What the metadata says beside the endpoints that every service has. */
export interface Offered {
  readonly grantTypes: readonly string[]
  readonly clients: readonly Client[] | FindClient
  /** Whether clients may register themselves. */
  readonly canRegister: boolean
  /** Whether a client ID may be the URL of a metadata document. */
  readonly acceptsDocuments: boolean
  /** Whether there is a revocation endpoint. */
  readonly canRevoke: boolean
  /** The APIs that may ask about tokens: without any, there is no introspection endpoint. */
  readonly callers: readonly Resource[]
  /** The algorithms of the published keys; `undefined` without keys. */
  readonly algorithms: readonly string[] | undefined
  /** Whether tokens can be bound to keys. */
  readonly canBind: boolean
  /** Whether it names an authorization endpoint, for clients that require one. */
  readonly authorizationEndpoint: boolean | undefined
}

/**
 * Responds with the authorization server metadata, for clients that discover the endpoints.
 * RFC 8414, section 2, and RFC 8628, section 4.
 */
export function metadata(issuer: string, offered: Offered): ServiceResponse {
  return json(200, describe(issuer, offered))
}

/**
 * Responds with the same metadata to clients that use only OpenID Connect Discovery, such as oidc-agent and MSAL Python.
 * oidc-agent requires the scopes, and MSAL Python an authorization endpoint: that is the verification page, which refuses
 * every authorization request. OpenID Connect Discovery 1.0, section 3.
 */
export function openidConfiguration(issuer: string, offered: Offered): ServiceResponse {
  const { clients, algorithms } = offered
  const listed = typeof clients === 'function' ? [{ scopes: [OPENID] }] : clients
  const scopes = new Set(listed.flatMap(({ scopes = [OPENID] }) => scopes))
  if (!algorithms) scopes.delete(OPENID)
  return json(200, {
    ...describe(issuer, offered),
    ...authorizationEndpoint(issuer),
    scopes_supported: [...scopes],
    ...(algorithms && {
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }),
  })
}

function authorizationEndpoint(issuer: string) {
  return { authorization_endpoint: withoutSlash(issuer) + VERIFICATION_PATH }
}

function describe(issuer: string, offered: Offered) {
  const { grantTypes, canRevoke, callers, canBind, algorithms } = offered
  const methods = authMethods(offered)
  const canSign = callers.some(({ jwks }) => jwks !== undefined)
  return {
    issuer,
    device_authorization_endpoint: withoutSlash(issuer) + DEVICE_CODE_PATH,
    token_endpoint: withoutSlash(issuer) + ACCESS_TOKEN_PATH,
    grant_types_supported: grantTypes,
    response_types_supported: offered.authorizationEndpoint ? ['code'] : [],
    ...(offered.authorizationEndpoint && authorizationEndpoint(issuer)),
    token_endpoint_auth_methods_supported: methods,
    ...(offered.canRegister && { registration_endpoint: withoutSlash(issuer) + REGISTRATION_PATH }),
    ...(offered.acceptsDocuments && { client_id_metadata_document_supported: true }),
    ...(algorithms && { jwks_uri: withoutSlash(issuer) + JWKS_PATH }),
    ...(canBind && { dpop_signing_alg_values_supported: PROOF_ALGORITHMS }),
    ...(canRevoke && {
      revocation_endpoint: withoutSlash(issuer) + REVOCATION_PATH,
      revocation_endpoint_auth_methods_supported: methods,
    }),
    ...(callers.length > 0 && {
      introspection_endpoint: withoutSlash(issuer) + INTROSPECTION_PATH,
      introspection_endpoint_auth_methods_supported: [
        ...(callers.some(({ secret }) => secret !== undefined) ? WITH_SECRET : []),
        ...(canSign ? ['private_key_jwt'] : []),
      ],
      ...(canSign && { introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS }),
    }),
  }
}

/** A function may find clients of either kind, and a client that registers chooses one. */
function authMethods({ clients, canRegister, acceptsDocuments }: Offered): readonly string[] {
  if (typeof clients === 'function' || canRegister) return ['none', ...WITH_SECRET]
  const withSecret = clients.filter(({ clientSecret }) => clientSecret !== undefined)
  return [
    ...(acceptsDocuments || withSecret.length < clients.length || clients.length === 0 ? ['none'] : []),
    ...(withSecret.length > 0 ? WITH_SECRET : []),
  ]
}
