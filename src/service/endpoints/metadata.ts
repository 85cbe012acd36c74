import { PROOF_ALGORITHMS } from '../../access/proof.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from '../../protocol/endpoints.ts'
import {
  INTROSPECTION_PATH,
  JWKS_PATH,
  REGISTRATION_PATH,
  REVOCATION_PATH,
  VERIFICATION_PATH,
} from '../../protocol/service-paths.ts'
import { withoutSlash } from '../../protocol/syntax.ts'
import { ASSERTION_ALGORITHMS } from '../credentials/assertions.ts'
import { mayIntrospect } from '../grants/resources.ts'
import { json, type ServiceResponse } from '../http/types.ts'
import type { ServiceOptions } from '../options.ts'
import type { Parts } from '../parts.ts'
import { OPENID } from '../tokens/jwts.ts'
import { grantTypes } from './access-token.ts'

const WITH_SECRET = ['client_secret_basic', 'client_secret_post']

/**
 * Responds with the authorization server metadata, for clients that discover the endpoints.
 * RFC 8414, section 2, and RFC 8628, section 4.
 */
export async function metadata(parts: Parts, options: ServiceOptions): Promise<ServiceResponse> {
  return json(200, describe(parts, options, await algorithmsOf(parts)))
}

/**
 * Responds with the same metadata to clients that use only OpenID Connect Discovery, such as oidc-agent and MSAL Python.
 * oidc-agent requires the scopes, and MSAL Python an authorization endpoint: that is the verification page, which refuses
 * every authorization request. OpenID Connect Discovery 1.0, section 3.
 */
export async function openidConfiguration(parts: Parts, options: ServiceOptions): Promise<ServiceResponse> {
  const { clients } = options
  const algorithms = await algorithmsOf(parts)
  const listed = typeof clients === 'function' ? [{ scopes: [OPENID] }] : clients
  const scopes = new Set(listed.flatMap(({ scopes = [OPENID] }) => scopes))
  if (!algorithms) scopes.delete(OPENID)
  return json(200, {
    ...describe(parts, options, algorithms),
    ...authorizationEndpoint(parts.issuer()),
    scopes_supported: [...scopes],
    ...(algorithms && {
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }),
  })
}

/** The algorithms of the published keys; `undefined` without keys. */
async function algorithmsOf({ signingKeys }: Parts): Promise<readonly string[] | undefined> {
  return signingKeys && [...new Set((await signingKeys.publicKeys()).map(({ alg }) => alg))]
}

function authorizationEndpoint(issuer: string) {
  return { authorization_endpoint: withoutSlash(issuer) + VERIFICATION_PATH }
}

function describe(parts: Parts, options: ServiceOptions, algorithms: readonly string[] | undefined) {
  const issuer = parts.issuer()
  const methods = authMethods(options)
  const callers = (options.resources ?? []).filter(mayIntrospect)
  const canSign = callers.some(({ jwks }) => jwks !== undefined)
  return {
    issuer,
    device_authorization_endpoint: withoutSlash(issuer) + DEVICE_CODE_PATH,
    token_endpoint: withoutSlash(issuer) + ACCESS_TOKEN_PATH,
    grant_types_supported: grantTypes(parts),
    response_types_supported: options.authorizationEndpoint ? ['code'] : [],
    ...(options.authorizationEndpoint && authorizationEndpoint(issuer)),
    token_endpoint_auth_methods_supported: methods,
    ...(options.registration && { registration_endpoint: withoutSlash(issuer) + REGISTRATION_PATH }),
    ...(options.clientIdMetadataDocuments && { client_id_metadata_document_supported: true }),
    ...(algorithms && { jwks_uri: withoutSlash(issuer) + JWKS_PATH }),
    ...(options.dpop && { dpop_signing_alg_values_supported: PROOF_ALGORITHMS }),
    ...(parts.canRevoke && {
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
function authMethods(options: ServiceOptions): readonly string[] {
  const { clients, registration, clientIdMetadataDocuments: documents } = options
  if (typeof clients === 'function' || registration) return ['none', ...WITH_SECRET]
  const withSecret = clients.filter(({ clientSecret }) => clientSecret !== undefined)
  return [
    ...(documents || withSecret.length < clients.length || clients.length === 0 ? ['none'] : []),
    ...(withSecret.length > 0 ? WITH_SECRET : []),
  ]
}
