/** A value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/**
 * What becomes of a record.
 *
 * Without `value` it stays as it is; `null` deletes it; anything else replaces it, and may be forgotten after
 * `expiresAt` (epoch milliseconds; never, where there is none).
 *
 * @group Service
 */
export interface Change<Result> {
  readonly result: Result
  readonly value?: Json
  readonly expiresAt?: number
}

/**
 * Where the service keeps what it knows: one method, which must be atomic. That a token is issued once, and that only
 * one decision counts, is the promise of the store, under any number of instances.
 *
 * @group Service
 */
export interface Store {
  /**
   * Replaces the record under a key by what `change` makes of it.
   *
   * @param change Pure and synchronous: it may be called again where another instance was faster. It gets `undefined`
   * where there is no record, or one that has expired.
   */
  update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result>
}
