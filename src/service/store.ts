/**
 * A value that survives `JSON.parse(JSON.stringify(value))`.
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
 * What becomes of a record: it stays as it is, it is replaced and may be forgotten at `expiresAt` (epoch
 * milliseconds), or it is deleted. `result` is what `update` answers.
 *
 * @group Service
 */
export type Change<Result> =
  | { readonly result: Result; readonly value?: undefined }
  | { readonly result: Result; readonly value: NonNullable<Json>; readonly expiresAt: number }
  | { readonly result: Result; readonly value: null }

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
   * where there is no record, or one that has expired. Where it throws, the record stays, and `update` rejects with that error.
   * @throws {@link StoreUnavailableError} soon, where the records cannot be reached: those who ask are then told to come again.
   */
  update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result>
}

/** What the keys of counts begin with. A count that is lost starts again from zero: a store that is full may do that. */
export const COUNT_PREFIX = 'limit:'

/** What the keys of the records begin with that a request for codes makes. They cost whoever sends it nothing. */
export const USER_CODE_PREFIX = 'user-code:'
export const GRANT_PREFIX = 'grant:'
