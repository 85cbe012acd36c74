import type { Store } from '../store/store.ts'

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
  /** The process id, if the process runs on this host. */
  pidOf(owner: string): number | undefined
}

/** A store for sessions: any store of this package. If it has no `owners`, claims lapse by time. */
export interface SessionStore extends Store {
  readonly owners?: Owners
}
