import { CommandError } from '../command-error.ts'
import { authOrigin } from '../network/service-address.ts'
import { damagedProfiles, forgetProfile, profileOrCurrent } from '../storage/saved-profiles.ts'
import { tokenStore } from '../storage/token-store.ts'
import { type Line, styled, writerTo } from '../terminal/writer.ts'

/** The options of `authgraph logout`. */
export interface LogoutOptions {
  readonly profile?: string
  readonly color: boolean
}

/** Runs `authgraph logout`. Returns the exit code. */
export async function logout(options: LogoutOptions): Promise<number> {
  const damaged = damagedProfiles().find(({ name }) => name === options.profile)
  const lines = await (damaged ? eraseDamaged(damaged.name) : erase(options.profile))
  writerTo(process.stdout, options).print(...lines)
  return 0
}

async function erase(name: string | undefined): Promise<Line[]> {
  const profile = profileOrCurrent(name)
  const store = await tokenStore(profile.store)
  await store.erase(profile.name)
  forgetProfile(profile.name)
  return [
    [
      styled('green', '✓'),
      ' Logged out of ',
      styled('bold', profile.name),
      ': the token is deleted from this machine.',
    ],
    `  The service still accepts it. Revoke it in your settings at ${authOrigin(profile.address).host}.`,
  ]
}

/** A damaged record does not say where the token is stored: this tries every store and names those that fail. */
async function eraseDamaged(name: string): Promise<Line[]> {
  const failures: Line[] = []
  for (const place of ['file', 'keyring'] as const) {
    try {
      await (await tokenStore(place)).erase(name)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      failures.push(`  A token may remain: ${error.message}`)
    }
  }
  forgetProfile(name)
  return [
    [
      styled('green', '✓'),
      ' Logged out of ',
      styled('bold', name),
      ': its damaged record and any token found are deleted.',
    ],
    ...failures,
    '  The service still accepts the token. Revoke it in your settings there.',
  ]
}
