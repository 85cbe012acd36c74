import type { ShownCodes } from '../client/options.ts'
import { BadOptionError } from '../errors.ts'
import { type Check, NotApplicable, NotChecked, type StartedGrant } from './check.ts'
import { type CheckedTokens, tokensIn } from './tokens.ts'
import type { CheckedResponse } from './wire.ts'

/** The error code for a refresh token that is not valid. */
export const BAD_REFRESH_TOKEN = { github: 'bad_refresh_token', rfc8628: 'invalid_grant' }

const NOBODY = { approve: 'nobody approved', deny: 'nobody denied' }

/** Lets the user decide. If that fails, so does the requirement that it was for: nothing shows that the service meets it. */
export async function decide(check: Check, as: 'approve' | 'deny', { shown }: StartedGrant): Promise<void> {
  const { options, results } = check
  const decision = decisionOf(check, as)
  try {
    await decision(shown)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof BadOptionError) throw error
    const why = `${NOBODY[as]}: ${(error as Error).message}`
    const id = as === 'approve' ? 'approved' : 'denied'
    if (!results.has(id)) check.judge(id, undefined, why)
    throw new NotChecked(why)
  }
}

function decisionOf({ options }: Check, as: 'approve' | 'deny'): (codes: ShownCodes) => unknown {
  const decision = options[as]
  if (decision === undefined) throw new NotChecked(`${NOBODY[as]}: set ${as} (--${as})`)
  return decision
}

/** Starts a grant that the user approves. */
export async function approvedGrant(check: Check): Promise<StartedGrant> {
  decisionOf(check, 'approve')
  const grant = await check.begin()
  await decide(check, 'approve', grant)
  return grant
}

/** Waits and polls like a device. Returns `undefined` if the grant gives no tokens. */
export async function collect(check: Check, grant: StartedGrant): Promise<CheckedTokens | undefined> {
  const { interval } = grant.shown
  if (check.fits(grant, interval)) await check.wait(interval)
  const tokens = tokensIn(await check.pollAgain(grant, await check.poll(grant.deviceCode)))
  // A refresh shows whether a login is alive, unless refreshes always fail.
  const canRefresh = check.results.get('refreshed')?.outcome === 'passed'
  return tokens && { ...tokens, refreshToken: canRefresh ? tokens.refreshToken : undefined }
}

/**
 * Returns tokens that are valid: those of the login, refreshed, or those of a new one if the service has ended it, as it
 * may after a misuse.
 */
export async function validTokens(check: Check, login?: CheckedTokens): Promise<CheckedTokens> {
  const tokens =
    (login && (await survivors(check, login))) ?? (await collect(check, await approvedGrant(check)))
  if (tokens === undefined) throw new NotApplicable('the service sent no token')
  return tokens
}

/** Returns the tokens of a login, refreshed if possible; `undefined` if the service has ended it. */
export async function survivors(check: Check, tokens: CheckedTokens): Promise<CheckedTokens | undefined> {
  const { accessToken, refreshToken } = tokens
  if (refreshToken === undefined)
    return (await openResource(check, accessToken))?.status === 200 ? tokens : undefined
  const next = tokensIn(await check.refresh(refreshToken))
  return next && { ...next, refreshToken: next.refreshToken ?? refreshToken }
}

/** The refresh token of a login, which must have one. */
export function refreshTokenOf({ refreshToken }: CheckedTokens): string {
  if (refreshToken === undefined) throw new NotApplicable('no refresh token works')
  return refreshToken
}

/** Requests the resource. Returns `undefined` if none was given. */
export async function openResource(
  { wire, options }: Check,
  token: string,
): Promise<CheckedResponse | undefined> {
  return options.resource === undefined
    ? undefined
    : wire.send({ method: 'GET', url: options.resource, token })
}
