/** Path of the device authorization endpoint on the authorization host. */
export const DEVICE_CODE_PATH = '/login/device/code'

/** Path of the token endpoint on the authorization host. */
export const ACCESS_TOKEN_PATH = '/login/oauth/access_token'

/** Path on the API host at which a client with a secret deletes one of its tokens, as at GitHub. */
export const TOKEN_DELETION_PATH = '/applications/{client_id}/token'

/** {@link TOKEN_DELETION_PATH} of a client. */
export function tokenDeletionPath(clientId: string): string {
  return TOKEN_DELETION_PATH.replace('{client_id}', () => encodeURIComponent(clientId))
}

/** Where a server publishes its OAuth metadata. RFC 8414, section 3. */
export const METADATA_PATH = '/.well-known/oauth-authorization-server'

/** Where a server publishes its OpenID Connect metadata. OpenID Connect Discovery 1.0, section 4. */
export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration'

/** The grant type of a poll. RFC 8628, section 3.4. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant type of a refresh. RFC 6749, section 6. */
export const REFRESH_GRANT_TYPE = 'refresh_token'

/** The `client_assertion_type` of a signed JWT. RFC 7523, section 2.2. */
export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Lifetime of the codes in seconds, if the service does not state it. */
export const DEFAULT_LIFETIME = 900

/** Seconds between polls, if the service does not state it. RFC 8628, section 3.2. */
export const DEFAULT_INTERVAL = 5

/** The longest lifetime: 366 days in seconds, so that every point in time fits in a `Date`. */
export const LONGEST_LIFETIME = 366 * 24 * 60 * 60

/** Seconds for which this package's service returns the same successor for a refresh token that was used. */
export const DEFAULT_REUSE_WINDOW = 30
