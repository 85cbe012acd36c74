import type { OAuthToken } from '../../protocol/oauth-record.ts'
import type { Secret } from '../../secret.ts'
import type { StoreName } from './store-names.ts'

/** What is kept of a login: all that is secret. */
export interface KeptLogin {
  /** Asks for new tokens. */
  readonly clientId: Secret
  readonly token: OAuthToken
}

/** Keeps logins, one for each name of a profile. What an implementation holds it to is `tokenStoreContract`. */
export interface TokenStore {
  readonly name: StoreName
  /** Where a login is, for people. */
  place(profile: string): string
  /** Finds out whether a login can be kept, before there is one. Rejects with a CommandError that says what to do. */
  check(): Promise<void>
  /** Rejects with a CommandError where what is kept cannot be read. */
  read(profile: string): Promise<KeptLogin | undefined>
  write(profile: string, login: KeptLogin): Promise<void>
  /** False where there was nothing. */
  erase(profile: string): Promise<boolean>
}
