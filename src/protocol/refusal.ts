import { RefusedError } from '../errors.ts'
import { INVISIBLE } from './invisible.ts'
import { errorCodeOf, memberOf, type ReceivedResponse } from './response.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Characters that are kept of an error code and of a description. */
const LONGEST_CODE = 100
const LONGEST_DESCRIPTION = 500

/** What an error code may not hold. RFC 6749, section 5.2. */
const NOT_OF_A_CODE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/gu

/** What stands between the words of a description: line breaks too, and whatever else cannot be seen. */
const SPACE = new RegExp(`(?:\\s|${INVISIBLE.source})+`, 'gu')

/**
 * Makes the error of a refusal. It keeps the server's own words, cleaned and cut, and none of the secrets that were sent:
 * servers repeat in their errors what they received.
 */
export function refusalOf({ body, status, retryAfter, sent = [] }: ReceivedResponse): RefusedError {
  const code = errorCodeOf(body)
  const description = memberOf(body, 'error_description')
  return new RefusedError({
    error: code && withoutSecrets(code, sent).replace(NOT_OF_A_CODE, '?').slice(0, LONGEST_CODE),
    description: typeof description === 'string' ? readable(withoutSecrets(description, sent)) : undefined,
    status,
    retryAfter,
  })
}

/** Makes one line of a text that may be shown; `undefined` where nothing is left. */
function readable(text: string): string | undefined {
  const line = text.replace(SPACE, ' ').trim()
  // By characters: half of one cannot be shown.
  return [...line].slice(0, LONGEST_DESCRIPTION).join('') || undefined
}
