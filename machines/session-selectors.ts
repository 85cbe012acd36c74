import type { OAuthToken } from '../src/protocol/oauth-token.ts'
import type { SessionContext, SessionInput } from './session-context.ts'

/** The share of its lifetime by which a token is refreshed early, at most. */
const EARLY_SHARE = 1 / 2

/** What decides whether a token can be used. */
export interface TokenFacts extends Pick<SessionContext, 'kept' | 'result' | 'rejected'> {
  readonly flow: Pick<SessionInput, 'minValidity'>
}

/** The token that was issued, but is not written yet. */
export function pairInHand({ result }: Pick<SessionContext, 'result'>) {
  return result?.type === 'token' || result?.type === 'login' ? result : undefined
}

/** The token to use, and when it was requested. */
export function tokenInUse(
  context: Pick<SessionContext, 'kept' | 'result'>,
): { readonly token: OAuthToken; readonly sentAt: number } | undefined {
  return pairInHand(context) ?? context.kept
}

/** Whether the token should be refreshed: an API refused it, it expires soon, or its age is unknown. */
export function isDue(context: TokenFacts, now: number): boolean {
  const { token, sentAt = 0 } = tokenInUse(context) ?? {}
  if (context.rejected || token === undefined) return true
  if (token.expiresIn === undefined) return false
  const early = Math.min(context.flow.minValidity, token.expiresIn * 1000 * EARLY_SHARE)
  // Requested in the future: the clock was ahead then, by more than the token is refreshed early.
  return now < sentAt - early || now >= endOf(context) - early
}

/** Whether the token can still be used, though it may be due. */
export function isUsable(context: TokenFacts, now: number): boolean {
  return tokenInUse(context) !== undefined && !context.rejected && now < endOf(context)
}

/** When the token in use expires, in epoch milliseconds by the local clock. */
export function endOf(context: Pick<SessionContext, 'kept' | 'result'>): number {
  const { token, sentAt } = tokenInUse(context) ?? {}
  return token?.expiresIn === undefined ? Number.POSITIVE_INFINITY : (sentAt ?? 0) + token.expiresIn * 1000
}
