import { checkMethods } from './check-codes.ts'
import {
  BAD_REFRESH_TOKEN,
  begin,
  type CheckContext,
  fits,
  isUnderTest,
  poll,
  pollLater,
  post,
  refresh,
  said,
  tokensIn,
  UNKNOWN_CLIENT,
  wait,
  wants,
} from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** A token that no service has issued. */
const UNKNOWN_TOKEN = 'authgraph-check-unknown-token'

/** The requirements that need a token. */
const OF_TOKEN = ['foreign-revocation', 'revoked', 'revoked-refresh-token', 'revoked-access-token'] as const

/** The requirements that need a revocation endpoint. */
export const OF_REVOCATION = [
  'revocation-unknown',
  'revocation-no-token',
  'revocation-method',
  ...OF_TOKEN,
] as const

/**
 * Checks the revocation of tokens. Starts a separate login for it.
 *
 * @param published The endpoint that the metadata of the service names.
 */
export async function checkRevocation(context: CheckContext, published: string | undefined): Promise<void> {
  const { verdicts, clientId, options } = context
  const { revocationEndpoint: named } = options.provider
  const endpoint = named ?? published
  if (endpoint === undefined) {
    verdicts.skip(OF_REVOCATION, 'the service names no revocation endpoint')
    return
  }
  // The service chose this URL.
  if (named === undefined && !isUnderTest(context, endpoint)) {
    verdicts.skip(OF_REVOCATION, 'the revocation endpoint is on another origin: name it in the provider')
    return
  }
  const revoke = (token: string | undefined, client = clientId) =>
    post(context, endpoint, { client_id: client, token })

  const unknown = await revoke(UNKNOWN_TOKEN)
  verdicts.judge('revocation-unknown', unknown, notOk(unknown))
  const empty = await revoke(undefined)
  verdicts.judge('revocation-no-token', empty, wants('invalid_request', empty))
  await checkMethods(context, 'revocation-method', endpoint)
  await checkRevoked(context, revoke)
}

/** Revokes the refresh token of a login or, without one, its access token. */
async function checkRevoked(
  context: CheckContext,
  revoke: (token: string, client?: string) => Promise<CheckedResponse>,
): Promise<void> {
  const { verdicts, dialect = 'rfc8628', otherClientId = UNKNOWN_CLIENT } = context
  const tokens = await logIn(context)
  if (typeof tokens === 'string') {
    verdicts.skip(OF_TOKEN, tokens)
    return
  }
  const { accessToken, refreshToken } = tokens
  const token = refreshToken ?? accessToken
  const foreign = await revoke(token, otherClientId)
  const isRefused = foreign.status >= 400 && foreign.status <= 499 && foreign.error !== undefined
  verdicts.judge('foreign-revocation', foreign, isRefused ? undefined : `got status ${foreign.status}`)
  const opened = await open(context, accessToken)
  if (opened?.status === 200) await openByUrl(context, accessToken)
  const own = await revoke(token)
  verdicts.judge('revoked', own, notOk(own))
  if (own.status !== 200) {
    verdicts.skip(OF_TOKEN, 'the revocation failed')
    return
  }
  if (refreshToken === undefined)
    verdicts.skip(['revoked-refresh-token'], 'the service issues no refresh tokens')
  else {
    const spent = await refresh(context, refreshToken)
    tokensIn(context, spent)
    verdicts.judge('revoked-refresh-token', spent, wants(BAD_REFRESH_TOKEN[dialect], spent))
  }
  if (opened?.status !== 200)
    verdicts.skip(
      ['revoked-access-token'],
      opened ? `the resource refused a valid token: status ${opened.status}` : 'no resource was given',
    )
  else {
    const closed = await open(context, accessToken)
    const problem = closed?.status === 200 ? 'the resource accepted the token' : undefined
    // RFC 7009, section 2.1: the access tokens of a refresh token only should end with it.
    const judge = refreshToken === undefined ? verdicts.judge : verdicts.advise
    judge('revoked-access-token', closed, problem)
  }
}

/** Lets the user approve a new login. Returns its tokens, or why there are none. */
async function logIn(context: CheckContext) {
  const { approve } = context.options
  if (approve === undefined) return 'nobody approved'
  const grant = await begin(context)
  if (grant === undefined) return 'the service sent no codes'
  try {
    await approve(grant.shown)
  } catch (error) {
    return `nobody approved: ${(error as Error).message}`
  }
  const { interval } = grant.shown
  if (fits(context, grant, interval)) await wait(context, interval)
  const response = await poll(context, grant.deviceCode)
  const later = response.error === 'slow_down' ? await pollLater(context, grant, response) : response
  return tokensIn(context, later) ?? 'the service sent no token'
}

async function open(
  { wire, options }: CheckContext,
  accessToken: string,
): Promise<CheckedResponse | undefined> {
  return options.resource === undefined
    ? undefined
    : wire.send({ method: 'GET', url: options.resource, token: accessToken })
}

/** Sends the token where it ends up in logs and in the history: a resource should refuse it there. */
async function openByUrl({ wire, options }: CheckContext, accessToken: string): Promise<void> {
  const url = new URL(options.resource ?? '')
  url.searchParams.set('access_token', accessToken)
  await wire.send({ method: 'GET', url: url.href })
}

function notOk({ status, error }: CheckedResponse): string | undefined {
  if (status === 200) return error === undefined ? undefined : `got ${said(error)}`
  return status === 0 ? 'no response' : `wanted status 200, got ${status}`
}
