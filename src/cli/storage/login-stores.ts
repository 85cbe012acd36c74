import { join } from 'node:path'
import { StoreUnavailableError } from '../../errors.ts'
import { fileStore } from '../../session/node/file-store.ts'
import { keyringKey } from '../../session/node/keyring-key.ts'
import { createSeal, type RecordSeal } from '../../session/sealed.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { memoryStore } from '../../store/memory-store.ts'
import { CommandError } from '../command-error.ts'
import { fileOf, stateFolder } from './folders.ts'
import { makeFolder, removeFile } from './private-file.ts'

/** Where a token can be stored. `keyring` encrypts its file with a key in the system keyring; `none` stores nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token can be stored. */
export type StoreName = (typeof STORE_NAMES)[number]

/** The folder of the logins: a file for each profile. */
export function loginsFolder(): string {
  return join(stateFolder(), 'logins')
}

/** Creates a store by its name. The keyring is read when a token is. */
export function loginStore(name: StoreName): SessionStore {
  if (name === 'none') return memoryStore()
  return fileStore(loginsFolder(), name === 'keyring' ? { seal: systemKey } : {})
}

/** What encrypts the tokens of a store. */
export function sealOf(name: StoreName): RecordSeal | undefined {
  return name === 'keyring' ? createSeal(systemKey) : undefined
}

/** Describes to users where a login is stored. */
export function placeOf(store: StoreName, profile: string): string {
  const file = fileOf(loginsFolder(), profile)
  return store === 'keyring' ? `${file} (encrypted with a key in the system keyring)` : `${file} (plain text)`
}

/**
 * Checks that a login can be stored, before the service issues a token. Only a write shows whether the keyring is
 * unlocked and the folder can be written.
 *
 * @throws {@link CommandError} with code `unusable_file` or `no_keyring`; {@link StoreUnavailableError}.
 */
export async function checkStore(name: StoreName): Promise<void> {
  if (name === 'none') return
  makeFolder(loginsFolder())
  const probe = `probe of process ${process.pid}`
  await loginStore(name).update(probe, () => ({ result: undefined, value: { token: 'probe' } }))
  removeFile(fileOf(loginsFolder(), probe))
}

async function systemKey(): Promise<Uint8Array> {
  try {
    return await keyringKey('authgraph')()
  } catch (error) {
    throw error instanceof StoreUnavailableError ? new CommandError('no_keyring', error.message) : error
  }
}
