import { ForbiddenError, RefusedError } from '../errors.ts'
import { errorCodeOf, hasMember, memberOf, textMemberOf } from '../request/http.ts'
import { nameRequest, withoutSecrets } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { INVISIBLE } from './syntax.ts'

/** Longest error code and description to keep, in characters. */
const LONGEST_CODE = 100
const LONGEST_DESCRIPTION = 500

/** Characters that an error code must not contain (RFC 6749, section 5.2), except for the marks of a hidden secret. */
const NOT_OF_A_CODE = /[^\x20\x21\x23-\x5b\x5d-\x7e‹›]/gu

/** The characters of `error_uri`: RFC 6749, section 5.2. */
const URI = /^https:\/\/[\x21\x23-\x5b\x5d-\x7e]+$/

/** White space, line breaks and invisible characters. */
const SPACE = /* @__PURE__ */ new RegExp(`(?:\\s|${INVISIBLE.source})+`, 'gu')

/**
 * Creates the error for a refusal. It keeps the server's error code and description, cleaned and shortened, but none of
 * the secrets that were sent: servers repeat in their errors what they received.
 */
export function refusalOf({ body, status, retryAfter, request, sent = [] }: ReceivedResponse): RefusedError {
  const code = errorCodeOf(body)
  // APIs like GitHub's call it `message`.
  const uri = textMemberOf(body, 'error_uri') ?? ''
  const description = [
    textMemberOf(body, 'error_description') ?? textMemberOf(body, 'message'),
    URI.test(uri) && uri,
  ]
    .filter(Boolean)
    .join(' – ')
  const Refusal = isForbidden(body) ? ForbiddenError : RefusedError
  return new Refusal({
    error: code && withoutSecrets(code, sent).replace(NOT_OF_A_CODE, '?').slice(0, LONGEST_CODE),
    description: readable(withoutSecrets(description, sent)),
    status,
    retryAfter,
    request: request && nameRequest(request, sent),
  })
}

/** Creates the error for a response that is a refusal, because it lacks this member. Some services refuse with status 200. */
export function refusalWithout(member: string, response: ReceivedResponse): RefusedError | undefined {
  const { body, status } = response
  const isRefusal = !hasMember(body, member) && (status >= 400 || errorCodeOf(body) !== undefined)
  return isRefusal ? refusalOf(response) : undefined
}

/** Makes a text safe to display in one line; returns `undefined` if nothing is left. */
export function readable(text: string): string | undefined {
  const line = text.replace(SPACE, ' ').trim()
  // By code points: half of a surrogate pair cannot be displayed.
  return [...line].slice(0, LONGEST_DESCRIPTION).join('') || undefined
}

/**
 * Error codes, and subcodes of `access_denied`, with which a provider says that its policy forbids the login.
 *
 * - RFC 6749, section 5.2: `unauthorized_client`.
 * - Google: https://developers.google.com/identity/protocols/oauth2/limited-input-device#authorization-errors
 */
const POLICY_CODES: readonly unknown[] = ['unauthorized_client', 'admin_policy_enforced', 'org_internal']

/**
 * Error numbers of Entra ID for Conditional Access, security defaults, tenant restrictions and missing assignments.
 * Microsoft may change them: a number that is not in this list is a refusal like any other.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const POLICY_NUMBERS =
  /^(50005|50105|50131|500021|500022|500212|500213|53000|53001|53002|53003|53011|530032|530034|530035|530036)$/

/** Whether an error says that a policy of the provider forbids the login, and not that the user denied it. */
export function isForbidden(body: unknown): boolean {
  const code = errorCodeOf(body)
  if (code === undefined) return false
  const subcode = memberOf(body, 'error_subtype') ?? memberOf(body, 'suberror')
  if (POLICY_CODES.includes(code === 'access_denied' ? subcode : code)) return true
  // Nothing else is converted to text: `String` throws if `toString` is not a function.
  const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  return numbersOf(body).some((number) => isPlain(number) && POLICY_NUMBERS.test(String(number)))
}

/** Entra ID lists its numbers in `error_codes`, and begins the description with the first one. */
function numbersOf(body: unknown): unknown[] {
  const numbers = memberOf(body, 'error_codes')
  if (Array.isArray(numbers)) return numbers
  return [/^AADSTS(\d+):/.exec(textMemberOf(body, 'error_description') ?? '')?.[1]]
}
