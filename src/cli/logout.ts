import type { LogoutOptions } from './commands/logout.ts'
import { forgetProfile, profileOrCurrent } from './saved-profiles.ts'
import { originOf } from './service-address.ts'
import { tokenStore } from './token-store.ts'
import { styled, writerTo } from './writer.ts'

/** Runs `authgraph logout`. Returns the exit code. */
export async function logout(options: LogoutOptions): Promise<number> {
  const profile = profileOrCurrent(options.profile)
  const store = await tokenStore(profile.store)
  await store.erase(profile.name)
  forgetProfile(profile.name)
  writerTo(process.stdout, options).print(
    [styled('green', '✓'), ' Logged out of ', styled('bold', profile.name), ': the token is erased here.'],
    `  The service still accepts it. Revoke it in your settings at ${originOf(profile.address).host}.`,
  )
  return 0
}
