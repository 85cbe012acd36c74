import type { OAuthToken } from '../../protocol/oauth-record.ts'
import { type Failure, isFailure } from '../command-error.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin, providerAt } from '../network/service-address.ts'
import { whoIs } from '../network/who-is.ts'
import {
  allProfiles,
  damagedProfiles,
  type NamedProfile,
  profileNames,
  profileOrCurrent,
} from '../storage/saved-profiles.ts'
import { tokenStore } from '../storage/token-store.ts'
import { usableLogin } from '../storage/usable-login.ts'
import { validityOf } from '../storage/validity.ts'
import { failure } from '../terminal/failure.ts'
import { type Line, styled, visibleJson, type Writer, writerTo } from '../terminal/writer.ts'

/** The options of `authgraph status`. */
export interface StatusOptions {
  readonly profile?: string
  readonly json?: true
  readonly names?: true
  readonly color: boolean
}

const NOT_CHECKED = 'unknown, token not checked: this service has no known API'

/** The result of checking a login. */
type LoginState =
  | { readonly user: string | undefined; readonly token: OAuthToken }
  | { readonly error: Failure; readonly token?: OAuthToken }

/** Runs `authgraph status`. Returns the exit code. */
export async function status(options: StatusOptions): Promise<number> {
  if (options.names) {
    writerTo(process.stdout, options).print(...profileNames())
    return 0
  }
  const [current] = allProfiles()
  const damaged = options.profile ? [] : damagedProfiles()
  const isOne = options.profile || (!current && damaged.length === 0)
  const profiles = isOne ? [profileOrCurrent(options.profile)] : allProfiles()
  const fetch = await environmentFetch()
  const states = await Promise.all(profiles.map((profile) => loginStateOf(profile, fetch)))
  const writer = writerTo(process.stdout, options)
  for (const [index, profile] of profiles.entries()) {
    const state = states[index] as LoginState
    const place = (await tokenStore(profile.store)).place(profile.name)
    const shown = { profile, state, place, isCurrent: profile.name === current?.name }
    if (options.json) writer.stream.write(`${visibleJson(asEvent(shown))}\n`)
    else show(writer, shown)
  }
  for (const { name, error } of damaged) {
    const { event, lines } = failure(error, writer.stream)
    if (options.json) writer.stream.write(`${visibleJson({ profile: name, error: event })}\n`)
    else writer.print(...lines, '')
  }
  return damaged.length === 0 && states.every((state) => !('error' in state)) ? 0 : 1
}

async function loginStateOf(profile: NamedProfile, fetch: typeof globalThis.fetch): Promise<LoginState> {
  try {
    const { token } = await usableLogin(profile, fetch)
    const response = await whoIs(token, { provider: await providerAt(profile.address, fetch), fetch })
    return isFailure(response) ? { error: response, token } : { user: response, token }
  } catch (error) {
    if (isFailure(error)) return { error }
    throw error
  }
}

function hasApi({ address }: NamedProfile): boolean {
  return 'host' in address
}

interface Shown {
  readonly profile: NamedProfile
  readonly state: LoginState
  readonly place: string
  readonly isCurrent: boolean
}

function asEvent({ profile, state, place, isCurrent }: Shown): object {
  const { token } = state
  return {
    profile: profile.name,
    current: isCurrent,
    host: authOrigin(profile.address).host,
    tried: hasApi(profile),
    ...('error' in state ? { error: failure(state.error, {}).event } : { user: state.user }),
    ...(token && {
      scopes: token.scopes,
      expiresAt: token.expiresAt,
      renewable: token.refreshToken !== undefined,
    }),
    store: profile.store,
    place,
  }
}

function show({ print, stream }: Writer, { profile, state, place, isCurrent }: Shown): void {
  const { token } = state
  const isGood = !('error' in state)
  const isTried = hasApi(profile)
  const lines: Line[] = [
    [
      isGood ? (isTried ? styled('green', '✓') : styled('yellow', '●')) : styled('red', '✗'),
      ' ',
      styled('bold', profile.name),
      ...(isCurrent ? [styled('dim', ' (current)')] : []),
    ],
    ...(isGood
      ? [`  user        ${isTried ? (state.user ?? 'not reported by this service') : NOT_CHECKED}`]
      : // The mark is already in front of the name.
        failure(state.error, stream).lines.map((line) =>
          typeof line === 'string' ? line : [' ', ...line.slice(1)],
        )),
    `  host        ${authOrigin(profile.address).host}`,
    ...(token
      ? [`  scopes      ${token.scopes.join(', ') || 'none'}`, `  valid       ${validityOf(token)}`]
      : []),
    `  stored in   ${place}`,
    '',
  ]
  print(...lines)
}
