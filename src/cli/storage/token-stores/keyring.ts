import type { AsyncEntry } from '@napi-rs/keyring'
import { CommandError } from '../../command-error.ts'
import type { TokenStore } from '../kept-login.ts'
import { readLogin, writeLogin } from './login-record.ts'

/** The name of all entries in the keyring. */
const SERVICE = 'authgraph'

/** On Linux, use only the Secret Service: the library would fall back to the kernel keyring, which a restart clears. */
const OPTIONS = { linux: { store: 'secret-service' } } as const

/** Stores logins in the system keyring: macOS Keychain, Windows Credential Manager or the Secret Service of Linux. */
export async function keyringStore(): Promise<TokenStore> {
  // The library is an optional dependency with one binary per platform.
  const library = await import('@napi-rs/keyring').catch((): never => {
    throw noKeyring('the library @napi-rs/keyring is not installed')
  })
  const use = async <Result>(profile: string, act: (entry: AsyncEntry) => Promise<Result>) => {
    try {
      return await act(new library.AsyncEntry(SERVICE, profile, OPTIONS))
    } catch (error) {
      throw noKeyring(reasonOf(error))
    }
  }
  return {
    name: 'keyring',
    place: (profile) => `the system keyring, as ${SERVICE} / ${profile}`,
    // Only a write shows whether the keyring is unlocked.
    check: () =>
      use(`probe of process ${process.pid}`, async (entry) => {
        await entry.setPassword('probe')
        await entry.deleteCredential()
      }),
    read: async (profile) => {
      const text = await use(profile, (entry) => entry.getPassword())
      return text === null ? undefined : readLogin(text, profile)
    },
    write: (profile, login) => use(profile, (entry) => entry.setPassword(writeLogin(login))),
    erase: (profile) => use(profile, (entry) => entry.deleteCredential()),
  }
}

/** The start of the library's message, which describes the keyring and never a stored login. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : 'it failed'
}

function noKeyring(reason: string): CommandError {
  return new CommandError('no_keyring', `the system keyring cannot be used: ${reason}`)
}
