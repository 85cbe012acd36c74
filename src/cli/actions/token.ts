import { environmentFetch } from '../network/environment-fetch.ts'
import { closeSession, openSession, validToken } from '../storage/open-session.ts'
import { profileOrCurrent } from '../storage/saved-profiles.ts'
import { writerTo } from '../terminal/writer.ts'

/** Runs `authgraph token`. Returns the exit code. */
export async function token(options: { readonly profile?: string }): Promise<number> {
  const profile = profileOrCurrent(options.profile)
  const session = await openSession(profile, await environmentFetch())
  const { accessToken } = await validToken(session, profile)
  writerTo(process.stdout, { color: false }).print(accessToken.reveal())
  await closeSession(session)
  return 0
}
