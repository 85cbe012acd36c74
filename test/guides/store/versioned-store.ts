import type { Change, Json, Store } from 'authgraph/service'

/** A row. Each change gives it a new version. */
export interface Row {
  readonly version: string
  readonly value: Json
  readonly expiresAt: number
}

/**
 * What the store needs from a database: read a row, and replace it if its
 * version has not changed.
 */
export interface Table {
  read(key: string): Promise<Row | undefined>
  /**
   * `undefined` means no row, before or after. Resolves to false if the row
   * has another version by now.
   */
  replace(
    key: string,
    version: string | undefined,
    row: Row | undefined,
  ): Promise<boolean>
}

/**
 * Keeps everything in a table: reads a row, changes it, and retries if the
 * row was changed meanwhile.
 */
export function versionedStore(table: Table, clock = Date): Store {
  return {
    async update<Result>(
      key: string,
      change: (value: Json | undefined) => Change<Result>,
    ): Promise<Result> {
      for (;;) {
        const row = await table.read(key)
        const made = change(
          row && row.expiresAt > clock.now() ? row.value : undefined,
        )
        if (made.value === undefined) return made.result
        const next =
          made.value === null
            ? undefined
            : {
                version: crypto.randomUUID(),
                value: made.value,
                expiresAt: made.expiresAt ?? Number.MAX_SAFE_INTEGER,
              }
        if (await table.replace(key, row?.version, next)) return made.result
      }
    },
  }
}
