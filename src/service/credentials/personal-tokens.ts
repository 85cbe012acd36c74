import type { User } from '../../../machines/device-grant.ts'
import { BadOptionError } from '../../errors.ts'
import { Secret } from '../../secret.ts'
import { isTextOrSecret } from '../text-or-secret.ts'
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

/**
 * Finds personal tokens by their hashes: the time of a look-up tells nothing of a token whose hash it is not.
 *
 * @throws {@link BadOptionError} for a token that is missing or empty.
 */
export function createPersonalTokens(personalTokens: readonly PersonalAccessToken[]) {
  for (const personalToken of personalTokens)
    if (!isTextOrSecret(personalToken?.token))
      throw new BadOptionError('personalTokens must have a token that is not empty')
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
