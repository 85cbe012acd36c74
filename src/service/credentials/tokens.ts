import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Json, Store } from '../../store/store.ts'
import type { Families } from '../families.ts'
import { createNewest } from '../newest.ts'
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
  /**
   * Keeps a token until `expiresAt` (epoch milliseconds). It ends the oldest token of its family if there are more than
   * ten, so that a client that refreshes again and again does not fill the store.
   *
   * @returns The hash of the token; `undefined` if nothing is kept, because the host verifies its tokens.
   */
  keep(token: Secret, record: TokenRecord, expiresAt: number): Promise<string | undefined>
  /** Finds a token that is valid. Of a token that the host verifies, only the owner is known. */
  find(token: Secret): Promise<TokenRecord | TokenOwner | undefined>
  /** Ends a token. Returns what was kept about it, under its hash. */
  remove(hashed: string): Promise<TokenRecord | undefined>
  /** Ends all tokens of a family. */
  removeOf(family: string): Promise<void>
}

/** How many access tokens of a family are valid at a time. */
const MOST = 10

/** Keeps a hash of each token in the store. */
export function createTokens(
  store: Store,
  families: Families,
  revocations: Revocations,
  clock: { now(): number },
): Tokens {
  const newest = createNewest('access', MOST, store, clock)

  // A record of a version that did not count revocations holds no count.
  async function isValid({ user, family, revocations: counted = 0 }: TokenRecord): Promise<boolean> {
    const [count, isOfFamily] = await Promise.all([
      revocations.count(user),
      family === undefined || families.isValid(family),
    ])
    return count === counted && isOfFamily
  }

  /** Removes a token from a family. The host may have issued the same token for another login since. */
  async function removeFrom(family: string, hashed: string): Promise<void> {
    await store.update(keyOf(hashed), (value) =>
      recordIn(value)?.family === family ? { result: undefined, value: null } : { result: undefined },
    )
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
      const hashed = await hash(token.reveal())
      await store.update(keyOf(hashed), () => ({ result: undefined, value: { ...record }, expiresAt }))
      const { family } = record
      if (family === undefined) return hashed
      for (const oldest of await newest.add(family, hashed, expiresAt)) await removeFrom(family, oldest)
      return hashed
    },

    async find(token) {
      const record = await store.update(await tokenKey(token), (value) => ({ result: recordIn(value) }))
      return record && (await isValid(record)) ? record : undefined
    },

    async removeOf(family) {
      for (const hashed of await newest.clear(family)) await removeFrom(family, hashed)
    },

    remove: (hashed) => store.update(keyOf(hashed), (value) => ({ result: recordIn(value), value: null })),
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
    removeOf: nothing,
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
  return keyOf(await hash(token.reveal()))
}

function keyOf(hashed: string): string {
  return `token:${hashed}`
}
