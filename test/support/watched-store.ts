import { type Json, memoryStore, type Store } from '../../src/service/index.ts'

/** A store in memory that records everything ever written to it. */
export function watchedStore(clock: { now(): number } = Date, inner: Store = memoryStore({ clock })) {
  const written: { readonly key: string; readonly value: Json | undefined }[] = []
  const store: Store = {
    update: (key, change) =>
      inner.update(key, (value) => {
        const made = change(value)
        written.push({ key, value: made.value })
        return made
      }),
  }
  /** The newest record whose key begins so. */
  const newest = (prefix: string) =>
    written.findLast(({ key, value }) => value && key.startsWith(prefix))?.value
  return { store, written, newest }
}
