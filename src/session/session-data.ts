import type { Json } from '../store/store.ts'

/**
 * Data of yours that is stored with a login. Read it with `store.update(name, (value) => ({ result: value }))`: it is in the
 * members `data` and `secret` of the record.
 */
export interface SessionData {
  /** Stays readable in a store that encrypts tokens, but does not open with any other token: the name of an account, say. */
  readonly data?: Json
  /** Is encrypted with the token: a client ID, say. */
  readonly secret?: Json
}
