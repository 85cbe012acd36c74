import { join } from 'node:path'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import { isProfileName } from '../commands/values.ts'
import { serviceAddress } from '../network/service-address.ts'
import { configFolder, fileOf } from './folders.ts'
import { parseSaved } from './parse-saved.ts'
import { namesIn, readIfThere, removeFile, writePrivate } from './private-file.ts'

const savedProfile = v.object({
  /** The version of this format. */
  v: v.literal(1),
  address: serviceAddress,
  scopes: v.array(v.string()),
  store: v.picklist(['keyring', 'file']),
  /** Time of the login, epoch milliseconds. */
  since: v.number(),
})

/** The public part of a saved login. Each has its own file, so that concurrent logins do not overwrite each other. */
export interface SavedProfile extends v.InferOutput<typeof savedProfile> {}

/** A saved profile with its name. */
export interface NamedProfile extends SavedProfile {
  readonly name: string
}

/** Saves a profile. */
export function saveProfile(name: string, profile: Omit<SavedProfile, 'v'>): void {
  writePrivate(pathOf(name), `${JSON.stringify({ v: 1, ...profile }, null, 2)}\n`)
}

/** Finds a profile by its name. Throws {@link CommandError} with code `damaged_file`. */
export function findProfile(name: string): NamedProfile | undefined {
  const text = readIfThere(pathOf(name))
  return text === undefined
    ? undefined
    : {
        name,
        ...parseSaved(savedProfile, text, { what: 'the record', profile: name, remove: 'authgraph logout' }),
      }
}

/** Finds a profile, but ignores a damaged one, which a login replaces. */
export function replaceableProfile(name: string): NamedProfile | undefined {
  const profile = readable(name)
  return profile instanceof CommandError ? undefined : profile
}

/** Lists the readable profiles, last login first. The first one is the current profile. */
export function allProfiles(): NamedProfile[] {
  return namesIn(folder())
    .flatMap((name) => replaceableProfile(name) ?? [])
    .sort((one, other) => other.since - one.since)
}

/** Lists the damaged profiles with their errors. */
export function damagedProfiles(): { readonly name: string; readonly error: CommandError }[] {
  return namesIn(folder()).flatMap((name) => {
    const error = readable(name)
    return error instanceof CommandError ? { name, error } : []
  })
}

/** Lists the names that `--profile` accepts, current profile first. A file of another program may have any name. */
export function profileNames(): string[] {
  return [...allProfiles(), ...damagedProfiles()].map(({ name }) => name).filter(isProfileName)
}

/**
 * Returns the profile with this name, or the current one.
 *
 * @throws {@link CommandError} with code `no_login` or `damaged_file`.
 */
export function profileOrCurrent(name: string | undefined): NamedProfile {
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

/** Removes a profile. */
export function forgetProfile(name: string): void {
  removeFile(pathOf(name))
}

function readable(name: string): NamedProfile | CommandError | undefined {
  try {
    return findProfile(name)
  } catch (error) {
    if (error instanceof CommandError && error.code === 'damaged_file') return error
    throw error
  }
}

function folder(): string {
  return join(configFolder(), 'profiles')
}

function pathOf(name: string): string {
  return fileOf(folder(), name)
}
