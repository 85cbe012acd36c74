import type { Change, Store } from '../../store/store.ts'

export interface Records<Value> {
  find(id: string): Promise<Value | undefined>
  /**
   * Applies a change to a record, as `Store.update` does.
   *
   * @param expected `null` if there probably is none. It saves a read.
   */
  change<Result>(
    id: string,
    change: (value: Value | undefined) => Change<Result, Value>,
    expected?: null,
  ): Promise<Result>
  /** Writes a record that probably does not exist. */
  put(id: string, value: Value, expiresAt?: number): Promise<void>
}

/** Keeps records of one kind in a store. Their keys begin with the prefix. */
export function recordsOf<Value>(store: Store, prefix: string): Records<Value> {
  const change: Records<Value>['change'] = (id, change, expected) =>
    store.update(prefix + id, (stored) => change(stored as Value | undefined) as Change<never>, expected)
  return {
    change,
    find: (id) => change(id, (value) => ({ result: value })),
    put: (id, value, expiresAt) =>
      change(id, () => ({ result: undefined, value, ...(expiresAt !== undefined && { expiresAt }) }), null),
  }
}

/** Remembers an ID until a time. Of all calls with the same ID, in all processes, one resolves to `true`. */
export function isFirstUse(records: Records<true>, id: string, expiresAt: number): Promise<boolean> {
  return records.change<boolean>(
    id,
    (known) => (known ? { result: false } : { result: true, value: true, expiresAt }),
    null,
  )
}
