import { BusyError } from '../../errors.ts'
import type { OAuthToken } from '../../protocol/oauth-record.ts'
import { type SessionView, viewOfSession } from '../../session/view-of-session.ts'
import { failure } from '../../terminal/failure.ts'
import { type Line, styled, visibleJson, type Writer, writerTo } from '../../terminal/writer.ts'
import { type Failure, isFailure } from '../command-error.ts'
import { commandTexts } from '../command-texts.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin } from '../network/service-address.ts'
import { whoIs } from '../network/who-is.ts'
import { placeOf } from '../storage/login-stores.ts'
import { providerOf, validToken, withSession } from '../storage/open-session.ts'
import {
  allProfiles,
  damagedProfiles,
  type NamedProfile,
  profileNames,
  profileOrCurrent,
} from '../storage/saved-profiles.ts'
import { validityOf } from '../storage/validity.ts'

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
  | { readonly user: string | undefined; readonly token: OAuthToken; readonly view: SessionView }
  | { readonly error: Failure; readonly token?: OAuthToken; readonly view?: SessionView }

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
    const shown = { profile, state, isCurrent: profile.name === current?.name }
    if (options.json) writer.stream.write(`${visibleJson(asEvent(shown))}\n`)
    else show(writer, shown)
  }
  for (const { name, error } of damaged) {
    const { event, lines } = failure(error, writer.stream, commandTexts)
    if (options.json) writer.stream.write(`${visibleJson({ profile: name, error: event })}\n`)
    else writer.print(...lines, '')
  }
  return damaged.length === 0 && states.every((state) => !('error' in state)) ? 0 : 1
}

async function loginStateOf(profile: NamedProfile, fetch: typeof globalThis.fetch): Promise<LoginState> {
  try {
    const { token, view } = await withSession(profile, fetch, async (session) => ({
      token: await validToken(session, profile),
      view: viewOfSession(session.actor.getSnapshot(), Date.now()),
    }))
    const response = await whoIs(token, { provider: await providerOf(profile, fetch), fetch })
    return isFailure(response) ? { error: response, token, view } : { user: response, token, view }
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
  readonly isCurrent: boolean
}

function asEvent({ profile, state, isCurrent }: Shown): object {
  const { token, view } = state
  const pid = holderOf(state)
  return {
    profile: profile.name,
    current: isCurrent,
    host: authOrigin(profile.address).host,
    tried: hasApi(profile),
    ...('error' in state ? { error: failure(state.error, {}, commandTexts).event } : { user: state.user }),
    ...(token && {
      scopes: token.scopes,
      expiresAt: token.expiresAt,
      renewable: token.refreshToken !== undefined,
    }),
    ...(view && { stored: view.isStored }),
    ...(pid !== undefined && { heldBy: pid }),
    store: profile.store,
    place: placeOf(profile.store, profile.name),
  }
}

/** The process that renews the login and does not finish. */
function holderOf(state: LoginState): number | undefined {
  return 'error' in state && state.error instanceof BusyError ? state.error.pid : state.view?.busy?.pid
}

function show({ print, stream }: Writer, { profile, state, isCurrent }: Shown): void {
  const { token, view } = state
  const pid = holderOf(state)
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
        failure(state.error, stream, commandTexts).lines.map((line) =>
          typeof line === 'string' ? line : [' ', ...line.slice(1)],
        )),
    `  host        ${authOrigin(profile.address).host}`,
    ...(token
      ? [`  scopes      ${token.scopes.join(', ') || 'none'}`, `  valid       ${validityOf(token)}`]
      : []),
    ...(pid === undefined ? [] : [`  held by     process ${pid}, which is renewing it`]),
    `  stored in   ${placeOf(profile.store, profile.name)}`,
    ...(view?.isStored === false ? ['  not stored  the new token: the store cannot be written'] : []),
    '',
  ]
  print(...lines)
}
