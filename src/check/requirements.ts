/** What is asked of a service, in the order in which it is looked at. `only` names the dialect that asks it. */
export const REQUIREMENTS = {
  secure: {
    text: 'every address is https, loopback apart',
    source: 'RFC 8628, 3.1, 3.4',
  },
  'form-body': {
    text: 'a form-encoded request is read',
    source: 'RFC 8628, 3.1',
  },
  codes: {
    text: 'a request for codes brings device_code, user_code and verification_uri',
    source: 'Spec 2.3, 4.1; RFC 8628, 3.2',
  },
  'codes-lifetime': {
    text: 'expires_in and interval are numbers of seconds, best whole ones',
    source: 'Spec 2.3; RFC 8628, 3.2',
  },
  'codes-json': {
    text: 'the codes come as application/json',
    source: 'Spec 4; RFC 8628, 3.2',
  },
  'codes-no-store': {
    text: 'no cache keeps the codes',
    source: 'RFC 8628, 3.2',
  },
  'device-code-entropy': {
    text: 'the device code has 128 bits or more',
    source: 'RFC 8628, 5.2; RFC 6749, 10.10',
  },
  'user-code-entropy': {
    text: 'the user code has the bits of nine digits or more',
    source: 'RFC 8628, 5.1, 6.1',
  },
  'complete-address': {
    text: 'the complete address has the user code in it',
    source: 'RFC 8628, 3.3.1',
  },
  'unknown-parameter': {
    text: 'an unknown parameter is ignored',
    source: 'RFC 8628, 3.1',
  },
  'empty-scope': {
    text: 'an empty scope is an absent one',
    source: 'Spec 4.1; RFC 8628, 3.1',
  },
  'codes-unique': {
    text: 'each request brings codes of its own',
    source: 'RFC 8628, 3.2',
  },
  'codes-repeated': {
    text: 'a repeated parameter is refused where codes are asked for: invalid_request',
    source: 'RFC 8628, 3.1; RFC 6749, 5.2',
  },
  'codes-no-client': {
    text: 'a request for codes without client_id is refused with 4xx and an error',
    source: 'Spec 4.1; RFC 6749, 5.2',
  },
  'codes-unknown-client': {
    text: 'a request for codes of an unknown client is refused with 4xx and an error',
    source: 'RFC 8628, 3.2; RFC 6749, 5.2',
  },
  'codes-method': {
    text: 'GET and HEAD are refused where codes are asked for',
    source: 'Spec 4.1; RFC 8628, 3.1',
  },
  pending: {
    text: 'a poll before the decision hears authorization_pending',
    source: 'Spec 3, 4.2; RFC 8628, 3.5',
  },
  'poll-status': {
    text: 'an error of a poll has the status of the dialect: 200 (github), 400 (rfc8628)',
    source: 'RFC 6749, 5.2',
  },
  'device-code-form': {
    text: 'the device code has 40 characters',
    source: 'Spec 2.3',
    only: 'github',
  },
  'user-code-form': {
    text: 'the user code has 8 characters, and a hyphen in the middle',
    source: 'Spec 2.3',
    only: 'github',
  },
  'slow-down': {
    text: 'a poll that comes too early hears slow_down',
    source: 'Spec 3, 7; RFC 8628, 3.5',
  },
  'slow-down-interval': {
    text: 'slow_down tells the interval, 5 seconds longer',
    source: 'Spec 3',
    only: 'github',
  },
  recovery: {
    text: 'a client that waits as it was told hears authorization_pending again',
    source: 'RFC 8628, 3.5',
  },
  approved: {
    text: 'the poll after the approval brings access_token',
    source: 'Spec 3, 4.2; RFC 8628, 3.5',
  },
  'early-decision': {
    text: 'a decision is delivered even to an early poll',
    source: 'Spec 3 (silent)',
  },
  'foreign-approved-code': {
    text: 'an approved device code brings no token to another client',
    source: 'RFC 8628, 3.4; RFC 6749, 5.2',
  },
  'token-type': {
    text: 'the token has the type bearer',
    source: 'Spec 2.2; RFC 6749, 5.1',
  },
  'token-scope': {
    text: 'the scopes are separated as in the dialect: comma (github), space (rfc8628)',
    source: 'Spec 2.2; RFC 6749, 3.3',
  },
  'token-no-store': {
    text: 'no cache keeps the token',
    source: 'RFC 6749, 5.1',
  },
  'token-once': {
    text: 'the device code brings one token, and no second one',
    source: 'RFC 8628, 3.5; RFC 6749, 5.2',
  },
  denied: {
    text: 'the poll after the denial hears access_denied',
    source: 'RFC 8628, 3.5',
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
    text: 'an empty device_code is an absent one: invalid_request',
    source: 'RFC 6749, 3.2',
  },
  'unknown-device-code': {
    text: 'an unknown device code is refused: incorrect_device_code (github), invalid_grant (rfc8628)',
    source: 'RFC 6749, 5.2',
  },
  'foreign-device-code': {
    text: 'the device code of another client is refused as an unknown one is',
    source: 'RFC 8628, 3.4; RFC 6749, 5.2',
  },
  'poll-unknown-client': {
    text: 'a poll of an unknown client is refused',
    source: 'Spec 4.2; RFC 6749, 5.2',
  },
  'poll-no-client': {
    text: 'a poll without client_id is refused',
    source: 'Spec 4.2; RFC 8628, 3.4',
  },
  'poll-repeated': {
    text: 'a repeated parameter is refused at a poll: invalid_request',
    source: 'RFC 6749, 3.2, 5.2',
  },
  'poll-method': {
    text: 'GET and HEAD are refused at a poll',
    source: 'Spec 4.2; RFC 8628, 3.4',
  },
  expired: {
    text: 'a poll after the lifetime hears expired_token',
    source: 'RFC 8628, 3.5',
  },
  'poll-json': {
    text: 'every answer to a poll is a JSON object, as application/json',
    source: 'Spec 4; RFC 6749, 5.1, 5.2',
  },
  redirects: {
    text: 'no login path answers with a redirect',
    source: 'Spec 4 (silent)',
  },
  page: {
    text: 'the verification address answers 200 with HTML',
    source: 'RFC 8628, 3.3',
  },
  'page-frames': {
    text: 'the verification page cannot be framed by another site',
    source: 'RFC 6749, 10.13',
  },
  'page-no-store': {
    text: 'no cache keeps the verification page',
    source: 'RFC 9111, 5.2.2.5',
  },
  metadata: {
    text: 'the metadata names both endpoints and the grant type',
    source: 'RFC 8414, 2, 3.3; RFC 8628, 4',
  },
} satisfies Record<
  string,
  { readonly text: string; readonly source: string; readonly only?: 'github' | 'rfc8628' }
>

/**
 * The name of a requirement. It never changes its meaning.
 *
 * @group Service check
 * @useDeclaredType
 */
export type RequirementId = keyof typeof REQUIREMENTS
