import { type Command, Option } from 'commander'
import { RedirectedError, RefusedError } from '../../errors.ts'
import { viewOfSession } from '../../session/view-of-session.ts'
import { failure } from '../../terminal/failure.ts'
import { type LoginFacts, loginEvent, loginLines } from '../../terminal/login-facts.ts'
import type { Failure, TerminalTexts } from '../../terminal/texts.ts'
import { userAddressOf } from '../../terminal/who-is.ts'
import { type Line, visibleJson, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { isFailure, type ReportedError } from '../command-error.ts'
import { replaceAdvice, textsOf } from '../command-texts.ts'
import { askWho } from '../network/ask-who.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { httpFetch } from '../network/http-fetch.ts'
import { authOrigin, providerAt } from '../network/service-address.ts'
import {
  currentProfile,
  type EnvironmentToken,
  environmentToken,
  type NamedProfile,
  profileNames,
  profileOrCurrent,
  savedProfiles,
} from '../storage/profiles.ts'
import { placeOf, providerOf, validToken, withSession } from '../storage/saved-logins.ts'
import type { StoreName } from '../storage/store-names.ts'
import { profileName } from './values.ts'

interface StatusOptions {
  readonly profile?: string
  readonly json?: true
  readonly names?: true
  readonly color: boolean
}

/** A saved login, or a token in the environment, which has no `store`; and what its service says about it. */
interface Login extends LoginFacts {
  readonly store?: StoreName
  readonly error?: ReportedError | undefined
}

const texts = textsOf('authgraph status')

/** Declares `authgraph status`. */
export function statusCommand(): Command {
  return command({
    name: 'status',
    summary: 'show who is logged in, where, with which scopes and until when',
    description:
      'Check each login with its service and show the user, the scopes, the expiry and where the token is stored, but ' +
      'not the token. Also show whether a login has ended, and any process stuck refreshing it. ' +
      'A login with --issuer or with explicit endpoints can only be checked if the metadata of the issuer names a ' +
      'userinfo endpoint.',
    exitCodes: {
      0: 'every login that can be checked works',
      1: 'a login does not work, or nobody is logged in',
    },
    examples: ['authgraph status', 'authgraph status --profile work --json'],
  })
    .option('-p, --profile <name>', 'show only this profile (default: all)', profileName)
    .option('--json', 'print one JSON object per login')
    .addOption(
      new Option('--names', 'print only the profile names, without sending a request').conflicts([
        'json',
        'profile',
      ]),
    )
    .action(exitWith(status))
}

async function status(options: StatusOptions): Promise<number> {
  if (options.names) {
    writerTo(process.stdout, options).print(...profileNames())
    return 0
  }
  const given = options.profile ? undefined : environmentToken()
  const saved = savedProfiles()
  const damaged = options.profile ? [] : saved.damaged
  const isOne = options.profile || (saved.profiles.length === 0 && damaged.length === 0 && !given)
  const profiles = isOne ? [profileOrCurrent(options.profile)] : saved.profiles
  const current = currentProfile()
  const fetch = await environmentFetch(httpFetch)
  const logins = await Promise.all([
    ...(given ? [environmentLogin(given, fetch)] : []),
    ...profiles.map((profile) => savedLogin(profile, fetch)),
  ])
  const writer = writerTo(process.stdout, options)
  const error = current instanceof Error ? current : undefined
  const isListed = damaged.some((one) => one.error.message === error?.message)
  const failures: readonly { readonly name?: string; readonly error: ReportedError }[] = [
    ...damaged,
    // The working directory selects a login that cannot be used.
    ...(error && profiles.length > 0 && !isListed && !options.profile ? [{ error }] : []),
  ]
  const currentName = current instanceof Error ? isListed && saved.profiles[0]?.name : current.name
  const print = (event: object, lines: readonly Line[]) =>
    options.json ? writer.stream.write(`${visibleJson(event)}\n`) : writer.print(...lines, '')
  for (const login of logins) {
    const { name, store } = login
    const isCurrent = given ? store === undefined : name === currentName
    const source = store ? { profile: name, store } : { source: name }
    const own = textsFor(login)
    const shown = { texts: own, mark: isCurrent ? ' (current)' : '' }
    print({ ...source, current: isCurrent, ...loginEvent(login, own) }, loginLines(login, shown))
  }
  for (const { name, error } of failures) {
    const { event, lines } = failure(error, texts)
    print({ ...(name && { profile: name }), error: event }, lines)
  }
  return failures.length === 0 && logins.every((login) => login.error === undefined) ? 0 : 1
}

/** A token that the service rejects can only be replaced. */
function textsFor({ name, store }: Login): TerminalTexts {
  const advice = (error: Failure) => {
    const isVariable = name === 'AUTHGRAPH_TOKEN'
    const checkHost = isVariable
      ? 'Check that AUTHGRAPH_HOST names the right host.'
      : 'Check the host of the login.'
    if (error instanceof RedirectedError && error.host === undefined) return checkHost
    if (error instanceof RedirectedError && isVariable)
      return `If you trust that host, set AUTHGRAPH_HOST to ${error.host}.`
    if (!(error instanceof RefusedError)) return texts.advice(error)
    if (error.status === 401) return replaceAdvice(name, store !== undefined)
    if ([404, 405, 410, 501].includes(error.status))
      return isVariable ? checkHost : 'The service may not have this path: the token may still be valid.'
    const advice = texts.advice(error)
    if (error.status !== 403 || advice) return advice
    return 'The token may still be valid: check its scopes, and the access rules of the service.'
  }
  return { ...texts, advice }
}

async function savedLogin(profile: NamedProfile, fetch: typeof globalThis.fetch): Promise<Login> {
  const { name, address, store } = profile
  const { host } = authOrigin(address)
  const provider = await providerOf(profile, fetch)
  const isChecked = userAddressOf(provider) !== undefined
  const login = { name, host, store, place: placeOf(store, name), isChecked }
  try {
    const { token, view } = await withSession(profile, fetch, async (session) => ({
      token: await validToken(session, profile),
      view: viewOfSession(session.actor.getSnapshot(), Date.now()),
    }))
    return { ...login, token, view, ...(await askWho(token, name, { provider, fetch })) }
  } catch (error) {
    if (isFailure(error)) return { ...login, error }
    throw error
  }
}

async function environmentLogin(
  { source, address, token: accessToken }: EnvironmentToken,
  fetch: typeof globalThis.fetch,
): Promise<Login> {
  const token = { accessToken, tokenType: 'bearer', scopes: [], missingScopes: [] }
  const { host } = authOrigin(address)
  const found = await askWho(token, source, { provider: await providerAt(address, fetch), fetch })
  return { name: source, host, place: `the environment variable ${source}`, isChecked: true, ...found }
}
