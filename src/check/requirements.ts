/** What the checks require, where that is specified, and the only dialect to which it applies. */
export type Requirement = readonly [text: string, source: string, only?: 'github' | 'rfc8628']

/** The requirements, in the order of the checks. */
export const REQUIREMENTS = {
  secure: ['every URL is https, except on loopback', 'RFC 8628, 3.1, 3.4'],
  'form-body': ['form-encoded requests are accepted', 'RFC 8628, 3.1'],
  codes: [
    'the device code response has device_code, user_code and verification_uri',
    'Spec 2.3, 4.1; RFC 8628, 3.2',
  ],
  'codes-lifetime': [
    'expires_in and interval are numbers of seconds, preferably whole',
    'Spec 2.3; RFC 8628, 3.2',
  ],
  'codes-json': ['the device code response is application/json', 'Spec 4; RFC 8628, 3.2'],
  'codes-no-store': ['caches must not store the codes', 'RFC 8628, 3.2'],
  'device-code-entropy': ['the device code has at least 128 bits', 'RFC 8628, 5.2; RFC 6749, 10.10'],
  'user-code-entropy': ['the user code has at least the bits of nine digits', 'RFC 8628, 5.1, 6.1'],
  'complete-address': ['verification_uri_complete contains the user code', 'RFC 8628, 3.3.1'],
  'unknown-parameter': ['unknown parameters are ignored', 'RFC 8628, 3.1'],
  'empty-scope': ['an empty scope counts as absent', 'Spec 4.1; RFC 8628, 3.1'],
  'codes-unique': ['each request gets new codes', 'RFC 8628, 3.2'],
  'codes-repeated': [
    'a device code request with a repeated parameter is refused: invalid_request',
    'RFC 8628, 3.1; RFC 6749, 5.2',
  ],
  'codes-no-client': [
    'a device code request without client_id is refused with 4xx and an error',
    'Spec 4.1; RFC 6749, 5.2',
  ],
  'codes-unknown-client': [
    'a device code request of an unknown client is refused with 4xx and an error',
    'RFC 8628, 3.2; RFC 6749, 5.2',
  ],
  'codes-method': ['a GET gets no codes', 'Spec 4.1; RFC 8628, 3.1'],
  pending: ['a poll before the decision gets authorization_pending', 'Spec 3, 4.2; RFC 8628, 3.5'],
  'device-code-form': ['the device code has 40 characters', 'Spec 2.3', 'github'],
  'user-code-form': ['the user code has 8 characters with a hyphen in the middle', 'Spec 2.3', 'github'],
  'slow-down': ['a poll that comes too early gets slow_down', 'Spec 3, 7; RFC 8628, 3.5'],
  'slow-down-interval': ['slow_down contains the new interval, 5 seconds longer', 'Spec 3', 'github'],
  recovery: ['a client that waits for the new interval gets authorization_pending again', 'RFC 8628, 3.5'],
  approved: ['the poll after the approval gets access_token', 'Spec 3, 4.2; RFC 8628, 3.5'],
  'early-decision': ['a decision is delivered even to an early poll', 'Spec 3 (silent)'],
  'token-type': ['token_type is bearer', 'Spec 2.2; RFC 6749, 5.1'],
  'token-scope': [
    'the scopes are separated as in the dialect: comma (github), space (rfc8628)',
    'Spec 2.2; RFC 6749, 3.3',
  ],
  'token-no-store': ['caches must not store the token', 'RFC 6749, 5.1'],
  refreshed: ['a refresh gets access_token', 'RFC 6749, 6'],
  'refresh-no-store': ['caches must not store a refreshed token', 'RFC 6749, 5.1, 6'],
  'refresh-rotation': [
    'each refresh replaces the refresh token of a public client',
    'RFC 9700, 2.2.2, 4.14.2',
  ],
  'spent-refresh-token': [
    'a refresh token that was replaced is refused: bad_refresh_token (github), invalid_grant (rfc8628)',
    'RFC 9700, 4.14.2; RFC 6749, 5.2',
  ],
  'refresh-reuse': [
    'after a replaced refresh token was used, the newest one is refused too',
    'RFC 9700, 4.14.2',
  ],
  'token-once': [
    'a device code gets only one token: a later poll is refused, or gets the same one again',
    'RFC 8628, 3.5; RFC 6749, 5.2',
  ],
  denied: ['the poll after the denial gets access_denied', 'RFC 8628, 3.5'],
  'poll-method': ['a GET gets no token for an approved device code', 'Spec 4.2; RFC 6749, 3.2'],
  'foreign-approved-code': [
    'another client gets no token for an approved device code',
    'RFC 8628, 3.4; RFC 6749, 5.2',
  ],
  'foreign-refresh-token': ['another client gets no token for a refresh token', 'RFC 6749, 6, 10.4'],
  'refresh-scope': [
    'a refresh does not get a scope that the user did not approve: invalid_scope, or fewer scopes',
    'RFC 6749, 5.2, 6',
  ],
  'unknown-grant-type': ['another grant_type is refused: unsupported_grant_type', 'Spec 4.2; RFC 6749, 5.2'],
  'no-grant-type': ['a poll without grant_type is refused: invalid_request', 'Spec 4.2; RFC 6749, 5.2'],
  'no-device-code': ['a poll without device_code is refused: invalid_request', 'Spec 4.2; RFC 6749, 5.2'],
  'empty-device-code': ['an empty device_code counts as absent: invalid_request', 'RFC 6749, 3.2'],
  'poll-repeated': ['a poll with a repeated parameter is refused: invalid_request', 'RFC 6749, 3.2, 5.2'],
  query: ['parameters in the query of a POST are not read', 'RFC 6749, 2.3.1; RFC 8628, 3.1'],
  'unknown-device-code': [
    'an unknown device code is refused: incorrect_device_code (github), invalid_grant (rfc8628)',
    'RFC 6749, 5.2',
  ],
  'poll-unknown-client': ['a poll of an unknown client is refused', 'Spec 4.2; RFC 6749, 5.2'],
  'poll-no-client': ['a poll without client_id is refused', 'Spec 4.2; RFC 8628, 3.4'],
  'foreign-device-code': [
    'the device code of another client is refused like an unknown one',
    'RFC 8628, 3.4; RFC 6749, 5.2',
  ],
  expired: ['a poll after the codes expired gets expired_token', 'RFC 8628, 3.5'],
  'poll-json': ['every poll response is a JSON object, as application/json', 'Spec 4; RFC 6749, 5.1, 5.2'],
  'poll-status': ['poll errors have the status of the dialect: 200 (github), 400 (rfc8628)', 'RFC 6749, 5.2'],
  'token-entropy': ['access tokens and refresh tokens have at least 128 bits', 'RFC 6749, 10.10'],
  'token-lifetime': [
    'expires_in of a token is a number, and tokens with a refresh token have it',
    'RFC 6749, 5.1',
  ],
  'device-code-private': [
    'only the device gets the device code, which does not contain the user code',
    'RFC 8628, 3.3, 5.2',
  ],
  redirects: ['no login path redirects', 'Spec 4 (silent)'],
  page: ['verification_uri responds with status 200 and HTML', 'RFC 8628, 3.3'],
  'page-frames': ['other sites cannot frame the verification page', 'RFC 6749, 10.13; RFC 9700, 4.16'],
  'page-no-store': ['caches must not store the verification page', 'RFC 9111, 5.2.2.5'],
  metadata: ['the metadata names both endpoints and the grant type', 'RFC 8414, 2, 3.3; RFC 8628, 4'],
  jwks: ['jwks_uri publishes a key set without private keys', 'RFC 7517, 5, 9.2; RFC 8414, 2'],
  'jwt-claims': [
    'a JWT access token (at+jwt) has iss, exp, aud, sub, client_id, iat and jti, for this issuer and client',
    'RFC 9068, 2.2',
  ],
  'jwt-signature': ['a JWT access token (at+jwt) is signed with a key of jwks_uri', 'RFC 9068, 2.1, 4'],
  'introspection-anonymous': ['introspection tells nothing without authentication', 'RFC 7662, 2.1, 4'],
  'introspection-method': ['a GET tells nothing about a token', 'RFC 7662, 2.1, 4'],
  'dpop-algorithms': ['dpop_signing_alg_values_supported lists asymmetric algorithms', 'RFC 9449, 4.2, 5.1'],
  'dpop-proof': ['a poll with a proof for another URL gets no token', 'RFC 9449, 4.3, 5'],
  'dpop-token-type': ['a poll with a valid proof gets a token of the type DPoP', 'RFC 9449, 5'],
  'revocation-unknown': ['the revocation of an unknown token gets status 200', 'RFC 7009, 2.2'],
  'revocation-no-token': ['a revocation without token is refused: invalid_request', 'RFC 7009, 2.1, 2.2.1'],
  'revocation-method': ['a GET revokes no token', 'RFC 7009, 2.1'],
  'foreign-revocation': [
    'another client cannot revoke a token: refused with 4xx and an error',
    'RFC 7009, 2.1, 2.2.1',
  ],
  'revoked-access-token': ['a resource refuses an access token after its revocation', 'RFC 7009, 2, 2.1'],
  revoked: ['the revocation of a token gets status 200', 'RFC 7009, 2.2'],
  'revoked-refresh-token': [
    'a revoked refresh token is refused: bad_refresh_token (github), invalid_grant (rfc8628)',
    'RFC 7009, 2.1; RFC 6749, 5.2',
  ],
  'revoked-with-refresh-token': [
    'a resource refuses the access token after the revocation of its refresh token',
    'RFC 7009, 2.1',
  ],
  'codes-short': ['the codes expire within 15 minutes', 'RFC 8628, 5.4; RFC 10027, 6.1.2'],
  'token-short': ['an access token expires within a day', 'RFC 10027, 6.1.10'],
  'page-referrer': ['the verification page does not tell other sites its URL', 'RFC 9700, 4.2.4'],
  'page-cors': ['scripts of other sites cannot read the verification page', 'RFC 9700, 2.6'],
  'token-in-url': ['a resource refuses an access token in its URL', 'RFC 9700, 4.3.2'],
} as const satisfies Record<string, Requirement>

/** The chapters of the report, each by its first requirement. */
const CHAPTERS: Partial<Record<string, string>> = {
  secure: 'Device codes',
  pending: 'Polls',
  approved: 'Tokens',
  refreshed: 'Refresh tokens',
  'token-once': 'Decisions',
  'poll-method': 'Misuse',
  'unknown-grant-type': 'Refused polls',
  expired: 'Expiry and responses',
  page: 'Verification page',
  metadata: 'Metadata',
  jwks: 'JWT access tokens (RFC 9068)',
  'introspection-anonymous': 'Introspection (RFC 7662)',
  'dpop-algorithms': 'DPoP (RFC 9449)',
  'revocation-unknown': 'Revocation',
  'codes-short': 'Phishing (RFC 8628, 5; RFC 10027)',
  'page-referrer': 'Best current practice (RFC 9700)',
} satisfies Partial<Record<RequirementId, string>>

/** The title of the chapter to which a requirement belongs. */
export function chapterOf(id: RequirementId): string {
  let chapter = ''
  for (const each of Object.keys(REQUIREMENTS)) {
    chapter = CHAPTERS[each] ?? chapter
    if (each === id) break
  }
  return chapter
}

/** The requirements of the chapter that begins with a requirement. */
export function requirementsFrom(first: RequirementId): readonly RequirementId[] {
  const ids = Object.keys(REQUIREMENTS) as RequirementId[]
  return ids.filter((id) => chapterOf(id) === CHAPTERS[first])
}

/**
 * The ID of a requirement. Its meaning never changes.
 *
 * @useDeclaredType
 */
export type RequirementId = keyof typeof REQUIREMENTS
