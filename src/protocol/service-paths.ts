import { TOKEN_DELETION_PATH } from './endpoints.ts'

/** Path of the revocation endpoint on the authorization host. GitHub has none. RFC 7009. */
export const REVOCATION_PATH = '/login/oauth/revoke'

/** Path of the introspection endpoint on the authorization host. GitHub has none. RFC 7662. */
export const INTROSPECTION_PATH = '/login/oauth/introspect'

/** Path of the registration endpoint on the authorization host. GitHub has none. RFC 7591. */
export const REGISTRATION_PATH = '/login/oauth/register'

/** A path without the client ID that {@link tokenDeletionPath} puts into it. */
export function withoutClientId(path: string): string {
  return path.replace(/\/applications\/[^/]+\/token$/, TOKEN_DELETION_PATH)
}

/** Path of the page where the user enters the code. Not in the specification; GitHub uses this path. */
export const VERIFICATION_PATH = '/login/device'

/** Path at which this package's service publishes its keys, on the authorization host. RFC 7517, section 5. */
export const JWKS_PATH = '/.well-known/jwks.json'

/** Where an API publishes its metadata, before its path. RFC 9728, section 3. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'
