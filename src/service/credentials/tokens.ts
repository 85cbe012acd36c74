import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Json, Store } from '../../store/store.ts'
import type { Families } from '../families.ts'
import type { Revocations } from '../revocations.ts'
import { hash } from './hash.ts'

/** The owner of a token and the scopes it grants. */
export interface TokenOwner {
  /** The user who approved. */
  readonly user: User
  /** The granted scopes. */
  readonly scopes: readonly string[]
}

/** What the store keeps about a token, under its hash. */
export interface TokenRecord extends TokenOwner {
  /** The hash of the id of the client that received it. */
  readonly client: string
  /** The family that it was issued with, if there are refresh tokens. */
  readonly family?: string
  /** The grant that it was issued for, if the host wants events and the token has no family. */
  readonly grant?: string
  /** How often all tokens of the user had been revoked before the login. */
  readonly revocations: number
}

/** The issued tokens. */
export interface Tokens {
  /**
   * Reserves space for a token that is about to be delivered. Unless `keep` follows, it expires at `until` (epoch
   * milliseconds). A token that the host issued before stays unchanged.
   */
  reserve(token: Secret, record: TokenRecord, until: number): Promise<void>
  /** Keeps a token until `expiresAt` (epoch milliseconds). */
  keep(token: Secret, record: TokenRecord, expiresAt: number): Promise<void>
  /** Finds a token that is valid. Of a token that the host verifies, only the owner is known. */
  find(token: Secret): Promise<TokenRecord | TokenOwner | undefined>
  remove(token: Secret): Promise<void>
}

/** Keeps a hash of each token in the store. */
export function createTokens(store: Store, families: Families, revocations: Revocations): Tokens {
  // A record of a version that did not count revocations holds no count.
  async function isValid({ user, family, revocations: counted = 0 }: TokenRecord): Promise<boolean> {
    const [count, isOfFamily] = await Promise.all([
      revocations.count(user),
      family === undefined || families.isValid(family),
    ])
    return count === counted && isOfFamily
  }

  return {
    async reserve(token, record, until) {
      await store.update(await tokenKey(token), (value) =>
        value === undefined
          ? { result: undefined, value: { ...record }, expiresAt: until }
          : { result: undefined },
      )
    },

    async keep(token, record, expiresAt) {
      await store.update(await tokenKey(token), () => ({
        result: undefined,
        value: { ...record },
        expiresAt,
      }))
    },

    async find(token) {
      const record = await store.update(await tokenKey(token), (value) => ({ result: recordIn(value) }))
      return record && (await isValid(record)) ? record : undefined
    },

    async remove(token) {
      await store.update(await tokenKey(token), () => ({ result: undefined, value: null }))
    },
  }
}

/** The store keeps nothing about tokens that the host verifies. */
export function signedTokens(
  verify: (token: Secret) => TokenOwner | undefined | Promise<TokenOwner | undefined>,
): Tokens {
  const nothing = async () => undefined
  return {
    reserve: nothing,
    keep: nothing,
    remove: nothing,
    // Without anything else that the host knows: a `client` would make it a record of ours.
    async find(token) {
      const owner = await verify(token)
      return owner && { user: owner.user, scopes: owner.scopes }
    },
  }
}

function recordIn(value: Json | undefined): TokenRecord | undefined {
  return value as TokenRecord | undefined
}

async function tokenKey(token: Secret): Promise<string> {
  return `token:${await hash(token.reveal())}`
}
