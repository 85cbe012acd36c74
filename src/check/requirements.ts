/** What the checks require. */
export interface Requirement {
  readonly text: string
  readonly source: string
  /** The only dialect to which it applies. */
  readonly only?: 'github' | 'rfc8628'
}

/** The requirements, in the order of the checks. */
export const REQUIREMENTS = {
  secure: { text: 'every URL is https, except on loopback', source: 'RFC 8628, 3.1, 3.4' },
  'form-body': { text: 'form-encoded requests are accepted', source: 'RFC 8628, 3.1' },
  codes: {
    text: 'the device code response has device_code, user_code and verification_uri',
    source: 'Spec 2.3, 4.1; RFC 8628, 3.2',
  },
  'codes-lifetime': {
    text: 'expires_in and interval are numbers of seconds, preferably whole',
    source: 'Spec 2.3; RFC 8628, 3.2',
  },
  'codes-json': { text: 'the device code response is application/json', source: 'Spec 4; RFC 8628, 3.2' },
  'codes-no-store': { text: 'caches must not store the codes', source: 'RFC 8628, 3.2' },
  'device-code-entropy': {
    text: 'the device code has at least 128 bits',
    source: 'RFC 8628, 5.2; RFC 6749, 10.10',
  },
  'user-code-entropy': {
    text: 'the user code has at least the bits of nine digits',
    source: 'RFC 8628, 5.1, 6.1',
  },
  'complete-address': { text: 'verification_uri_complete contains the user code', source: 'RFC 8628, 3.3.1' },
  'unknown-parameter': { text: 'unknown parameters are ignored', source: 'RFC 8628, 3.1' },
  'empty-scope': { text: 'an empty scope counts as absent', source: 'Spec 4.1; RFC 8628, 3.1' },
  'codes-unique': { text: 'each request gets new codes', source: 'RFC 8628, 3.2' },
  'codes-repeated': {
    text: 'a device code request with a repeated parameter is refused: invalid_request',
    source: 'RFC 8628, 3.1; RFC 6749, 5.2',
  },
  'codes-no-client': {
    text: 'a device code request without client_id is refused with 4xx and an error',
    source: 'Spec 4.1; RFC 6749, 5.2',
  },
  'codes-unknown-client': {
    text: 'a device code request of an unknown client is refused with 4xx and an error',
    source: 'RFC 8628, 3.2; RFC 6749, 5.2',
  },
  'codes-method': { text: 'a GET gets no codes', source: 'Spec 4.1; RFC 8628, 3.1' },
  pending: {
    text: 'a poll before the decision gets authorization_pending',
    source: 'Spec 3, 4.2; RFC 8628, 3.5',
  },
  'device-code-form': { text: 'the device code has 40 characters', source: 'Spec 2.3', only: 'github' },
  'user-code-form': {
    text: 'the user code has 8 characters with a hyphen in the middle',
    source: 'Spec 2.3',
    only: 'github',
  },
  'slow-down': { text: 'a poll that comes too early gets slow_down', source: 'Spec 3, 7; RFC 8628, 3.5' },
  'slow-down-interval': {
    text: 'slow_down contains the new interval, 5 seconds longer',
    source: 'Spec 3',
    only: 'github',
  },
  recovery: {
    text: 'a client that waits for the new interval gets authorization_pending again',
    source: 'RFC 8628, 3.5',
  },
  approved: { text: 'the poll after the approval gets access_token', source: 'Spec 3, 4.2; RFC 8628, 3.5' },
  'early-decision': { text: 'a decision is delivered even to an early poll', source: 'Spec 3 (silent)' },
  'token-type': { text: 'token_type is bearer', source: 'Spec 2.2; RFC 6749, 5.1' },
  'token-scope': {
    text: 'the scopes are separated as in the dialect: comma (github), space (rfc8628)',
    source: 'Spec 2.2; RFC 6749, 3.3',
  },
  'token-no-store': { text: 'caches must not store the token', source: 'RFC 6749, 5.1' },
  refreshed: { text: 'a refresh gets access_token', source: 'RFC 6749, 6' },
  'refresh-no-store': { text: 'caches must not store a refreshed token', source: 'RFC 6749, 5.1, 6' },
  'refresh-rotation': {
    text: 'each refresh replaces the refresh token of a public client',
    source: 'RFC 9700, 2.2.2, 4.14.2',
  },
  'spent-refresh-token': {
    text: 'a refresh token that was replaced is refused: bad_refresh_token (github), invalid_grant (rfc8628)',
    source: 'RFC 9700, 4.14.2; RFC 6749, 5.2',
  },
  'refresh-reuse': {
    text: 'after a replaced refresh token was used, the newest one is refused too',
    source: 'RFC 9700, 4.14.2',
  },
  'token-once': {
    text: 'a device code gets only one token: a later poll is refused, or gets the same one again',
    source: 'RFC 8628, 3.5; RFC 6749, 5.2',
  },
  denied: { text: 'the poll after the denial gets access_denied', source: 'RFC 8628, 3.5' },
  'poll-method': {
    text: 'a GET gets no token for an approved device code',
    source: 'Spec 4.2; RFC 6749, 3.2',
  },
  'foreign-approved-code': {
    text: 'another client gets no token for an approved device code',
    source: 'RFC 8628, 3.4; RFC 6749, 5.2',
  },
  'foreign-refresh-token': {
    text: 'another client gets no token for a refresh token',
    source: 'RFC 6749, 6, 10.4',
  },
  'refresh-scope': {
    text: 'a refresh does not get a scope that the user did not approve: invalid_scope, or fewer scopes',
    source: 'RFC 6749, 5.2, 6',
  },
  'unknown-grant-type': {
    text: 'another grant_type is refused: unsupported_grant_type',
    source: 'Spec 4.2; RFC 6749, 5.2',
  },
  'no-grant-type': {
    text: 'a poll without grant_type is refused: invalid_request',
    source: 'Spec 4.2; RFC 6749, 5.2',
  },
  'no-device-code': {
    text: 'a poll without device_code is refused: invalid_request',
    source: 'Spec 4.2; RFC 6749, 5.2',
  },
  'empty-device-code': {
    text: 'an empty device_code counts as absent: invalid_request',
    source: 'RFC 6749, 3.2',
  },
  'poll-repeated': {
    text: 'a poll with a repeated parameter is refused: invalid_request',
    source: 'RFC 6749, 3.2, 5.2',
  },
  query: { text: 'parameters in the query of a POST are not read', source: 'RFC 6749, 2.3.1; RFC 8628, 3.1' },
  'unknown-device-code': {
    text: 'an unknown device code is refused: incorrect_device_code (github), invalid_grant (rfc8628)',
    source: 'RFC 6749, 5.2',
  },
  'poll-unknown-client': {
    text: 'a poll of an unknown client is refused',
    source: 'Spec 4.2; RFC 6749, 5.2',
  },
  'poll-no-client': { text: 'a poll without client_id is refused', source: 'Spec 4.2; RFC 8628, 3.4' },
  'foreign-device-code': {
    text: 'the device code of another client is refused like an unknown one',
    source: 'RFC 8628, 3.4; RFC 6749, 5.2',
  },
  expired: { text: 'a poll after the codes expired gets expired_token', source: 'RFC 8628, 3.5' },
  'poll-json': {
    text: 'every poll response is a JSON object, as application/json',
    source: 'Spec 4; RFC 6749, 5.1, 5.2',
  },
  'poll-status': {
    text: 'poll errors have the status of the dialect: 200 (github), 400 (rfc8628)',
    source: 'RFC 6749, 5.2',
  },
  'token-entropy': {
    text: 'access tokens and refresh tokens have at least 128 bits',
    source: 'RFC 6749, 10.10',
  },
  'token-lifetime': {
    text: 'expires_in of a token is a number, and tokens with a refresh token have it',
    source: 'RFC 6749, 5.1',
  },
  'device-code-private': {
    text: 'only the device gets the device code, which does not contain the user code',
    source: 'RFC 8628, 3.3, 5.2',
  },
  redirects: { text: 'no login path redirects', source: 'Spec 4 (silent)' },
  page: { text: 'verification_uri responds with status 200 and HTML', source: 'RFC 8628, 3.3' },
  'page-frames': {
    text: 'other sites cannot frame the verification page',
    source: 'RFC 6749, 10.13; RFC 9700, 4.16',
  },
  'page-no-store': { text: 'caches must not store the verification page', source: 'RFC 9111, 5.2.2.5' },
  metadata: {
    text: 'the metadata names both endpoints and the grant type',
    source: 'RFC 8414, 2, 3.3; RFC 8628, 4',
  },
  'revocation-unknown': {
    text: 'the revocation of an unknown token gets status 200',
    source: 'RFC 7009, 2.2',
  },
  'revocation-no-token': {
    text: 'a revocation without token is refused: invalid_request',
    source: 'RFC 7009, 2.1, 2.2.1',
  },
  'revocation-method': { text: 'a GET revokes no token', source: 'RFC 7009, 2.1' },
  'foreign-revocation': {
    text: 'another client cannot revoke a token: refused with 4xx and an error',
    source: 'RFC 7009, 2.1, 2.2.1',
  },
  'revoked-access-token': {
    text: 'a resource refuses an access token after its revocation',
    source: 'RFC 7009, 2, 2.1',
  },
  revoked: { text: 'the revocation of a token gets status 200', source: 'RFC 7009, 2.2' },
  'revoked-refresh-token': {
    text: 'a revoked refresh token is refused: bad_refresh_token (github), invalid_grant (rfc8628)',
    source: 'RFC 7009, 2.1; RFC 6749, 5.2',
  },
  'revoked-with-refresh-token': {
    text: 'a resource refuses the access token after the revocation of its refresh token',
    source: 'RFC 7009, 2.1',
  },
  'codes-short': { text: 'the codes expire within 15 minutes', source: 'RFC 8628, 5.4; RFC 10027, 6.1.2' },
  'token-short': { text: 'an access token expires within a day', source: 'RFC 10027, 6.1.10' },
  'page-referrer': {
    text: 'the verification page does not tell other sites its URL',
    source: 'RFC 9700, 4.2.4',
  },
  'page-cors': { text: 'scripts of other sites cannot read the verification page', source: 'RFC 9700, 2.6' },
  'token-in-url': { text: 'a resource refuses an access token in its URL', source: 'RFC 9700, 4.3.2' },
} satisfies Record<string, Requirement>

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

/**
 * The id of a requirement. Its meaning never changes.
 *
 * @useDeclaredType
 */
export type RequirementId = keyof typeof REQUIREMENTS
