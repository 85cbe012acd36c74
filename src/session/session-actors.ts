import { LAPSE_PATIENCE } from '../../machines/session.ts'
import type {
  ClaimInput,
  ClaimResult,
  EraseResult,
  KeptToken,
  ReadResult,
  RefreshInput,
  RefreshResult,
  SettleInput,
  SettleResult,
} from '../../machines/session-context.ts'
import { type RefreshSender, requestRefresh } from '../client/refresh.ts'
import {
  type AnyAuthgraphError,
  AuthgraphError,
  LoginRequiredError,
  RefusedError,
  StoreUnavailableError,
} from '../errors.ts'
import { DEFAULT_REUSE_WINDOW } from '../protocol/endpoints.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { guardHeaders, memberOf } from '../request/http.ts'
import type { Change } from '../store/store.ts'
import {
  type Claim,
  dataOf,
  findLogin,
  isUnclear,
  keptOf,
  loginRecord,
  readSession,
  refuseOtherHost,
  type SessionRecord,
  type SignedInRecord,
} from './session-record.ts'
import type { SessionData, SessionStore } from './session-store.ts'

/**
 * Milliseconds after which a claim lapses if nobody can tell whether its owner is alive: on another host, in another
 * container, in a worker thread. The session that waits counts them.
 */
const LAPSE = 22_000

/** Milliseconds from the claim within which a request is begun, and within which its headers are sent. */
export const SENDING_BOUND = 12_000
const HEADERS_BOUND = LAPSE - 2000

/** Seconds after which a session gives up a refresh request. */
const REFRESH_TIMEOUT = 8

/** Milliseconds of the reuse window that remain for the one that takes over. */
const MARGIN = 5000

// The owner of a claim has finished before it lapses, and who takes it over is inside the reuse window.
const isSound =
  SENDING_BOUND + REFRESH_TIMEOUT * 1000 < LAPSE &&
  LAPSE < DEFAULT_REUSE_WINDOW * 1000 - MARGIN &&
  LAPSE < LAPSE_PATIENCE
if (!isSound) throw new RangeError('the times of a claim contradict each other')

/** Node's own clock, which also counts the time that the machine sleeps. */
const os = globalThis.process?.getBuiltinModule?.('node:os')

/** Milliseconds that count, at most, between two looks at a claim. */
const LONGEST_GAP = 1000

/** A point in time on every clock that there is, in milliseconds: one of them may stand still or be set. */
type Moment = readonly number[]

/** A copy of this module, of which a process may load several. */
export interface ModuleCopy {
  readonly id: string
  /** Its sessions that run, or finish their work. The claim of any other has lapsed. */
  readonly running: ReadonlySet<number>
}

export interface SessionParts {
  readonly store: SessionStore
  readonly name: string
  /** What the caller stores with a new login. */
  readonly data: SessionData
  readonly sender: RefreshSender
  /** Identifies this session among those of its copy of the module. */
  readonly number: number
  readonly copy: ModuleCopy
  /** When this session began to write its claim. */
  claimed?: Moment
  /** The claim of an owner that cannot be checked, when this session last saw it, and for how long it has looked. */
  watched?: { readonly claim: Claim; readonly seenAt: number; readonly counted: number }
}

export async function read({ store, name, sender }: SessionParts): Promise<ReadResult> {
  return findLogin(await store.update(name, (value) => ({ result: value })), sender.provider)
}

/** Claims the right to use the refresh token. If the store cannot be written, this fails, and no token is used. */
export function claim(
  parts: SessionParts,
  { kept, rejected }: Omit<ClaimInput, 'flow'>,
): Promise<ClaimResult> {
  const nonce = crypto.randomUUID()
  parts.claimed = momentOf(parts.sender.clock)
  return updateRecord<ClaimResult>(parts, (record) => {
    refuseOtherHost(record, parts.sender.provider)
    if (record?.status === 'ended') return { result: { type: 'nothingToSpend' } }
    if (record?.status !== 'signedIn' || record.login !== kept.login) return { result: { type: 'gone' } }
    if (record.generation > kept.generation) return adopt(parts, record)
    if (kept.token.refreshToken === undefined)
      return {
        result: { type: 'nothingToSpend' },
        // An API refused the token: whoever reads it again would only have it refused again.
        ...(rejected && { value: endRecord(record) }),
      }
    const { claim } = record
    const gone = claim === undefined || claim.owner === ownerOf(parts) || isGone(parts, claim)
    if (!gone) {
      const pid = parts.store.owners?.pidOf(processOf(claim.owner))
      return { result: { type: 'busy', pid, lapses: gone === undefined } }
    }
    const value = { ...record, claim: { owner: ownerOf(parts), nonce } }
    return { result: { type: 'claimed' }, value }
  })
}

/** Whether the owner of a claim has ended; `undefined` if nobody can tell, and the claim has not lapsed yet. */
function isGone(parts: SessionParts, claim: Claim): boolean | undefined {
  const { store, copy } = parts
  const ours = ownerOf(parts, '')
  if (claim.owner.startsWith(ours)) return !copy.running.has(Number(claim.owner.slice(ours.length)))
  return store.owners?.isGone(processOf(claim.owner)) ?? (isLapsed(parts, claim) ? true : undefined)
}

/**
 * Whether this session has looked at one and the same claim for long enough. It counts: no times of other hosts are
 * compared, and a gap between two looks, in which this process may have been stopped, counts as one second at most.
 */
function isLapsed(parts: SessionParts, claim: Claim): boolean {
  const seenAt = parts.sender.clock.now()
  const { watched } = parts
  const isSame = watched?.claim.owner === claim.owner && watched.claim.nonce === claim.nonce
  const counted = isSame ? watched.counted + Math.min(Math.max(0, seenAt - watched.seenAt), LONGEST_GAP) : 0
  parts.watched = { claim, seenAt, counted }
  return counted >= LAPSE
}

/** Identifies a session in its claims: `<process>#<copy of the module>/<session>`. */
function ownerOf({ store, copy, number }: SessionParts, session: number | '' = number): string {
  return `${store.owners?.self ?? ''}#${copy.id}/${session}`
}

export function processOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf('#'))
}

/**
 * Uses the refresh token, unless the claim was written too long ago: another process may take it over. A failure is a
 * result, not an error.
 */
export async function spendRefreshToken(
  { sender, claimed = [] }: SessionParts,
  { kept }: Pick<RefreshInput, 'kept'>,
): Promise<RefreshResult> {
  const { clock, fetch } = sender
  const sentAt = clock.now()
  let late = false
  const isTooLate = (bound: number) => {
    late ||= elapsedSince(claimed, clock) >= bound
    return late
  }
  const inTime: typeof fetch = async (...request) => {
    if (isTooLate(SENDING_BOUND)) throw new TypeError('the claim is too old')
    const guard = () => (isTooLate(HEADERS_BOUND) ? 'it is too late to send the request' : undefined)
    return guardHeaders(guard, () => fetch(...request))
  }
  try {
    const refreshed = await requestRefresh(kept.token, { ...sender, fetch: inTime }, REFRESH_TIMEOUT)
    return { type: 'token', token: refreshed, sentAt }
  } catch (error) {
    if (late) return { type: 'late', error: new StoreUnavailableError('the store responds too slowly') }
    return readFailure(error)
  }
}

function readFailure(error: unknown): RefreshResult {
  if (!(error instanceof AuthgraphError)) throw error
  if (error instanceof LoginRequiredError) return { type: 'ended', error }
  const known = error as AnyAuthgraphError
  if (!(known instanceof RefusedError)) return { type: isUnclear(known) ? 'unclear' : 'fault', error: known }
  const { status, retryAfter } = known
  return { type: status >= 500 ? 'unclear' : 'fault', error: known, retryAfter }
}

/**
 * Writes a result and releases the claim, in one update. A newer generation of the same login wins, and so do a logout
 * and another login. The claim of another process, which has taken over, stays.
 */
export function settle(
  parts: SessionParts,
  { kept, result, logins }: Omit<SettleInput, 'flow'>,
): Promise<SettleResult> {
  const { store, name } = parts
  const owner = ownerOf(parts)
  const isPair = result?.type === 'token' || result?.type === 'login'
  // A new login replaces whatever there is, also the login of another service. It has one ID through all retries: an
  // update that failed may have been applied, and another process may have refreshed or ended the login since.
  if (kept === undefined && isPair) {
    const login = { ...result, login: `${owner}/${logins}@${result.sentAt}`, generation: 0 }
    return store.update(name, (value) => {
      const record = memberOf(value, 'login') === login.login ? readSession(value) : undefined
      if (record?.status === 'signedIn') return { result: { type: 'newer', kept: keptOf(record) } }
      return record ? { result: { type: 'gone' } } : writeToken(parts, login, parts.data)
    })
  }
  return updateRecord<SettleResult>(parts, (record) => {
    if (kept === undefined) return { result: { type: 'written' } }
    if (record?.status !== 'signedIn' || record.login !== kept.login) return { result: { type: 'gone' } }
    refuseOtherHost(record, parts.sender.provider)
    if (record.generation > kept.generation) return adopt(parts, record)
    if (isPair)
      return writeToken(parts, { ...result, login: kept.login, generation: kept.generation + 1 }, record)
    // If another process has taken over the claim, its result counts.
    if (record.claim?.owner !== owner)
      return { result: result ? { type: 'newer', kept } : { type: 'written' } }
    if (result?.type === 'ended') return { result: { type: 'written' }, value: endRecord(record) }
    return { result: { type: 'written' }, value: releasedRecord(record) }
  })
}

/** A newer token wins. If this session has taken over a claim meanwhile, it returns it. */
function adopt(parts: SessionParts, record: SignedInRecord) {
  const result = { type: 'newer', kept: keptOf(record) } as const
  return record.claim?.owner === ownerOf(parts) ? { result, value: releasedRecord(record) } : { result }
}

function writeToken(
  parts: SessionParts,
  { login, generation, token, sentAt }: KeptToken,
  { claim, ...data }: SessionData & { readonly claim?: Claim },
): Change<SettleResult> {
  const kept = { login, generation, token, sentAt }
  const record = loginRecord(kept, parts.sender.provider, data)
  // Whoever has taken over the claim may still send the older token: until it is done, nobody uses the new one.
  const isTakenOver = claim !== undefined && claim.owner !== ownerOf(parts)
  return { result: { type: 'written', kept }, value: isTakenOver ? { ...record, claim } : record }
}

function releasedRecord({ claim: _, ...released }: SignedInRecord): SignedInRecord {
  return released
}

/** A login that has ended keeps the data of its caller, who may need it for the next one. */
function endRecord(record: SessionRecord): SessionRecord {
  return { ...logoutRecord(record), status: 'ended', ...dataOf(record) }
}

function logoutRecord({ login }: SessionRecord): SessionRecord {
  return { v: 1, status: 'signedOut', ...(login !== undefined && { login }) }
}

/**
 * Replaces the record with one that says that nobody is logged in. If that fails, as on a full disk, deletes it: the login
 * is over in any case, and its tokens must be revoked.
 */
export async function erase(parts: SessionParts): Promise<EraseResult> {
  // A write that failed may have been applied: then the second attempt finds no token, or one of a new login.
  const tokens = new Map<string, OAuthToken>()
  const eraseBy = (written: (record: SessionRecord) => SessionRecord | null) =>
    updateRecord<EraseResult>(parts, (record) => {
      refuseOtherHost(record, parts.sender.provider)
      if (record?.status === 'signedIn') tokens.set(record.login, keptOf(record).token)
      const result = { removed: [...tokens.values()].reverse() }
      if (record === undefined || record.status === 'signedOut') return { result }
      return { result, value: written(record) }
    })
  try {
    return await eraseBy(logoutRecord)
  } catch {
    return eraseBy(() => null)
  }
}

function updateRecord<Result>(
  { store, name }: SessionParts,
  change: (record: SessionRecord | undefined) => Change<Result>,
): Promise<Result> {
  return store.update<Result>(name, (value) => change(readSession(value)))
}

function momentOf(clock: { now(): number }): Moment {
  return [clock.now(), performance.now(), sinceBoot()]
}

/** Milliseconds since a moment, by the clock that went furthest. */
function elapsedSince(moment: Moment, clock: { now(): number }): number {
  return Math.max(...momentOf(clock).map((now, index) => now - (moment[index] ?? now)))
}

/** 0 where the system does not tell: Deno asks for a permission, and some runtimes return NaN. */
function sinceBoot(): number {
  try {
    return (os?.uptime() || 0) * 1000
  } catch {
    return 0
  }
}
