import { join } from 'node:path'
import * as v from 'valibot'
import { DamagedRecordError, LoginRequiredError, WrongHostError } from '../../errors.ts'
import type { Json } from '../../store/store.ts'
import { CommandError, isFailure, type ReportedError } from '../command-error.ts'
import { fileOf, namesIn, parseJson, readIfThere, stateFolder } from '../files.ts'
import { authOrigin, endpoints, serviceAddress } from '../network/service-address.ts'
import { chosenProfile, type DirectoryProfile, directoryProfile } from './selected-profile.ts'

/** Where a token can be stored. `keyring` encrypts its file with a key in the system keyring; `none` stores nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token can be stored. */
export type StoreName = (typeof STORE_NAMES)[number]

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

/** The file of a login, or of a logout whose command was killed. */
const file = v.object({
  value: v.union([
    v.object({ status: v.literal('signedOut') }),
    v.looseObject({ status: v.picklist(['signedIn', 'ended']), data: savedProfile }),
  ]),
})

/** The public part of a saved login. */
export type SavedProfile = v.InferOutput<typeof savedProfile>

/** A saved profile with its name. */
export interface NamedProfile extends SavedProfile {
  readonly name: string
  /** The record of its session, in which tokens may be encrypted. */
  readonly record: Json
}

interface DamagedProfile {
  readonly name: string
  readonly error: CommandError
}

/** The folder of the logins: a file for each profile. */
export function loginsFolder(): string {
  return join(stateFolder(), 'logins')
}

/** Tells whether `--profile` accepts a name. Shells interpret none of these characters but brackets, a pattern. */
export function isProfileName(text: string): boolean {
  return /^[\w.:@[\]-]{1,100}$/.test(text)
}

/** Finds a profile by its name. Throws {@link CommandError} with code `damaged_file`. */
export function findProfile(name: string): NamedProfile | undefined {
  const text = readIfThere(fileOf(loginsFolder(), name))
  if (text === undefined) return undefined
  const saved = parseJson(file, text)
  if (saved === undefined) throw damagedLogin(name)
  const { value } = saved
  return value.status === 'signedOut' ? undefined : { name, ...value.data, record: value as Json }
}

/** The error of a login that cannot be read. It has the code `damaged_file`, and quotes nothing of the login. */
function damagedLogin(name: string): CommandError {
  return new CommandError(
    'damaged_file',
    `the saved login of ${name} cannot be read, because it is damaged or from another version: run ` +
      `authgraph login --profile ${name}, or authgraph logout --profile ${name} to remove it`,
  )
}

/** Says in the words of the command line why a session has no token. Any other error stays. */
export function loginError(name: string, error: unknown): unknown {
  if (error instanceof DamagedRecordError) return damagedLogin(name)
  if (error instanceof WrongHostError)
    return new WrongHostError(
      `the login of ${name} belongs to another service than its profile says: run authgraph logout --profile ${name}`,
    )
  if (error instanceof LoginRequiredError)
    return new CommandError(
      'no_login',
      `the login of ${name} has expired: run authgraph login --profile ${name}`,
    )
  return error
}

/** Finds a profile, but ignores a damaged one, which a login replaces. */
export function replaceableProfile(name: string): NamedProfile | undefined {
  const profile = readable(name)
  return profile instanceof CommandError ? undefined : profile
}

/** Reads all profiles: the readable ones, the chosen one first, then the last login; and the damaged ones. */
export function savedProfiles(): {
  readonly profiles: readonly NamedProfile[]
  readonly damaged: readonly DamagedProfile[]
} {
  const chosen = chosenProfile()
  const isChosen = ({ name }: NamedProfile) => Number(name === chosen)
  const profiles: NamedProfile[] = []
  const damaged: DamagedProfile[] = []
  // A file of another program, or of a store that is checked, may have any name.
  for (const name of namesIn(loginsFolder()).filter(isProfileName)) {
    const profile = readable(name)
    if (profile instanceof CommandError) damaged.push({ name, error: profile })
    else if (profile) profiles.push(profile)
  }
  profiles.sort((one, other) => isChosen(other) - isChosen(one) || other.since - one.since)
  return { profiles, damaged }
}

/** The profile that commands use by default, or why there is none. */
export function currentProfile(): NamedProfile | ReportedError {
  try {
    return profileOrCurrent(undefined)
  } catch (error) {
    if (isFailure(error)) return error
    throw error
  }
}

/** Lists the names of all profiles, current profile first. */
export function profileNames(): string[] {
  const { profiles, damaged } = savedProfiles()
  return [...profiles, ...damaged].map(({ name }) => name)
}

/**
 * Returns the profile with this name, or the current one: that of the working directory, the chosen one, or the last
 * login.
 *
 * @throws {@link CommandError} with code `no_login` or `damaged_file`; {@link WrongHostError} if the working directory
 * selects a login to another host.
 */
export function profileOrCurrent(name: string | undefined): NamedProfile {
  if (name === undefined) {
    const here = directoryProfile()
    if (here) return profileHere(here)
  }
  const named = name === undefined ? undefined : findProfile(name)
  if (named) return named
  const { profiles, damaged } = savedProfiles()
  if (name !== undefined) throw notSaved(name, profiles)
  // The damaged profile may be the current one: using another would act as the wrong user.
  if (damaged[0]) throw damaged[0].error
  if (profiles[0]) return profiles[0]
  throw new CommandError('no_login', 'not logged in: run authgraph login')
}

function notSaved(name: string, profiles: readonly NamedProfile[]): CommandError {
  const names = profiles.map((profile) => profile.name).join(', ')
  const known = names ? ` (saved logins: ${names})` : ''
  return new CommandError(
    'no_login',
    `no login named "${name}"${known}: run authgraph login --profile ${name}`,
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

function readable(name: string): NamedProfile | CommandError | undefined {
  try {
    return findProfile(name)
  } catch (error) {
    if (error instanceof CommandError && error.code === 'damaged_file') return error
    throw error
  }
}
