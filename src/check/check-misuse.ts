import { textMemberOf } from '../request/http.ts'
import { type Check, UNKNOWN_CLIENT } from './check.ts'
import { approvedGrant, collect, refreshTokenOf, validTokens } from './logins.ts'
import { type Problem, wants } from './problems.ts'
import { type CheckedTokens, tokensIn } from './tokens.ts'

const NEVER_APPROVED = 'authgraph_check'

/** Misuses a login that the other checks do not need, since a service may end it. */
export async function checkMisuse(check: Check): Promise<void> {
  const { tokenEndpoint } = check.options.provider
  const foreignClient = { client_id: check.otherClientId ?? UNKNOWN_CLIENT }
  const approved = await approvedGrant(check)
  const polled = await check.sendInUrl('GET', tokenEndpoint, check.pollFields(approved.deviceCode))
  check.judge('poll-method', polled, stolen('a GET got the token'))

  const grant = tokensIn(polled) ? await approvedGrant(check) : approved
  const fields = check.pollFields(grant.deviceCode, foreignClient)
  const foreign = await check.poll(grant.deviceCode, fields)
  check.judge('foreign-approved-code', foreign, stolen('the other client got the token'))

  if (!tokensIn(foreign)) check.login = await collect(check, grant)
  check.login ??= await validTokens(check)
  const refreshed = await check.refresh(refreshTokenOf(check.login), foreignClient)
  check.judge('foreign-refresh-token', refreshed, stolen('the other client got a token'))

  check.login = await validTokens(check, check.login)
  const scope = [...scopesOf(check, check.login), NEVER_APPROVED].join(' ')
  const wider = await check.refresh(refreshTokenOf(check.login), { scope })
  check.judge('refresh-scope', wider, notRefused)
  check.login = tokensIn(wider) ?? check.login
}

function stolen(problem: string): Problem {
  return (response) => tokensIn(response) && problem
}

const notRefused: Problem = (response) => {
  if (!tokensIn(response)) return wants('invalid_scope')(response)
  const scope = textMemberOf(response.body, 'scope')
  // RFC 6749, section 5.1: without "scope", the requested scopes were granted.
  if (scope === undefined) return 'the token has every requested scope: the response contains no scope'
  return scopesIn(scope).includes(NEVER_APPROVED)
    ? 'the token has a scope that the user did not approve'
    : undefined
}

function scopesOf({ options }: Check, { scope }: CheckedTokens): readonly string[] {
  return scope === undefined ? (options.scopes ?? []) : scopesIn(scope)
}

/** The dialects separate scopes differently. */
function scopesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}
