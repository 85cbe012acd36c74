import type { User } from '../../machines/device-grant.ts'
import { hash } from './hash.ts'
import type { Json, Store } from './store.ts'

/** Whom a token stands for. The token itself is not kept. */
export interface TokenOwner {
  readonly user: User
  /** The client, by its key. */
  readonly client: string
  readonly scopes: readonly string[]
}

/** A host may issue the same token twice: it is forgotten with the last of the claims under which it was issued. */
interface TokenRecord extends TokenOwner {
  readonly claims: readonly string[]
}

/** The OAuth tokens that were issued. */
export function createTokens(store: Store) {
  async function change(
    token: string,
    next: (record: TokenRecord | undefined) => TokenRecord | null,
  ): Promise<void> {
    await store.update(await tokenKey(token), (value) => ({
      result: undefined,
      value: next(value as unknown as TokenRecord | undefined) as unknown as Json,
    }))
  }

  return {
    keep: (token: string, owner: TokenOwner, claim: string) =>
      change(token, (record) => ({ ...owner, claims: [...(record?.claims ?? []), claim] })),

    forget: (token: string, claim: string) =>
      change(token, (record) => {
        const claims = record?.claims.filter((other) => other !== claim) ?? []
        return record && claims.length > 0 ? { ...record, claims } : null
      }),

    async find(token: string): Promise<TokenOwner | undefined> {
      const key = await tokenKey(token)
      return store.update(key, (value) => ({ result: value as unknown as TokenRecord | undefined }))
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

async function tokenKey(token: string): Promise<string> {
  return `token:${await hash(token)}`
}
