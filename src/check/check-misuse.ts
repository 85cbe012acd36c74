import { memberOf, textMemberOf } from '../request/response.ts'
import {
  type CheckContext,
  poll,
  pollFields,
  refresh,
  sendInUrl,
  type Tokens,
  tokensIn,
  UNKNOWN_CLIENT,
  wants,
} from './context.ts'
import { approvedGrant, collect, validTokens } from './logins.ts'
import type { CheckedResponse } from './wire.ts'

/** A scope that no user has approved. */
const NEVER_APPROVED = 'authgraph_check'

/** The requirements about the misuse of a refresh token. */
const OF_REFRESH_TOKEN = ['foreign-refresh-token', 'refresh-scope'] as const

/** The requirements about the misuse of a login. */
export const OF_MISUSE = ['poll-method', 'foreign-approved-code', ...OF_REFRESH_TOKEN] as const

/**
 * Misuses a login that the other checks do not need, since a service may end it. Returns its tokens for further checks, or
 * `undefined` if there are none.
 */
export async function checkMisuse(context: CheckContext): Promise<Tokens | undefined> {
  const { verdicts, otherClientId = UNKNOWN_CLIENT } = context
  const grant = await checkGet(context)
  if (typeof grant === 'string') {
    verdicts.skip(OF_MISUSE, grant)
    return undefined
  }
  const foreign = await poll(context, grant.deviceCode, { client_id: otherClientId })
  const isStolen = tokensIn(context, foreign) !== undefined
  verdicts.judge('foreign-approved-code', foreign, isStolen ? 'the other client got the token' : undefined)
  return checkRefreshToken(context, isStolen ? undefined : await collect(context, grant))
}

/** Polls an approved code with GET. Returns a grant that is still approved. */
async function checkGet(context: CheckContext): ReturnType<typeof approvedGrant> {
  const { verdicts, options } = context
  const grant = await approvedGrant(context)
  if (typeof grant === 'string') return grant
  const { tokenEndpoint } = options.provider
  const response = await sendInUrl(context, 'GET', tokenEndpoint, pollFields(context, grant.deviceCode))
  const isTaken = tokensIn(context, response) !== undefined
  verdicts.judge('poll-method', response, isTaken ? 'a GET got the token' : undefined)
  return isTaken ? approvedGrant(context) : grant
}

async function checkRefreshToken(
  context: CheckContext,
  login: Tokens | undefined,
): Promise<Tokens | undefined> {
  const { verdicts, options, otherClientId = UNKNOWN_CLIENT } = context
  const tokens = login ?? (await validTokens(context, undefined))
  if (typeof tokens === 'string' || tokens.refreshToken === undefined) {
    verdicts.skip(OF_REFRESH_TOKEN, typeof tokens === 'string' ? tokens : 'no refresh token works')
    return login
  }
  const foreign = await refresh(context, tokens.refreshToken, { client_id: otherClientId })
  const isStolen = tokensIn(context, foreign) !== undefined
  verdicts.judge('foreign-refresh-token', foreign, isStolen ? 'the other client got a token' : undefined)

  const next = await validTokens(context, isStolen ? undefined : tokens)
  if (typeof next === 'string' || next.refreshToken === undefined) {
    verdicts.skip(['refresh-scope'], typeof next === 'string' ? next : 'no refresh token works')
    return undefined
  }
  const granted = next.scope === undefined ? (options.scopes ?? []) : scopesIn(next.scope)
  const scope = [...granted, NEVER_APPROVED].join(' ')
  const wider = await refresh(context, next.refreshToken, { scope })
  verdicts.judge('refresh-scope', wider, widerProblem(wider))
  return tokensIn(context, wider) ?? next
}

function widerProblem(response: CheckedResponse): string | undefined {
  const { body } = response
  if (memberOf(body, 'access_token') === undefined) return wants('invalid_scope', response)
  const scope = textMemberOf(body, 'scope')
  // RFC 6749, section 5.1: without "scope", the requested scopes were granted.
  if (scope === undefined) return 'the token has every requested scope: the response contains no scope'
  return scopesIn(scope).includes(NEVER_APPROVED)
    ? 'the token has a scope that the user did not approve'
    : undefined
}

/** The dialects separate scopes differently. */
function scopesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== '')
}
