import * as v from 'valibot'
import { WrongHostError } from '../../errors.ts'
import { CommandError, type Failure, isFailure } from '../command-error.ts'
import { isProfileName } from '../commands/values.ts'
import { authOrigin, endpoints, serviceAddress } from '../network/service-address.ts'
import { parseJson } from '../parse-json.ts'
import { chosenProfile } from './chosen-profile.ts'
import { type DirectoryProfile, directoryProfile } from './directory-profile.ts'
import { fileOf } from './folders.ts'
import { loginsFolder, STORE_NAMES } from './login-stores.ts'
import { namesIn, readIfThere } from './private-file.ts'

/** The public part of a saved login, in the record of its session. */
export const savedProfile = v.object({
  address: serviceAddress,
  /** What the issuer named at the login, so that no later command has to ask for it. */
  endpoints: v.exactOptional(endpoints),
  scopes: v.array(v.string()),
  store: v.picklist(STORE_NAMES),
  /** Time of the login, epoch milliseconds. */
  since: v.number(),
})

/** The file of a login. */
const file = v.object({ value: v.object({ profile: savedProfile }) })

/** The public part of a saved login. */
export interface SavedProfile extends v.InferOutput<typeof savedProfile> {}

/** A saved profile with its name. */
export interface NamedProfile extends SavedProfile {
  readonly name: string
}

/** Finds a profile by its name. Throws {@link CommandError} with code `damaged_file`. */
export function findProfile(name: string): NamedProfile | undefined {
  const text = readIfThere(fileOf(loginsFolder(), name))
  if (text === undefined) return undefined
  const saved = parseJson(file, text)
  if (saved === undefined) throw damagedLogin(name)
  return { name, ...saved.value.profile }
}

/** The error of a login that cannot be read. It has the code `damaged_file`, and quotes nothing of the login. */
export function damagedLogin(name: string): CommandError {
  return new CommandError(
    'damaged_file',
    `the saved login of ${name} cannot be read, because it is damaged or from another version: run ` +
      `authgraph login --profile ${name}, or authgraph logout --profile ${name} to remove it`,
  )
}

/** Finds a profile, but ignores a damaged one, which a login replaces. */
export function replaceableProfile(name: string): NamedProfile | undefined {
  const profile = readable(name)
  return profile instanceof CommandError ? undefined : profile
}

/** Lists the readable profiles, the chosen one first, then the last login. The first one is the current profile. */
export function allProfiles(): NamedProfile[] {
  const chosen = chosenProfile()
  const isChosen = ({ name }: NamedProfile) => Number(name === chosen)
  return savedNames()
    .flatMap((name) => replaceableProfile(name) ?? [])
    .sort((one, other) => isChosen(other) - isChosen(one) || other.since - one.since)
}

/** The profile that commands use by default, or why there is none. */
export function currentProfile(): NamedProfile | Failure {
  try {
    return profileOrCurrent(undefined)
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}

/** Lists the damaged profiles with their errors. */
export function damagedProfiles(): { readonly name: string; readonly error: CommandError }[] {
  return savedNames().flatMap((name) => {
    const error = readable(name)
    return error instanceof CommandError ? { name, error } : []
  })
}

/** Lists the names of all profiles, current profile first. */
export function profileNames(): string[] {
  return [...allProfiles(), ...damagedProfiles()].map(({ name }) => name)
}

/**
 * Returns the profile with this name, or the current one: that of the working directory, the chosen one, or the last
 * login.
 *
 * @throws {@link CommandError} with code `no_login` or `damaged_file`; {@link WrongHostError} if the working directory
 * selects a login to another host.
 */
export function profileOrCurrent(name: string | undefined): NamedProfile {
  const here = name === undefined ? directoryProfile() : undefined
  if (here) return profileHere(here)
  const [damaged] = name === undefined ? damagedProfiles() : []
  // The damaged profile may be the current one: using another would act as the wrong user.
  if (damaged) throw damaged.error
  const profile = name === undefined ? allProfiles()[0] : findProfile(name)
  if (profile) return profile
  const names = allProfiles().map((known) => known.name)
  const known = names.length > 0 ? ` (saved logins: ${names.join(', ')})` : ''
  throw new CommandError(
    'no_login',
    name === undefined
      ? 'nobody is logged in: run authgraph login'
      : `there is no login named ${name}${known}: run authgraph login --profile ${name}`,
  )
}

/** Another host under the same name may be an attempt to have a token used for something else. */
function profileHere({ path, profile: name, host }: DirectoryProfile): NamedProfile {
  const profile = isProfileName(name) ? findProfile(name) : undefined
  if (profile === undefined)
    throw new CommandError(
      'no_login',
      `${path} selects a login that is not saved: run authgraph login with the profile and the host in that file`,
    )
  if (authOrigin(profile.address).host === host) return profile
  throw new WrongHostError(`${path} selects a login to another host than the saved login ${name}`)
}

/** The names that `--profile` accepts. A file of another program, or of a store that is checked, may have any name. */
function savedNames(): string[] {
  return namesIn(loginsFolder()).filter(isProfileName)
}

function readable(name: string): NamedProfile | CommandError | undefined {
  try {
    return findProfile(name)
  } catch (error) {
    if (error instanceof CommandError && error.code === 'damaged_file') return error
    throw error
  }
}
