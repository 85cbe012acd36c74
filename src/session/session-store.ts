import type { Store } from '../store/store.ts'

/**
 * Tells processes apart, and which of them are gone. A claim of a process that is gone lapses at once; one of a process
 * that is only stopped does not.
 *
 * @group Session
 */
export interface Owners {
  /** This process. */
  readonly self: string
  /** Whether a process is gone; `undefined` where that cannot be found out, as for one of another host. */
  isGone(owner: string): boolean | undefined
  /** The id of a process of this host. */
  pidOf(owner: string): number | undefined
}

/**
 * Where sessions are kept: any store of this package. One that knows its processes says so in `owners`; for any other, a
 * claim lapses by time.
 *
 * @group Session
 */
export interface SessionStore extends Store {
  readonly owners?: Owners
}
