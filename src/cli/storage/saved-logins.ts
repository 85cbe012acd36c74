import * as v from 'valibot'
import { DamagedRecordError } from '../../errors.ts'
import { Secret } from '../../secret.ts'
import { assertPrivate } from '../../session/node/private-folder.ts'
import type { Json } from '../../store/store.ts'
import { CommandError } from '../command-error.ts'
import { fileOf } from './folders.ts'
import { loginStore, loginsFolder, sealOf } from './login-stores.ts'
import { removeFile } from './private-file.ts'
import { loginError, type NamedProfile } from './saved-profiles.ts'

/** The secret part of a login, encrypted with its token. */
const savedSecret = v.object({ secret: v.object({ clientId: v.string() }) })

/** A saved login that was read. */
export interface OpenedLogin {
  /** The record of its session. */
  readonly record: Json | undefined
  readonly clientId: Secret
}

/**
 * Decrypts the record that was read with a profile.
 *
 * @throws {@link CommandError} with code `no_keyring`, or `damaged_file` if the record cannot be decrypted; StoreUnavailableError
 * if other users can open its folder.
 */
export async function openLogin(profile: NamedProfile): Promise<OpenedLogin> {
  await assertPrivate(loginsFolder())
  const record = await openRecord(profile)
  const saved = v.safeParse(savedSecret, record)
  if (!saved.success) throw loginError(profile.name, new DamagedRecordError('no client ID'))
  return { record, clientId: new Secret(saved.output.secret.clientId) }
}

async function openRecord({ name, store, record }: NamedProfile): Promise<Json | undefined> {
  const seal = sealOf(store)
  try {
    return seal ? await seal.open(name, record) : record
  } catch (error) {
    throw loginError(name, error)
  }
}

/** Removes the record of a login if no session can read it: nothing could be written in its place. */
export async function removeUnreadable({ name, store }: Pick<NamedProfile, 'name' | 'store'>): Promise<void> {
  try {
    await loginStore(store).update(name, (value) => ({ result: value }))
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error
    removeLogin(name)
  }
}

/** Removes the record of a logout, unless there is a new login. */
export async function removeLogout({ name }: NamedProfile): Promise<void> {
  await loginStore('file').update(name, (value) =>
    Object(value).status === 'signedOut' ? { result: undefined, value: null } : { result: undefined },
  )
}

/** Removes the record of a login, whatever is in it. */
export function removeLogin(name: string): void {
  removeFile(fileOf(loginsFolder(), name))
}
