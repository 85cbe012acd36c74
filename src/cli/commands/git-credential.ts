import { text } from 'node:stream/consumers'
import { Argument, type Command } from 'commander'
import { hostAddress } from '../../protocol/syntax.ts'
import { Secret } from '../../secret.ts'
import { type Line, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin, hostIn, type ServiceAddress } from '../network/service-address.ts'
import { bearerToken } from '../network/token-auth.ts'
import { printError, printWarning } from '../print-error.ts'
import {
  type EnvironmentToken,
  environmentToken,
  type NamedProfile,
  profileOrCurrent,
  savedProfiles,
} from '../storage/profiles.ts'
import { validToken, withSession, withToken } from '../storage/saved-logins.ts'
import { profileName } from './values.ts'

type GitOperation = 'get' | 'store' | 'erase'

interface GitCredentialOptions {
  readonly profile?: string
}

/** The user name sent with a token: services check only the token. */
const ANYONE = 'x-access-token'

/** The attributes of a credential that git needs or has tried. */
type Description = Readonly<Record<string, string>>

/** Declares `authgraph git-credential`. */
export function gitCredentialCommand(): Command {
  return command({
    name: 'git-credential',
    summary: 'provide the token of a login to git',
    description: 'Act as a git credential helper. Git runs this command; the first example sets it up.',
    exitCodes: { 0: 'done, or left to the next helper', 1: 'the login has expired' },
    examples: [
      "git config --global credential.https://github.com.helper \\\n'!authgraph git-credential'",
      "git config --global credential.https://git.example.com.helper \\\n'!authgraph git-credential --profile work'",
      'printf "protocol=https\\nhost=github.com\\n" | authgraph git-credential get',
    ],
  })
    .addArgument(new Argument('<operation>', 'operation that git requests').choices(Object.keys(OPERATIONS)))
    .option('-p, --profile <name>', 'use this profile (default: the login to the host)', profileName)
    .action(exitWith(gitCredential))
}

/**
 * Runs `authgraph git-credential`. Returns the exit code, which is also 0 without a matching login, so that git asks its
 * next helper.
 *
 * @see {@link https://git-scm.com/docs/git-credential#IOFMT git credential, input/output format}
 */
async function gitCredential(operation: GitOperation, options: GitCredentialOptions): Promise<number> {
  const description = read(await text(process.stdin))
  const given = options.profile === undefined ? environmentTokenFor(description) : undefined
  if (given) {
    if (operation === 'get') printSecret(description, given.token)
    return 0
  }
  const profile = profileFor(description, options.profile)
  if (profile) await OPERATIONS[operation]?.(profile, description)
  else if (operation === 'get') explainNone(options.profile)
  return 0
}

/** Without a named profile, other hosts are usual. A damaged login does not say to which host it belongs. */
function explainNone(name: string | undefined): void {
  if (name === undefined) for (const { error } of savedProfiles().damaged) printError(error.message)
  else {
    const { origin } = authOrigin(profileOrCurrent(name).address)
    printWarning(`the login of ${name} is at ${origin}, not at the address that git asks for`)
  }
}

type Operate = (profile: NamedProfile, description: Description) => Promise<void>

const OPERATIONS: Readonly<Record<GitOperation, Operate | undefined>> = {
  get: printCredential,
  // Git got this credential from here: it is already stored.
  store: undefined,
  erase: reject,
}

function printCredential(profile: NamedProfile, description: Description): Promise<void> {
  return withToken(profile, async (token) =>
    printSecret(description, bearerToken(token, profile.name), token.expiresAt),
  )
}

function printSecret({ username = ANYONE }: Description, token: Secret, expiresAt?: number): void {
  const lines: Line[] = [
    `username=${username}`,
    `password=${token.reveal()}`,
    ...(expiresAt === undefined ? [] : [`password_expiry_utc=${Math.floor(expiresAt / 1000)}`]),
  ]
  writerTo(process.stdout, { color: false }).print(...lines)
}

/** Git's request was refused. One refusal does not delete a login: a token that is still in use is refreshed if possible. */
async function reject(profile: NamedProfile, { password }: Description): Promise<void> {
  await withSession(profile, await environmentFetch(), async (session) => {
    const { accessToken, refreshToken } = await validToken(session, profile)
    if (accessToken.reveal() !== password) return
    if (refreshToken) {
      session.actor.send({ type: 'rejected', token: new Secret(password) })
      await validToken(session, profile)
      return
    }
    const { name } = profile
    printError(`the service rejected the token of ${name}: run authgraph status --profile ${name}`)
  })
}

/** Finds the login of this host and scheme. A token never goes to another host or over another scheme. */
function profileFor(description: Description, name: string | undefined): NamedProfile | undefined {
  const profiles = name === undefined ? savedProfiles().profiles : [profileOrCurrent(name)]
  const fitting = profiles.filter(({ address }) => isFor(address, description))
  return fitting.find((profile) => profile.name === originOf(description)?.host) ?? fitting[0]
}

function environmentTokenFor(description: Description): EnvironmentToken | undefined {
  const host = hostIn(addressIn(description))
  const given = host && environmentToken(host)
  return given && isFor(given.address, description) ? given : undefined
}

function isFor(address: ServiceAddress, description: Description): boolean {
  return authOrigin(address).origin === originOf(description)?.origin
}

/** Git passes the host as the user wrote it: with capitals, or with the default port. */
function originOf(description: Description): URL | undefined {
  return hostAddress(addressIn(description))
}

function addressIn({ protocol, host }: Description): string {
  return `${protocol}://${host}`
}

function read(input: string): Description {
  const lines = input.split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}
