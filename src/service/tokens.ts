import type { User } from '../../machines/device-grant.ts'
import type { Secret } from '../secret.ts'
import { hash } from './hash.ts'
import type { Change, Json, Store } from './store.ts'

/** Milliseconds for which a token is known: a year. Spec: not shown. */
const LIFETIME = 365 * 24 * 60 * 60 * 1000

/** Claims remembered of a token that a host issues again and again. */
const MOST_CLAIMS = 16

/**
 * Whom a token stands for, and what it may do.
 *
 * @group Service
 */
export interface TokenOwner {
  readonly user: User
  readonly scopes: readonly string[]
}

/** Where the tokens are known that were issued. Each poll that issues does so under a claim of its own. */
export interface Tokens {
  /** Before it is delivered, so that a delivered token is always known. */
  keep(token: Secret, owner: TokenOwner, claim: string): Promise<void>
  /** The token of this claim was not delivered. */
  forget(token: Secret, claim: string): Promise<void>
  find(token: Secret): Promise<TokenOwner | undefined>
}

/** The token itself is not kept. A host may issue the same token twice: it is forgotten with the last of the latest claims under which it was issued. */
interface TokenRecord extends TokenOwner {
  readonly claims: readonly string[]
}

/** Knows tokens by a hash of each in the store. */
export function createTokens(store: Store, clock: { now(): number }): Tokens {
  async function change(
    token: Secret,
    next: (record: TokenRecord | undefined) => TokenRecord | undefined,
  ): Promise<void> {
    await store.update(await tokenKey(token), (value): Change<undefined> => {
      const record = next(recordIn(value))
      if (record === undefined) return { result: undefined, value: null }
      return { result: undefined, value: { ...record }, expiresAt: clock.now() + LIFETIME }
    })
  }

  return {
    keep: (token, { user, scopes }, claim) =>
      change(token, (record) => ({
        user,
        scopes,
        claims: [...(record?.claims ?? []), claim].slice(-MOST_CLAIMS),
      })),

    forget: (token, claim) =>
      change(token, (record) => {
        const claims = record?.claims.filter((other) => other !== claim) ?? []
        return record && claims.length > 0 ? { ...record, claims } : undefined
      }),

    async find(token) {
      return store.update(await tokenKey(token), (value) => ({ result: recordIn(value) }))
    },
  }
}

function recordIn(value: Json | undefined): TokenRecord | undefined {
  return value as TokenRecord | undefined
}

async function tokenKey(token: Secret): Promise<string> {
  return `token:${await hash(token.reveal())}`
}
