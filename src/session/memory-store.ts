import { type Change, type Json, NEVER } from '../store/store.ts'
import type { SessionStore } from './session-store.ts'

/** Stores sessions in the memory of this process, for tests and for logins that end with the process. */
export function memoryStore(): SessionStore {
  const records = new Map<string, { readonly value: Json; readonly expiresAt: number }>()
  return {
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const record = records.get(key)
      const made = change(record && record.expiresAt > Date.now() ? structuredClone(record.value) : undefined)
      if (made.value === null) records.delete(key)
      else if (made.value !== undefined)
        records.set(key, { value: structuredClone(made.value), expiresAt: made.expiresAt ?? NEVER })
      return made.result
    },
  }
}
