import type { OAuthToken } from '../../protocol/oauth-record.ts'
import type { Secret } from '../../secret.ts'

/** Where a token can be stored. `none` stores nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token can be stored. */
export type StoreName = (typeof STORE_NAMES)[number]

/** The secret part of a saved login. */
export interface KeptLogin {
  /** Needed to refresh the token. */
  readonly clientId: Secret
  readonly token: OAuthToken
}

/** Stores logins, one per profile. `tokenStoreContract` tests every implementation. */
export interface TokenStore {
  readonly name: StoreName
  /** Describes to users where a login is stored. */
  place(profile: string): string
  /** Checks in advance that a login can be stored. Rejects with a CommandError that says what to do. */
  check(): Promise<void>
  /** Rejects with a CommandError if the stored login cannot be read. */
  read(profile: string): Promise<KeptLogin | undefined>
  write(profile: string, login: KeptLogin): Promise<void>
  /** Resolves to `false` if there was no login. */
  erase(profile: string): Promise<boolean>
}
