import type { User } from '../../../machines/device-grant.ts'
import { Secret } from '../../secret.ts'
import { hash } from '../stores/hash.ts'

/** A personal access token and its owner. */
export interface PersonalAccessToken {
  /** The token that the client sends. */
  readonly token: string | Secret
  /** The user it belongs to. */
  readonly user: User
  /** The scopes it grants. Default: none. */
  readonly scopes?: readonly string[]
}

/** Looks up personal access tokens by hash, so that the time of a lookup reveals nothing about a token. */
export function createPersonalTokens(personalTokens: readonly PersonalAccessToken[]) {
  const known = Promise.all(
    personalTokens.map(
      async ({ token, user, scopes = [] }) =>
        [await hash(Secret.of(token).reveal()), { user, scopes }] as const,
    ),
  ).then((entries) => new Map(entries))

  return {
    find: async (token: string) => (await known).get(await hash(token)),
  }
}

export type PersonalTokens = ReturnType<typeof createPersonalTokens>
