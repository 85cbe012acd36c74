import {
  begin,
  type CheckContext,
  fits,
  type Grant,
  poll,
  pollLater,
  refresh,
  type Tokens,
  tokensIn,
  wait,
} from './context.ts'
import type { CheckedResponse } from './wire.ts'

/** Starts a grant that the user approves. Returns a string that says why there is none. */
export async function approvedGrant(context: CheckContext): Promise<Grant | string> {
  const { approve } = context.options
  if (approve === undefined) return 'nobody approved'
  const grant = await begin(context)
  if (grant === undefined) return 'the service sent no codes'
  try {
    await approve(grant.shown)
    return grant
  } catch (error) {
    return `nobody approved: ${(error as Error).message}`
  }
}

/** Waits and polls like a device. Returns `undefined` if the grant gives no tokens. */
export async function collect(context: CheckContext, grant: Grant): Promise<Tokens | undefined> {
  const { interval } = grant.shown
  if (fits(context, grant, interval)) await wait(context, interval)
  const response = await poll(context, grant.deviceCode)
  const tokens = tokensIn(
    context,
    response.error === 'slow_down' ? await pollLater(context, grant, response) : response,
  )
  // A refresh shows whether a login is alive, unless refreshes always fail.
  const canRefresh = context.verdicts.results.get('refreshed')?.outcome === 'passed'
  return tokens && { ...tokens, refreshToken: canRefresh ? tokens.refreshToken : undefined }
}

/**
 * Returns tokens that are valid: those of the login, refreshed, or those of a new one if the service has ended it, as it
 * may after a misuse. Returns a string that says why there are none.
 */
export async function validTokens(
  context: CheckContext,
  login: Tokens | undefined,
): Promise<Tokens | string> {
  const tokens = login && (await survivors(context, login))
  if (tokens) return tokens
  const grant = await approvedGrant(context)
  if (typeof grant === 'string') return grant
  return (await collect(context, grant)) ?? 'the service sent no token'
}

/** Returns the tokens of a login, refreshed if possible; `undefined` if the service has ended it. */
export async function survivors(context: CheckContext, tokens: Tokens): Promise<Tokens | undefined> {
  const { accessToken, refreshToken } = tokens
  if (refreshToken === undefined)
    return (await open(context, accessToken))?.status === 200 ? tokens : undefined
  const next = tokensIn(context, await refresh(context, refreshToken))
  return next && { ...next, refreshToken: next.refreshToken ?? refreshToken }
}

/** Requests the resource. Returns `undefined` if none was given. */
export async function open(
  { wire, options }: CheckContext,
  accessToken: string,
): Promise<CheckedResponse | undefined> {
  return options.resource === undefined
    ? undefined
    : wire.send({ method: 'GET', url: options.resource, token: accessToken })
}
