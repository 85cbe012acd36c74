import * as v from 'valibot'
import { DamagedRecordError } from '../../errors.ts'
import { Secret } from '../../secret.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { Change, Json } from '../../store/store.ts'
import { CommandError } from '../command-error.ts'
import { fileOf } from './folders.ts'
import { loginStore, loginsFolder } from './login-stores.ts'
import { removeFile } from './private-file.ts'
import { damagedLogin, type NamedProfile, savedProfile } from './saved-profiles.ts'

/** What the record of a session holds besides: the client ID is encrypted with the token. */
const login = v.object({ profile: savedProfile, token: v.object({ clientId: v.string() }) })

/**
 * Reads the client ID of a login.
 *
 * @throws {@link CommandError} with code `no_login`, `no_keyring`, or `damaged_file` if the record cannot be decrypted.
 */
export async function readClientId({ name, store }: NamedProfile): Promise<Secret> {
  const value = await readRecord(loginStore(store), name)
  const saved = v.safeParse(login, value)
  if (saved.success) return new Secret(saved.output.token.clientId)
  throw value === undefined
    ? new CommandError('no_login', `the token of ${name} is missing: run authgraph login --profile ${name}`)
    : damagedLogin(name)
}

/**
 * A store that keeps the profile of a login, and its client ID, in the record of the session: both are written and
 * encrypted together. A record of which only the logout is left is deleted.
 */
export function withProfile(
  store: SessionStore,
  { name: _, ...profile }: NamedProfile,
  clientId: Secret,
): SessionStore {
  const own = { profile, token: { clientId: clientId.reveal() } }
  return {
    ...(store.owners && { owners: store.owners }),
    update<Result>(key: string, change: (value: Json | undefined) => Change<Result>) {
      return store.update<Result>(key, (value) => {
        const made = change(value)
        if (made.value === undefined || made.value === null) return made
        const record = Object(made.value)
        if (record.status === 'signedOut') return { result: made.result, value: null }
        const before = Object(value)
        // Of a refresh: another login may have begun since this process read the profile.
        const { profile, token } = record.login === undefined || record.login === before.login ? before : own
        return {
          ...made,
          value: { ...record, profile, token: { ...record.token, clientId: token.clientId } },
        }
      })
    },
  }
}

/** Removes the record of a login if no session can read it: nothing could be written in its place. */
export async function removeUnreadable({ name, store }: Pick<NamedProfile, 'name' | 'store'>): Promise<void> {
  try {
    await readRecord(loginStore(store), name)
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'damaged_file') throw error
    removeLogin(name)
  }
}

/** Removes the record of a login, whatever is in it. */
export function removeLogin(name: string): void {
  removeFile(fileOf(loginsFolder(), name))
}

async function readRecord(store: SessionStore, name: string): Promise<Json | undefined> {
  try {
    return await store.update(name, (value) => ({ result: value }))
  } catch (error) {
    throw error instanceof DamagedRecordError ? damagedLogin(name) : error
  }
}
