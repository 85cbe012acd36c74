import type { User } from '../../machines/device-grant.ts'
import { hash } from './hash.ts'
import type { Json, Store } from './store.ts'

/** Whom a token stands for. The token itself is not kept. */
export interface TokenRecord {
  readonly user: User
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** The OAuth tokens that were issued. */
export function createTokens(store: Store) {
  return {
    async keep(token: string, record: TokenRecord): Promise<void> {
      const key = await tokenKey(token)
      await store.update(key, () => ({ result: undefined, value: record as unknown as Json }))
    },

    async forget(token: string): Promise<void> {
      await store.update(await tokenKey(token), () => ({ result: undefined, value: null }))
    },

    async find(token: string): Promise<TokenRecord | undefined> {
      return store.update(await tokenKey(token), (value) => ({
        result: value as unknown as TokenRecord | undefined,
      }))
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

async function tokenKey(token: string): Promise<string> {
  return `token:${await hash(token)}`
}
