/** Where the device asks for codes, below the authorization host. Spec 4.1. */
export const DEVICE_CODE_PATH = '/login/device/code'

/** Where the device polls, below the authorization host. Spec 4.2. */
export const ACCESS_TOKEN_PATH = '/login/oauth/access_token'

/** Where the user enters the code, below the authorization host. Spec: not stated; the address the service uses. */
export const VERIFICATION_PATH = '/login/device'

/** Where a server says what it offers, before the path of its address. RFC 8414, section 3. */
export const METADATA_PATH = '/.well-known/oauth-authorization-server'

/** Where OpenID Connect has the same, below the address of the server. OpenID Connect Discovery 1.0, section 4. */
export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration'

/** The one grant type of the poll. Spec 4.2. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Seconds the codes live where the service says nothing. Spec 2.3, 8. */
export const DEFAULT_LIFETIME = 900

/** Seconds between polls where the service says nothing. RFC 8628, section 3.2. */
export const DEFAULT_INTERVAL = 5

/** Seconds in 366 days: no lifetime is longer, so that points in time stay within what a `Date` can say. */
export const LONGEST_LIFETIME = 366 * 24 * 60 * 60
