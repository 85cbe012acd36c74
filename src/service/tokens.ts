import type { User } from '../../machines/device-grant.ts'
import type { Secret } from '../secret.ts'
import { hash } from './hash.ts'
import type { Change, Json, Store } from './store.ts'

/** Milliseconds for which a token is known: a year. Spec: not shown. */
const LIFETIME = 365 * 24 * 60 * 60 * 1000

/** Whom a token stands for. The token itself is not kept. */
export interface TokenOwner {
  readonly user: User
  /** What the store knows the client by. */
  readonly client: string
  readonly scopes: readonly string[]
}

/** A host may issue the same token twice: it is forgotten with the last of the claims under which it was issued. */
interface TokenRecord extends TokenOwner {
  readonly claims: readonly string[]
}

/** The OAuth tokens that were issued. */
export function createTokens(store: Store, clock: { now(): number }) {
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
    /** Before it is delivered, so that a delivered token is always known. */
    keep: (token: Secret, { user, client, scopes }: TokenOwner, claim: string) =>
      change(token, (record) => ({ user, client, scopes, claims: [...(record?.claims ?? []), claim] })),

    /** The token of this claim was not delivered. */
    forget: (token: Secret, claim: string) =>
      change(token, (record) => {
        const claims = record?.claims.filter((other) => other !== claim) ?? []
        return record && claims.length > 0 ? { ...record, claims } : undefined
      }),

    async find(token: Secret): Promise<TokenOwner | undefined> {
      return store.update(await tokenKey(token), (value) => ({ result: recordIn(value) }))
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

function recordIn(value: Json | undefined): TokenRecord | undefined {
  return value as TokenRecord | undefined
}

async function tokenKey(token: Secret): Promise<string> {
  return `token:${await hash(token.reveal())}`
}
