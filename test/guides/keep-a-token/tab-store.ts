import type { SessionStore } from 'authgraph/session'

/** Keeps the logins of one tab in a browser: they survive a reload. */
export function tabStore(storage = sessionStorage): SessionStore {
  return {
    // Nothing is awaited in between: each update is atomic.
    async update(key, change) {
      const { value, expiresAt = Infinity } = JSON.parse(
        storage.getItem(key) ?? '{}',
      )
      const { result, ...record } = change(
        expiresAt > Date.now() ? value : undefined,
      )
      if (record.value === null) storage.removeItem(key)
      else if (record.value !== undefined)
        storage.setItem(key, JSON.stringify(record))
      return result
    },
  }
}
