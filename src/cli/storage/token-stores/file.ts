import { join } from 'node:path'
import { fileOf, stateFolder } from '../folders.ts'
import type { TokenStore } from '../kept-login.ts'
import { readIfThere, removeFile, writePrivate } from '../private-file.ts'
import { readLogin, writeLogin } from './login-record.ts'

/** Stores logins in plain-text files that only this user may read, for machines without a keyring. */
export function fileStore(): TokenStore {
  const folder = join(stateFolder(), 'tokens')
  const pathOf = (profile: string) => fileOf(folder, profile)
  return {
    name: 'file',
    place: (profile) => `${pathOf(profile)} (plain text)`,
    // A folder that is not writable must be found before the service issues a token.
    check: async () => {
      const probe = join(folder, `probe of process ${process.pid}`)
      writePrivate(probe, '')
      removeFile(probe)
    },
    read: async (profile) => {
      const text = readIfThere(pathOf(profile))
      return text === undefined ? undefined : readLogin(text, profile)
    },
    write: async (profile, login) => writePrivate(pathOf(profile), writeLogin(login)),
    erase: async (profile) => removeFile(pathOf(profile)),
  }
}
