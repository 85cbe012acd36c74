/**
 * A value that `JSON.stringify` and `JSON.parse` preserve.
 *
 * @group Service
 */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/**
 * What to do with a record. Without `value`, it stays unchanged. With a `value`, it is replaced, and the store may drop
 * it at `expiresAt` (epoch milliseconds). With `value: null`, it is deleted. `update` returns `result`.
 *
 * @group Service
 */
export type Change<Result> =
  | { readonly result: Result; readonly value?: undefined }
  | { readonly result: Result; readonly value: NonNullable<Json>; readonly expiresAt: number }
  | { readonly result: Result; readonly value: null }

/**
 * Where a service keeps its records. It has one method, which must be atomic: the service relies on it to issue each
 * token once and to accept one decision per code, with any number of instances.
 *
 * @group Service
 */
export interface Store {
  /**
   * Applies a change to the record of a key.
   *
   * @param change Receives the current value, or `undefined` if there is no record or it has expired. It must be pure and
   * synchronous: it is called again if another instance changed the record first. If it throws, the record stays
   * unchanged and `update` rejects with that error.
   * @throws {@link StoreUnavailableError} within a few seconds, if the records cannot be reached. The service then
   * responds with 503 and `Retry-After`.
   */
  update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result>
}

/** Prefix of the keys of counts. A lost count starts again at zero, so a full store may drop counts. */
export const COUNT_PREFIX = 'limit:'

/** Prefixes of the records that a device code request creates. They cost an attacker nothing. */
export const USER_CODE_PREFIX = 'user-code:'
export const GRANT_PREFIX = 'grant:'
