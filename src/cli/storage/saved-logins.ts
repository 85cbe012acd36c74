import * as v from 'valibot'
import { DamagedRecordError, StoreUnavailableError } from '../../errors.ts'
import type { Provider } from '../../protocol/provider.ts'
import { Secret } from '../../secret.ts'
import { describePlace, fileStore } from '../../session/node/file-store.ts'
import { assertPrivate } from '../../session/node/shared-files.ts'
import { createSeal, type RecordSeal } from '../../session/sealed.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { memoryStore } from '../../store/memory-store.ts'
import { probeStore } from '../../store/probe.ts'
import type { Json } from '../../store/store.ts'
import { CommandError } from '../command-error.ts'
import { fileOf, makeFolder, removeFile } from '../files.ts'
import { providerAt } from '../network/service-address.ts'
import { loginError, loginsFolder, type NamedProfile, type StoreName } from './saved-profiles.ts'

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

/** The provider of a saved login. It needs no request. */
export function providerOf(
  { address, endpoints }: NamedProfile,
  fetch: typeof globalThis.fetch,
): Promise<Provider> {
  return providerAt(endpoints ?? address, fetch)
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
  return describePlace(fileOf(loginsFolder(), profile), store !== 'keyring')
}

/**
 * Checks that a login can be stored, before the service issues a token.
 *
 * @throws {@link CommandError} with code `unusable_file` or `no_keyring`; {@link StoreUnavailableError}.
 */
export async function checkStore(name: StoreName): Promise<void> {
  if (name === 'none') return
  makeFolder(loginsFolder())
  await probeStore(loginStore(name), `probe of process ${process.pid}`)
}

async function systemKey(): Promise<Uint8Array> {
  try {
    const { keyringKey } = await import('../../session/node/keyring-key.ts')
    return await keyringKey('authgraph')()
  } catch (error) {
    throw error instanceof StoreUnavailableError ? new CommandError('no_keyring', error.message) : error
  }
}
