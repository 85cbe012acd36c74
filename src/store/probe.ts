import type { Store } from './store.ts'

/**
 * Checks that a store can be read and written, before something is issued that would be lost otherwise. Only a write
 * shows whether a keyring is unlocked and a folder can be written.
 *
 * @param probe A key that nothing else uses.
 * @throws The error of the store.
 */
export async function probeStore({ update }: Store, probe: string): Promise<void> {
  await update(probe, () => ({ result: undefined, value: { token: 'probe' } }))
  await update(probe, () => ({ result: undefined, value: null }))
}
