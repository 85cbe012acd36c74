import { ForbiddenError, RefusedError } from '../errors.ts'
import { isForbidden } from './forbidden.ts'
import { INVISIBLE } from './invisible.ts'
import { errorCodeOf, type ReceivedResponse, textMemberOf } from './response.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Longest error code and description to keep, in characters. */
const LONGEST_CODE = 100
const LONGEST_DESCRIPTION = 500

/** Characters that an error code must not contain. RFC 6749, section 5.2. */
const NOT_OF_A_CODE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/gu

/** White space, line breaks and invisible characters. */
const SPACE = new RegExp(`(?:\\s|${INVISIBLE.source})+`, 'gu')

/**
 * Creates the error for a refusal. It keeps the server's error code and description, cleaned and shortened, but none of
 * the secrets that were sent: servers repeat in their errors what they received.
 */
export function refusalOf({ body, status, retryAfter, sent = [] }: ReceivedResponse): RefusedError {
  const code = errorCodeOf(body)
  const description = textMemberOf(body, 'error_description')
  const Refusal = isForbidden(body) ? ForbiddenError : RefusedError
  return new Refusal({
    error: code && withoutSecrets(code, sent).replace(NOT_OF_A_CODE, '?').slice(0, LONGEST_CODE),
    description: description && readable(withoutSecrets(description, sent)),
    status,
    retryAfter,
  })
}

/** Makes a text safe to display in one line; returns `undefined` if nothing is left. */
function readable(text: string): string | undefined {
  const line = text.replace(SPACE, ' ').trim()
  // By code points: half of a surrogate pair cannot be displayed.
  return [...line].slice(0, LONGEST_DESCRIPTION).join('') || undefined
}
