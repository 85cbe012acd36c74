import { environmentFetch } from '../network/environment-fetch.ts'
import { profileOrCurrent } from '../storage/saved-profiles.ts'
import { usableLogin } from '../storage/usable-login.ts'
import { writerTo } from '../terminal/writer.ts'

/** Runs `authgraph token`. Returns the exit code. */
export async function token(options: { readonly profile?: string }): Promise<number> {
  const login = await usableLogin(profileOrCurrent(options.profile), await environmentFetch())
  writerTo(process.stdout, { color: false }).print(login.token.accessToken.reveal())
  return 0
}
