import type { AsyncEntry } from '@napi-rs/keyring'
import { CommandError } from '../../command-error.ts'
import type { TokenStore } from '../kept-login.ts'
import { readLogin, writeLogin } from './login-record.ts'

/** Under which name the keyring shows what is kept. */
const SERVICE = 'authgraph'

/** On Linux the secret service or nothing: the kernel's keyring, which the library would turn to, forgets at a restart. */
const OPTIONS = { linux: { store: 'secret-service' } } as const

/** Keeps logins in the keyring of the system: Keychain, Credential Manager, or the secret service of the desktop. */
export async function keyringStore(): Promise<TokenStore> {
  // The library is optional, and each platform has a binary of its own.
  const library = await import('@napi-rs/keyring').catch((): never => {
    throw noKeyring('its library @napi-rs/keyring is not installed here')
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
    place: (profile) => `the keyring of this system, as ${SERVICE} / ${profile}`,
    // Only a write shows that the keyring can be unlocked.
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

/** The first part of what the library says: it speaks of the store, never of what is kept. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '').slice(0, 200) : 'it failed'
}

function noKeyring(reason: string): CommandError {
  return new CommandError('no_keyring', `the keyring of this system cannot be used: ${reason}`)
}
