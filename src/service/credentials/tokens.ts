import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Json, Store } from '../../store/store.ts'
import { hash } from './hash.ts'

/**
 * The owner of a token and the scopes it grants.
 *
 * @group Service
 */
export interface TokenOwner {
  /** The user who approved. */
  readonly user: User
  /** The granted scopes. */
  readonly scopes: readonly string[]
}

/** The issued tokens. */
export interface Tokens {
  /**
   * Reserves space for a token that is about to be delivered. Unless `keep` follows, it expires at `until` (epoch
   * milliseconds). A token that the host issued before stays unchanged.
   */
  reserve(token: Secret, owner: TokenOwner, until: number): Promise<void>
  /** Keeps a token until `expiresAt` (epoch milliseconds). */
  keep(token: Secret, owner: TokenOwner, expiresAt: number): Promise<void>
  find(token: Secret): Promise<TokenOwner | undefined>
}

/** Keeps a hash of each token in the store. */
export function createTokens(store: Store): Tokens {
  return {
    async reserve(token, { user, scopes }, until) {
      await store.update(await tokenKey(token), (value) =>
        value === undefined
          ? { result: undefined, value: { user, scopes }, expiresAt: until }
          : { result: undefined },
      )
    },

    async keep(token, { user, scopes }, expiresAt) {
      await store.update(await tokenKey(token), () => ({
        result: undefined,
        value: { user, scopes },
        expiresAt,
      }))
    },

    async find(token) {
      return store.update(await tokenKey(token), (value) => ({ result: ownerIn(value) }))
    },
  }
}

function ownerIn(value: Json | undefined): TokenOwner | undefined {
  return value as TokenOwner | undefined
}

async function tokenKey(token: Secret): Promise<string> {
  return `token:${await hash(token.reveal())}`
}
