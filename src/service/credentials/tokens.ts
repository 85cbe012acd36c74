import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Json, Store } from '../store.ts'
import { hash } from './hash.ts'

/**
 * Whom a token stands for, and what it may do.
 *
 * @group Service
 */
export interface TokenOwner {
  readonly user: User
  readonly scopes: readonly string[]
}

/** Where the tokens are known that were issued. */
export interface Tokens {
  /**
   * Makes room for a token that is about to be delivered: when nothing more is heard of it, it is forgotten at `until`
   * (epoch milliseconds). A host may issue the same token again, which stays as it is known.
   */
  reserve(token: Secret, owner: TokenOwner, until: number): Promise<void>
  /** Knows a token until `expiresAt` (epoch milliseconds). */
  keep(token: Secret, owner: TokenOwner, expiresAt: number): Promise<void>
  find(token: Secret): Promise<TokenOwner | undefined>
}

/** Knows tokens by a hash of each in the store. */
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
