import { writerTo } from '../../terminal/writer.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { environmentToken } from '../storage/environment-token.ts'
import { validToken, withSession } from '../storage/open-session.ts'
import { profileOrCurrent } from '../storage/saved-profiles.ts'

/** Runs `authgraph token`. Returns the exit code. */
export async function token(options: { readonly profile?: string }): Promise<number> {
  const given = options.profile === undefined ? environmentToken() : undefined
  if (given) {
    writerTo(process.stdout, { color: false }).print(given.token.reveal())
    return 0
  }
  const profile = profileOrCurrent(options.profile)
  await withSession(profile, await environmentFetch(), async (session) => {
    const { accessToken } = await validToken(session, profile)
    writerTo(process.stdout, { color: false }).print(accessToken.reveal())
  })
  return 0
}
