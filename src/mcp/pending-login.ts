import type { ResumeRecord } from '../client/options.ts'
import { processOf } from '../session/session-actors.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { Json } from '../store/store.ts'
import { type PendingRecord, readPending, readRecord, writeRecord } from './records.ts'

/** Milliseconds for which a login that ended without a token is not started again. */
const MARK = 60_000

/**
 * After so many looks, a second apart, at one claim whose owner cannot be checked, it lapses; after fewer if the clock says that
 * it is old, which is wrong where clocks differ.
 */
const LAPSE = 60
const LAPSE_IF_OLD = 5

/** The code of a login that was given up. It keeps nobody from a new one. */
const LOGGED_OUT = 'logged_out'

/** A login that waits for the user. */
export interface PendingLogin {
  readonly id: string
  readonly turn: number
  readonly record: ResumeRecord
}

/** What there is: nothing, another process that starts a login, a login, or the end of one. */
export type PendingState =
  | { readonly type: 'free' }
  | { readonly type: 'starting'; readonly pid: number | undefined }
  | { readonly type: 'pending'; readonly login: PendingLogin }
  | { readonly type: 'over'; readonly code: string }

/**
 * The pending login of a server, in a store. No process owns it: whoever replaces its record may poll next, so that any
 * number of processes show one code, and none of them is needed to finish it.
 */
export function createPendingLogin(store: SessionStore, key: string, clock: { now(): number }) {
  const owner = `${store.owners?.self ?? ''}#${crypto.randomUUID()}`
  let seen = { nonce: '', looks: 0 }

  /** Whether a login may be started over this record. */
  function isFree(record: PendingRecord | undefined): boolean {
    if (record === undefined) return true
    if (record.status === 'pending') return false
    // The clock may have been set back.
    const age = Math.abs(clock.now() - record.at)
    if (record.status === 'over') return record.code === LOGGED_OUT || age >= MARK
    const isOld = age >= LAPSE * 1000
    const looks = record.nonce === seen.nonce ? seen.looks : 0
    if (record.owner === owner || looks >= (isOld ? LAPSE_IF_OLD : LAPSE)) return true
    return store.owners?.isGone(processOf(record.owner)) === true
  }

  function count(record: PendingRecord | undefined): void {
    const nonce = record?.status === 'starting' ? record.nonce : ''
    seen = { nonce, looks: nonce === seen.nonce ? seen.looks + 1 : 0 }
  }

  return {
    async look(): Promise<PendingState> {
      const record = readPending(await readRecord(store, key))
      count(record)
      if (record === undefined || isFree(record)) return { type: 'free' }
      switch (record.status) {
        case 'starting':
          return { type: 'starting', pid: store.owners?.pidOf(processOf(record.owner)) }
        case 'over':
          return { type: 'over', code: record.code }
        case 'pending': {
          const { id, turn, secret } = record
          return {
            type: 'pending',
            login: { id, turn, record: secret.record as unknown as ResumeRecord },
          }
        }
      }
    },
    /** Claims the right to start a login. Resolves to `undefined` if another process was faster. */
    async claim(): Promise<string | undefined> {
      const nonce = crypto.randomUUID()
      const value = { v: 1, status: 'starting', owner, nonce, at: clock.now() } as const
      return store.update<string | undefined>(key, (json) =>
        isFree(readPending(json)) ? { result: nonce, value } : { result: undefined },
      )
    },
    /** Writes a new login over the claim. If the claim has lapsed, the login of another process counts. */
    async begin(nonce: string, record: ResumeRecord): Promise<void> {
      await replace(isClaim(nonce), pendingRecord({ id: nonce, turn: 0, record }))
    },
    async release(nonce: string): Promise<void> {
      await replace(isClaim(nonce), null)
    },
    /** Replaces the record of a login. Resolves to `undefined` if another process was faster. */
    async advance(login: PendingLogin, record: ResumeRecord): Promise<PendingLogin | undefined> {
      const next = { ...login, turn: login.turn + 1, record }
      const isTurn: RecordGuard = (now) =>
        isLogin(login)(now) && now?.status === 'pending' && now.turn === login.turn
      return (await replace(isTurn, pendingRecord(next))) ? next : undefined
    },
    /** Whether no process has ended a login. */
    async isOpen(login: PendingLogin): Promise<boolean> {
      return isLogin(login)(readPending(await readRecord(store, key)))
    },
    /** Ends a login; with a `code`, leaves a mark for other processes that wait for it. Resolves to whether it was open. */
    end(login: PendingLogin, code?: string): Promise<boolean> {
      return replace(isLogin(login), code === undefined ? null : mark(code))
    },
    /** Removes whatever there is. For a process that is just storing its token, a pending login leaves a mark. */
    async remove(): Promise<void> {
      if (await replace((now) => now?.status === 'pending', mark(LOGGED_OUT))) return
      await writeRecord(store, key, null)
    },
    async isRemoved(): Promise<boolean> {
      const now = readPending(await readRecord(store, key))
      return now?.status === 'over' && now.code === LOGGED_OUT
    },
  }

  function mark(code: string) {
    return { v: 1, status: 'over', code, at: clock.now() } as const
  }

  function replace(may: RecordGuard, value: Json): Promise<boolean> {
    return store.update<boolean>(key, (json) =>
      may(readPending(json)) ? { result: true, value } : { result: false },
    )
  }
}

/** Whether a record may be replaced. */
type RecordGuard = (now: PendingRecord | undefined) => boolean

function isClaim(nonce: string): RecordGuard {
  return (now) => now?.status === 'starting' && now.nonce === nonce
}

function isLogin({ id }: PendingLogin): RecordGuard {
  return (now) => now?.status === 'pending' && now.id === id
}

function pendingRecord({ id, turn, record }: PendingLogin) {
  return { v: 1, status: 'pending', id, turn, secret: { record: { ...record } } } as const
}
