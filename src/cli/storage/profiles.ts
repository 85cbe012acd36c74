import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { TOKEN68 } from '../../auth/bearer.ts'
import {
  AuthgraphError,
  DamagedRecordError,
  LoginRequiredError,
  RefusedError,
  WrongHostError,
} from '../../errors.ts'
import { Secret } from '../../secret.ts'
import { isUnclear } from '../../session/session-record.ts'
import type { Json } from '../../store/store.ts'
import {
  CommandError,
  DamagedLoginError,
  isFailure,
  NotRefreshedError,
  type ReportedError,
  SealedLoginError,
} from '../command-error.ts'
import {
  fileOf,
  jsonFault,
  namesIn,
  onDisk,
  parseJson,
  readIfThere,
  removeFile,
  stateFolder,
  writePrivate,
} from '../files.ts'
import { authOrigin, endpoints, hostIn, isSameService, serviceAddress } from '../network/service-address.ts'
import { notFinished, unfinishedLogins } from './saved-flows.ts'
import { STORE_NAMES } from './store-names.ts'

/** The file by which a folder selects a login. */
const DIRECTORY_FILE = '.authgraph.json'

/** Those of `w`, but a pipe in place of the file blocks nothing. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/** Names only: nothing in it is secret, and nothing in it says where to send a token. */
const directoryFile = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({ profile: v.string(), host: v.string() }),
)

const choice = v.object({ profile: v.string() })

const GITHUB = { host: 'github.com' }

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
const savedFile = v.object({
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

/** The login that a folder selects. */
interface DirectoryProfile {
  readonly path: string
  readonly profile: string
  /** The host that the login must belong to. */
  readonly host: string
}

/** A token from an environment variable, for programs and CI. */
export interface EnvironmentToken {
  /** The variable. */
  readonly source: 'AUTHGRAPH_TOKEN' | 'GH_TOKEN'
  /** The only host that the token may be sent to. */
  readonly address: { readonly host: string }
  readonly token: Secret
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
  const saved = parseJson(savedFile, text)
  if (saved === undefined) throw new DamagedLoginError(name)
  const { value } = saved
  return value.status === 'signedOut' ? undefined : { name, ...value.data, record: value as Json }
}

/** Says in the words of the command line why a session has no token. Any other error stays. */
export function loginError(name: string, error: unknown): unknown {
  if (error instanceof DamagedRecordError) return new DamagedLoginError(name)
  if (error instanceof CommandError && error.code === 'no_keyring')
    return new SealedLoginError(name, error.message)
  if (error instanceof WrongHostError)
    return new WrongHostError(
      `the login of ${name} belongs to a different service from the one in its profile: run authgraph logout --profile ${name}`,
    )
  if (error instanceof LoginRequiredError) return loginEnded(name)
  if (error instanceof RefusedError || (error instanceof AuthgraphError && isUnclear(error)))
    return new NotRefreshedError(name, error)
  return error
}

/** Only a service that refuses to refresh the token ends the record of a login. */
function loginEnded(name: string): CommandError {
  const { status } = Object(replaceableProfile(name)?.record)
  const why = status === 'ended' ? 'has expired or was revoked' : 'has expired'
  const resume = unfinishedLogins().includes(name) ? ' --resume' : ''
  return new CommandError(
    'no_login',
    `the login of ${name} ${why}: run authgraph login${resume} --profile ${name}`,
  )
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

/** Says why commands do not use a profile by default that was saved or chosen last. */
export function whyUnused(name: string): string | undefined {
  try {
    const given = environmentToken()
    if (given) return `${given.source} is used until you unset it.`
    const current = profileOrCurrent(undefined)
    if (current.name === name) return undefined
    return directoryProfile()
      ? `In this folder, .authgraph.json selects ${current.name}.`
      : `Another login, ${current.name}, is the current one now.`
  } catch (error) {
    if (isFailure(error)) return `${error.message}.`
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
  const [unfinished] = unfinishedLogins()
  if (unfinished !== undefined) throw notFinished(unfinished)
  throw new CommandError(
    'no_login',
    'not logged in: run authgraph login --client-id ID, or set AUTHGRAPH_TOKEN',
  )
}

function notSaved(name: string, profiles: readonly NamedProfile[]): CommandError {
  if (unfinishedLogins().includes(name)) return notFinished(name)
  const names = profiles.map((profile) => profile.name).join(', ')
  const advice = names
    ? `choose one with --profile (${names})`
    : `run authgraph login --profile ${name} --client-id ID`
  return new CommandError('no_login', `no login named "${name}": ${advice}`)
}

/** Another host under the same name may be an attempt to have a token used for something else. */
function profileHere({ path, profile: name, host }: DirectoryProfile): NamedProfile {
  const profile = isProfileName(name) ? findProfile(name) : undefined
  if (profile === undefined) throw notSavedHere(path, name, host)
  if (authOrigin(profile.address).host === host) return profile
  throw new WrongHostError(
    `the host in ${path} is not the host of the saved login ${name}: correct the file, or delete it`,
  )
}

function notSavedHere(path: string, name: string, host: string): CommandError {
  // The advice contains both, and no shell may find a command in them.
  if (!isProfileName(name) || !isProfileName(host) || hostIn(host) === undefined)
    return new CommandError(
      'damaged_file',
      `${path} contains an invalid profile name or host: correct it, or delete it`,
    )
  if (unfinishedLogins().includes(name)) return notFinished(name)
  return new CommandError(
    'no_login',
    `${path} selects the login ${name}, which is not saved: run authgraph login --profile ${name} --host ${host} --client-id ID, or delete the file`,
  )
}

function readable(name: string): NamedProfile | CommandError | undefined {
  try {
    return findProfile(name)
  } catch (error) {
    if (error instanceof DamagedLoginError) return error
    throw error
  }
}

/**
 * Finds the login that the working directory selects, or the nearest folder above it.
 *
 * @throws {@link CommandError} with code `damaged_file` or `unusable_file`.
 */
function directoryProfile(folder = workingDirectory()): DirectoryProfile | undefined {
  if (folder === undefined) return undefined
  const path = join(folder, DIRECTORY_FILE)
  const text = readIfThere(path, 'correct it, or delete it')
  if (text === undefined) {
    const above = dirname(folder)
    return above === folder ? undefined : directoryProfile(above)
  }
  const { success, output, issues } = v.safeParse(directoryFile, text)
  if (success) return { path, ...output }
  throw new CommandError(
    'damaged_file',
    `${path} must contain "profile" and "host", and nothing else${faultOf(issues[0])}: correct it, or delete it`,
  )
}

function faultOf(issue: v.BaseIssue<unknown>): string {
  const [member] = (issue.path ?? []).map(({ key }) => key)
  return member === undefined && issue.type !== 'parse_json' ? '' : `, but ${jsonFault(issue, member)}`
}

/** `undefined` if it was deleted. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Selects a login for the working directory and all folders below. Returns the path of the file. */
export function selectHere(profile: string, host: string): string {
  const write = () => {
    const path = join(process.cwd(), DIRECTORY_FILE)
    const file = openSync(path, FLAGS, 0o666)
    writeFileSync(file, `${JSON.stringify({ profile, host }, undefined, 2)}\n`)
    closeSync(file)
    return path
  }
  return onDisk(
    `cannot write ${DIRECTORY_FILE} in this folder`,
    write,
    'delete it if it exists, or use a folder that you can write to',
  )
}

/** The name of the profile that `authgraph switch` chose. A damaged file is no choice. */
function chosenProfile(): string | undefined {
  return parseJson(choice, readIfThere(choicePath()))?.profile
}

/** Makes a profile the current one until the next login. */
export function chooseProfile(profile: string): void {
  writePrivate(choicePath(), JSON.stringify({ profile }))
}

/** Makes the last login the current one. */
export function forgetChoice(): void {
  removeFile(choicePath())
}

function choicePath(): string {
  return join(stateFolder(), 'current.json')
}

/**
 * Reads the token that takes precedence over stored logins: `AUTHGRAPH_TOKEN`, for `AUTHGRAPH_HOST` or github.com; or
 * `GH_TOKEN`, for github.com only. A shell may have `GH_TOKEN` for other programs, so it replaces no login to another
 * host.
 *
 * @param host The host that the command names. Default: that of the variable.
 * @throws {@link CommandError} with code `bad_variable` if a variable is malformed.
 */
export function environmentToken(host?: string): EnvironmentToken | undefined {
  const { AUTHGRAPH_TOKEN, AUTHGRAPH_HOST, GH_TOKEN } = process.env
  const fits = (address: { readonly host: string }) => host === undefined || isSameService(address, { host })
  if (AUTHGRAPH_TOKEN) {
    const address = AUTHGRAPH_HOST ? { host: hostOfVariable(AUTHGRAPH_HOST) } : GITHUB
    if (fits(address))
      return {
        source: 'AUTHGRAPH_TOKEN',
        address,
        token: tokenOfVariable('AUTHGRAPH_TOKEN', AUTHGRAPH_TOKEN),
      }
  }
  if (!GH_TOKEN || !fits(GITHUB)) return undefined
  const current = host === undefined ? currentProfile() : undefined
  if (current && !(current instanceof Error) && !isSameService(current.address, GITHUB)) return undefined
  return { source: 'GH_TOKEN', address: GITHUB, token: tokenOfVariable('GH_TOKEN', GH_TOKEN) }
}

/** The error of a command for saved logins if there is none, but perhaps a token in the environment. */
export function nothingSaved(given?: EnvironmentToken): CommandError {
  const advice = given
    ? `the token in ${given.source} is used until you unset the variable`
    : 'run authgraph login --client-id ID'
  return new CommandError('no_login', `no login is saved: ${advice}`)
}

function hostOfVariable(text: string): string {
  const host = hostIn(text)
  if (host !== undefined) return host
  throw new CommandError('bad_variable', 'AUTHGRAPH_HOST is not a host: use one such as git.example.com')
}

function tokenOfVariable(name: string, text: string): Secret {
  if (TOKEN68.test(text)) return new Secret(text)
  throw new CommandError(
    'bad_variable',
    `${name} contains characters that a header cannot carry: remove quotes, white space and characters outside ASCII`,
  )
}
