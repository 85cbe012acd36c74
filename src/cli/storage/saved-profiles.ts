import { join } from 'node:path'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import { isProfileName } from '../commands/values.ts'
import { serviceAddress } from '../network/service-address.ts'
import { configFolder, fileOf } from './folders.ts'
import { parseSaved } from './parse-saved.ts'
import { namesIn, readIfThere, removeFile, writePrivate } from './private-file.ts'

const savedProfile = v.object({
  /** The version of this form. */
  v: v.literal(1),
  address: serviceAddress,
  scopes: v.array(v.string()),
  store: v.picklist(['keyring', 'file']),
  /** When the login was, epoch milliseconds. */
  since: v.number(),
})

/** What is remembered of a login that is no secret. A file each, so that two logins at once do not meet. */
export interface SavedProfile extends v.InferOutput<typeof savedProfile> {}

/** A profile with its name. */
export interface NamedProfile extends SavedProfile {
  readonly name: string
}

/** Remembers a profile. */
export function saveProfile(name: string, profile: Omit<SavedProfile, 'v'>): void {
  writePrivate(pathOf(name), `${JSON.stringify({ v: 1, ...profile }, null, 2)}\n`)
}

/** Finds a profile by its name. Throws CommandError `damaged_file`. */
export function findProfile(name: string): NamedProfile | undefined {
  const text = readIfThere(pathOf(name))
  return text === undefined
    ? undefined
    : {
        name,
        ...parseSaved(savedProfile, text, { what: 'the record', profile: name, remove: 'authgraph logout' }),
      }
}

/** Finds a profile, and takes a damaged one for none: a login replaces it. */
export function replaceableProfile(name: string): NamedProfile | undefined {
  const profile = readable(name)
  return profile instanceof CommandError ? undefined : profile
}

/** Lists the profiles that can be read, that of the last login first: it is the current one. */
export function allProfiles(): NamedProfile[] {
  return namesIn(folder())
    .flatMap((name) => replaceableProfile(name) ?? [])
    .sort((one, other) => other.since - one.since)
}

/** Lists the names of the others, and what is wrong with them. */
export function damagedProfiles(): { readonly name: string; readonly error: CommandError }[] {
  return namesIn(folder()).flatMap((name) => {
    const error = readable(name)
    return error instanceof CommandError ? { name, error } : []
  })
}

/** Lists the names that `--profile` takes, the current profile first. A file of somebody else may have any name. */
export function profileNames(): string[] {
  return [...allProfiles(), ...damagedProfiles()].map(({ name }) => name).filter(isProfileName)
}

/** Gives the profile of a name, or the current one. Throws CommandError `no_login` or `damaged_file`. */
export function profileOrCurrent(name: string | undefined): NamedProfile {
  const [damaged] = name === undefined ? damagedProfiles() : []
  // It may be the one of the last login, and nobody wants to be somebody else by mistake.
  if (damaged) throw damaged.error
  const profile = name === undefined ? allProfiles()[0] : findProfile(name)
  if (profile) return profile
  const names = allProfiles().map((known) => known.name)
  const known = names.length > 0 ? ` (there are: ${names.join(', ')})` : ''
  throw new CommandError(
    'no_login',
    name === undefined
      ? 'nobody is logged in: authgraph login'
      : `there is no login named ${name}${known}: authgraph login --profile ${name}`,
  )
}

/** Forgets a profile. */
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
