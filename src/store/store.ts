/** A value that `JSON.stringify` and `JSON.parse` preserve. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** When a record without `expiresAt` expires: the last possible date, in epoch milliseconds. */
export const NEVER = 8.64e15

/**
 * What to do with a record. Without `value`, it stays unchanged. With a `value`, it is replaced, and the store may drop
 * it at `expiresAt` (epoch milliseconds; never by default). With `value: null`, it is deleted. `update` returns `result`.
 */
export type Change<Result, Value = NonNullable<Json>> =
  | { readonly result: Result; readonly value?: undefined }
  | { readonly result: Result; readonly value: Value; readonly expiresAt?: number }
  | { readonly result: Result; readonly value: null }

/**
 * Where records are kept. It has one method, which must be atomic: the service relies on it to issue one token and
 * to accept one decision per code, and sessions rely on it to spend a refresh token once, with any number of processes.
 */
export interface Store {
  /**
   * Applies a change to the record of a key.
   *
   * @param change Receives the current value, or `undefined` if there is no record or it has expired. It must be pure and
   * synchronous: it is called again if another instance changed the record first. If it throws, the record stays
   * unchanged and `update` rejects with that error.
   * @param expected `null` if the caller expects no record. The store may skip the read if its write fails when there is a record. It
   * may also ignore `null`.
   * @throws {@link StoreUnavailableError} within a few seconds, if the records cannot be reached. The service then
   * responds with 503 and `Retry-After`.
   */
  update<Result>(
    key: string,
    change: (value: Json | undefined) => Change<Result>,
    expected?: null,
  ): Promise<Result>
}
