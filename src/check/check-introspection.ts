import { memberOf } from '../request/http.ts'
import type { Check } from './check.ts'
import { publishedUrl } from './check-documents.ts'
import { validTokens } from './logins.ts'
import type { Problem } from './problems.ts'
import type { CheckedResponse } from './wire.ts'

/** Checks that the introspection endpoint, if the metadata names one, tells strangers nothing about a valid token. */
export async function checkIntrospection(
  check: Check,
  published: CheckedResponse | undefined,
): Promise<void> {
  const endpoint = publishedUrl(check, published, 'introspection_endpoint')
  check.login = await validTokens(check, check.login)
  const { accessToken } = check.login
  check.judge('introspection-anonymous', await check.post(endpoint, [['token', accessToken]]), tells)
  const fields = [
    ['client_id', check.clientId],
    ['token', accessToken],
  ] as const
  check.judge('introspection-method', await check.sendInUrl('GET', endpoint, fields), tells)
}

const tells: Problem = ({ body }) =>
  memberOf(body, 'active') === true ? 'the response says that the token is active' : undefined
