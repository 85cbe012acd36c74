import type { User } from '../../machines/device-grant.ts'
import type { Secret } from '../secret.ts'
import { hash } from './hash.ts'
import type { Json, Store } from './store.ts'

/** Milliseconds for which a token is known: a year. Spec: not shown. */
const LIFETIME = 365 * 24 * 60 * 60 * 1000

/** Whom a token stands for. The token itself is not kept. */
export interface TokenRecord {
  readonly user: User
  /** What the store knows the client by. */
  readonly client: string
  readonly scopes: readonly string[]
}

/** The OAuth tokens that were issued. */
export function createTokens(store: Store, clock: { now(): number }) {
  return {
    async keep(token: Secret, { user, client, scopes }: TokenRecord): Promise<void> {
      const value = { user, client, scopes } satisfies Json
      const expiresAt = clock.now() + LIFETIME
      await store.update(await tokenKey(token), () => ({ result: undefined, value, expiresAt }))
    },

    async find(token: Secret): Promise<TokenRecord | undefined> {
      return store.update(await tokenKey(token), (value) => ({ result: value as TokenRecord | undefined }))
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

async function tokenKey(token: Secret): Promise<string> {
  return `token:${await hash(token.reveal())}`
}
