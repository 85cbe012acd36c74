import type { User } from '../../../machines/device-grant.ts'
import { Secret } from '../../secret.ts'
import { hash } from './hash.ts'

/**
 * A personal access token, and whom it stands for.
 *
 * @group Service
 */
export interface PersonalAccessToken {
  readonly token: string | Secret
  readonly user: User
  readonly scopes?: readonly string[]
}

/** Finds personal tokens by their hashes: the time of a look-up tells nothing of a token whose hash it is not. */
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
