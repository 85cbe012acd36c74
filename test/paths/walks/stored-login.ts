import type {
  ClaimResult,
  EraseResult,
  KeptToken,
  ReadResult,
  SessionContext,
  SettleResult,
} from '../../../machines/session-context.ts'
import { tokenOf } from './refresh-responses.ts'

/** What a store holds of a login: its token and the owner of the claim, or how it ended. */
export type Stored = { readonly kept: KeptToken; readonly owner?: string } | 'signedOut' | 'ended' | undefined

/**
 * What another process did to the stored login just before an update: it refreshed it, claimed it, returned its claim, found
 * that the provider had ended it, logged out, or logged in as somebody else.
 */
export type Meanwhile = 'refreshed' | 'claimed' | 'released' | 'ended' | 'signedOut' | 'loggedIn'

/** The owner of the session of a path, and that of another process. */
export const OURS = 'ours#1'
export const OTHERS = 'others#1'

/** The id of the other process. */
export const OTHER_PID = 4711

/** What another process can do to what is stored. */
export function possibleIn(stored: Stored): readonly Meanwhile[] {
  if (typeof stored !== 'object') return ['loggedIn']
  const released = stored.owner === OTHERS ? (['released'] as const) : (['claimed'] as const)
  const refreshed = stored.kept.token.refreshToken === undefined ? [] : (['refreshed', ...released] as const)
  return [...refreshed, 'ended', 'signedOut', 'loggedIn']
}

/** Whether another process gets a new token from the provider for it. */
export function issues(meanwhile: Meanwhile | undefined): boolean {
  return meanwhile === 'refreshed' || meanwhile === 'loggedIn'
}

/** What is stored after another process did something. Its new token has this number. */
export function afterwards(
  stored: Stored,
  meanwhile: Meanwhile | undefined,
  { number, now }: { readonly number: number; readonly now: number },
): Stored {
  const fresh = { token: tokenOf(number, now), sentAt: now }
  if (meanwhile === 'loggedIn') return { kept: { login: `login ${number}`, generation: 0, ...fresh } }
  if (meanwhile === 'ended' || meanwhile === 'signedOut') return meanwhile
  if (typeof stored !== 'object' || meanwhile === undefined) return stored
  const { kept, owner } = stored
  if (meanwhile === 'claimed') return { kept, owner: OTHERS }
  if (meanwhile === 'released') return { kept }
  const next = { ...kept, generation: kept.generation + 1, ...fresh }
  // A claim that was taken over from the other process stays.
  return owner === undefined || owner === OTHERS ? { kept: next } : { kept: next, owner }
}

/** The result of an update, and what is stored after it. */
interface Updated<Result> {
  readonly result: Result
  readonly stored: Stored
}

/** Reading, claiming, settling and erasing by the specification, written down apart from the session. */
export function readIn(stored: Stored): Updated<ReadResult> {
  if (typeof stored === 'object') return { result: { type: 'found', kept: stored.kept }, stored }
  return { result: { type: stored === 'ended' ? 'ended' : 'nothing' }, stored }
}

export function claimIn(
  stored: Stored,
  { kept, rejected }: Pick<SessionContext, 'kept' | 'rejected'>,
): Updated<ClaimResult> {
  if (kept === undefined) throw new TypeError('only a stored token is claimed')
  if (stored === 'ended') return { result: { type: 'nothingToSpend' }, stored }
  if (typeof stored !== 'object' || stored.kept.login !== kept.login)
    return { result: { type: 'gone' }, stored }
  if (stored.kept.generation > kept.generation) return newer(stored)
  if (kept.token.refreshToken === undefined)
    return { result: { type: 'nothingToSpend' }, stored: rejected ? 'ended' : stored }
  if (stored.owner === OTHERS) return { result: { type: 'busy', pid: OTHER_PID, lapses: false }, stored }
  return { result: { type: 'claimed' }, stored: { ...stored, owner: OURS } }
}

export function settleIn(
  stored: Stored,
  { kept, result, number }: Pick<SessionContext, 'kept' | 'result'> & { readonly number: number },
): Updated<SettleResult> {
  const pair = result?.type === 'login' || result?.type === 'token' ? result : undefined
  if (kept === undefined) {
    if (pair === undefined) return { result: { type: 'written' }, stored }
    return written({ login: `login ${number}`, generation: 0, token: pair.token, sentAt: pair.sentAt })
  }
  if (typeof stored !== 'object' || stored.kept.login !== kept.login)
    return { result: { type: 'gone' }, stored }
  if (stored.kept.generation > kept.generation) return newer(stored)
  if (pair) {
    const { token, sentAt } = pair
    const { result, stored: next } = written({ ...kept, generation: kept.generation + 1, token, sentAt })
    return { result, stored: stored.owner === OTHERS ? { ...next, owner: OTHERS } : next }
  }
  if (stored.owner !== OURS) return { result: result ? { type: 'newer', kept } : { type: 'written' }, stored }
  if (result?.type === 'ended') return { result: { type: 'written' }, stored: 'ended' }
  return { result: { type: 'written' }, stored: { kept: stored.kept } }
}

function written(kept: KeptToken) {
  return { result: { type: 'written', kept }, stored: { kept } } as const
}

/** A newer token is taken over, and a claim of ours given back. */
function newer({ kept, owner }: Exclude<Stored, string | undefined>) {
  const result = { type: 'newer', kept } as const
  return { result, stored: owner === OTHERS ? { kept, owner } : { kept } }
}

export function eraseIn(stored: Stored): Updated<EraseResult> {
  if (stored === undefined || stored === 'signedOut') return { result: { removed: [] }, stored }
  const removed = typeof stored === 'object' ? [stored.kept.token] : []
  return { result: { removed }, stored: 'signedOut' }
}
