import { text } from 'node:stream/consumers'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin } from '../network/service-address.ts'
import { bearerToken } from '../network/token-auth.ts'
import { allProfiles, type NamedProfile, profileOrCurrent } from '../storage/saved-profiles.ts'
import { tokenStore } from '../storage/token-store.ts'
import { usableLogin } from '../storage/usable-login.ts'
import { type Line, writerTo } from '../terminal/writer.ts'

/** What git asks of a credential helper. */
export type GitOperation = 'get' | 'store' | 'erase'

/** What `authgraph git-credential` was asked for. */
export interface GitCredentialOptions {
  readonly profile?: string
}

/** Who logs in with a token: services look at the token alone. */
const ANYONE = 'x-access-token'

/** What git says of the credential that it wants, or has tried. */
type Description = Readonly<Record<string, string>>

/**
 * Runs `authgraph git-credential`. Returns the exit code: 0 also where there is nothing to say, so that git goes on to
 * its next helper.
 *
 * @see {@link https://git-scm.com/docs/git-credential#IOFMT The format}
 */
export async function gitCredential(operation: GitOperation, options: GitCredentialOptions): Promise<number> {
  const description = read(await text(process.stdin))
  const profile = profileFor(description, options.profile)
  if (profile) await OPERATIONS[operation](profile, description)
  return 0
}

const OPERATIONS = {
  get: response,
  // What git would have kept came from here, and is kept already.
  store: async () => undefined,
  erase: reject,
} satisfies Record<GitOperation, (profile: NamedProfile, description: Description) => Promise<void>>

async function response(profile: NamedProfile, { username = ANYONE }: Description): Promise<void> {
  const { token } = await usableLogin(profile, await environmentFetch())
  const lines: Line[] = [
    `username=${username}`,
    `password=${bearerToken(token).reveal()}`,
    ...(token.expiresAt === undefined ? [] : [`password_expiry_utc=${Math.floor(token.expiresAt / 1000)}`]),
  ]
  writerTo(process.stdout, { color: false }).print(...lines)
}

/** Git was refused. A login is worth more than one refusal: it is not erased, but its token is renewed at the next use. */
async function reject(profile: NamedProfile, { password }: Description): Promise<void> {
  const store = await tokenStore(profile.store)
  const login = await store.read(profile.name)
  if (login === undefined || login.token.accessToken.reveal() !== password) return
  if (login.token.refreshToken) {
    await store.write(profile.name, { ...login, token: { ...login.token, expiresAt: 0 } })
    return
  }
  writerTo(process.stderr, { color: true }).print(
    `authgraph: ${profile.name} did not accept the token. Look with: authgraph status --profile ${profile.name}`,
  )
}

/** Tokens go to the host that they are for, and by the scheme that they came by. */
function profileFor({ protocol, host }: Description, name: string | undefined): NamedProfile | undefined {
  const profiles = name === undefined ? allProfiles() : [profileOrCurrent(name)]
  const fitting = profiles.filter(({ address }) => {
    const origin = authOrigin(address)
    return origin.host === host && origin.protocol === `${protocol}:`
  })
  return fitting.find((profile) => profile.name === host) ?? fitting[0]
}

function read(input: string): Description {
  const lines = input.split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}
