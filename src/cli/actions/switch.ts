import { styled, writerTo } from '../../terminal/writer.ts'
import { CommandError } from '../command-error.ts'
import { authOrigin } from '../network/service-address.ts'
import { chooseProfile } from '../storage/chosen-profile.ts'
import { selectHere } from '../storage/directory-profile.ts'
import { allProfiles, type NamedProfile, profileOrCurrent } from '../storage/saved-profiles.ts'

/** The options of `authgraph switch`. */
export interface SwitchOptions {
  readonly profile?: string
  readonly here?: true
  readonly color: boolean
}

/** Runs `authgraph switch`. Returns the exit code. */
export async function switchProfile(options: SwitchOptions): Promise<number> {
  const { name, address } = options.profile === undefined ? otherProfile() : profileOrCurrent(options.profile)
  const { host } = authOrigin(address)
  const where = options.here ? ` here: see ${selectHere(name, host)}` : ''
  if (!options.here) chooseProfile(name)
  writerTo(process.stdout, options).print([
    ...[styled('green', '✓'), ' Using ', styled('bold', name)],
    `${name === host ? '' : ` (${host})`}${where}`,
  ])
  return 0
}

/** The login that is not the current one, if there are two. */
function otherProfile(): NamedProfile {
  const [current = profileOrCurrent(undefined), other, ...more] = allProfiles()
  if (other === undefined) return current
  if (more.length === 0) return other
  const names = [current, other, ...more].map(({ name }) => name).join(', ')
  throw new CommandError('usage', `several logins are saved: choose one with --profile (${names})`)
}
