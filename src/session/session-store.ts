import type { Json, Store } from '../store/store.ts'

/**
 * Identifies processes, and tells which of them have ended. The claim of a process that has ended lapses immediately;
 * the claim of one that is only stopped does not.
 *
 * @inline
 */
export interface Owners {
  /** Identifies this process. */
  readonly self: string
  /** Whether a process has ended; `undefined` if that cannot be determined, such as for one on another host. */
  isGone(owner: string): boolean | undefined
  /** The process ID, if the process runs on this host. */
  pidOf(owner: string): number | undefined
}

/** A store for sessions: any store of this package. If it has no `owners`, claims lapse by time. */
export interface SessionStore extends Store {
  readonly owners?: Owners
}

/**
 * Your own data that is stored with a login. Read it with `store.update(name, (value) => ({ result: value }))`: it is in the
 * members `data` and `secret` of the record.
 */
export interface SessionData {
  /** Stays readable in a store that encrypts tokens, but does not open with any other token: the name of an account, say. */
  readonly data?: Json
  /** Is encrypted with the token: a client ID, say. */
  readonly secret?: Json
}
