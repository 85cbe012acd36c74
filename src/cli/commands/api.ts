import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ApiError } from '../../auth/api-error.ts'
import { type AppAuth, app } from '../../auth/app.ts'
import type { Auth, HasForm } from '../../auth/auth.ts'
import { basic } from '../../auth/basic.ts'
import { type CreateApiOptions, createApi } from '../../auth/create-api.ts'
import { installation } from '../../auth/installation.ts'
import { none } from '../../auth/none.ts'
import { oauth } from '../../auth/oauth.ts'
import { personalToken } from '../../auth/personal-token.ts'
import { readWait } from '../../auth/rate-limit.ts'
import { addressAt, withAuth } from '../../auth/with-auth.ts'
import { BadOptionError, LoginRequiredError, UnreachableError } from '../../errors.ts'
import { isBrokenBody, type NamedRequest, nameRequest, requestFailure } from '../../request/name-request.ts'
import { failure } from '../../terminal/failure.ts'
import { type Line, type Styled, styled, visibleJson, type Writer, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError, isFailure } from '../command-error.ts'
import { credentialAdvice, movedAdvice, textsOf } from '../command-texts.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { authOrigin, DEFAULT_ADDRESS, isSameService, providerAt } from '../network/service-address.ts'
import { bearerToken, tokenAuth } from '../network/token-auth.ts'
import { errorWriter } from '../print-error.ts'
import {
  environmentToken,
  findProfile,
  loginError,
  type NamedProfile,
  profileOrCurrent,
  savedProfiles,
} from '../storage/profiles.ts'
import { providerOf, validToken, withSession, withToken } from '../storage/saved-logins.ts'
import { numberOrName } from './jwt.ts'
import { readSecret } from './secret-source.ts'
import { profileName, readHost } from './values.ts'

type AuthForm = 'none' | 'basic' | 'personal' | 'app' | 'installation' | 'oauth'

interface ApiCommandOptions {
  readonly auth: AuthForm
  readonly profile?: string
  readonly host?: string
  readonly user?: string
  readonly secret?: string
  readonly appId?: string
  readonly key?: string
  readonly installationId?: string
  readonly method?: string
  readonly field?: [string, string][]
  readonly header?: [string, string][]
  readonly include?: true
  readonly paginate?: true
  readonly color: boolean
}

const LINE_BREAK = 0x0a

/** What the library calls a credential that a header cannot carry. */
const CREDENTIAL = /^the (token|credentials for basic authentication)(?= contains | must )/

/** Headers that belong to the connection: `fetch` sets or refuses them. */
const OF_CONNECTION = /^(connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i

/** A token of HTTP: {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.2 RFC 9110, section 5.6.2}. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** Declares `authgraph api`. */
export function apiCommand(): Command {
  return command({
    name: 'api',
    summary: 'send an authenticated request to the API of a service',
    description:
      'Send one request to the API host and print the response: unchanged to a file or a pipe, formatted and ' +
      'without control characters on a terminal. A secret is never part of the command line: --secret and --key ' +
      'say where to read it.',
    exitCodes: { 0: 'a response with status 2xx', 1: 'any other response, or none' },
    examples: [
      'authgraph api /user',
      'authgraph api /repos/octo/hello/issues --field title=Hello',
      'authgraph api /app --auth app --app-id 12345 --key app.pem',
      'authgraph api /installation/repositories --auth installation \\\n--app-id 12345 --key app.pem --installation-id 67890',
      'authgraph api /user --auth personal --secret env:GITHUB_TOKEN --include',
      'authgraph api /user/repos --paginate | jq -r .full_name',
    ],
  })
    .argument('<path>', 'path of the API, such as /user', apiPath)
    .addOption(
      new Option('--auth <form>', 'authenticate this way').choices(Object.keys(FORMS)).default('oauth'),
    )
    .option('-p, --profile <name>', 'use this profile (default: the current login)', profileName)
    .addOption(
      new Option('--host <host>', 'call this host (default: the host of the login, or github.com)')
        .argParser(readHost)
        .conflicts('profile'),
    )
    .option('--user <name>', 'use this user name with --auth basic', userName)
    .option('--secret <place>', 'read the password or token from a file, - for standard input, or env:NAME')
    .option('--app-id <id>', 'use this app ID with --auth app or installation')
    .option('--key <place>', 'read the private key of the app from a file, - for standard input, or env:NAME')
    .option('--installation-id <id>', 'act as this installation of the app with --auth installation')
    .option('-X, --method <method>', 'use this method (default: GET, or POST with --field)', method)
    .option('-F, --field <name=value>', 'add a field to the query or the JSON body; repeatable', collect('='))
    .option('-H, --header <name:value>', 'add a request header; repeatable', header)
    .option('-i, --include', 'also print the status and headers of the response')
    .addOption(
      new Option(
        '--paginate',
        'follow all pages of a list, and print each item as one line of JSON',
      ).conflicts('include'),
    )
    .action(exitWith(api))
}

function collect(separator: string) {
  return (text: string, before: readonly [string, string][] = []): [string, string][] => {
    const at = text.indexOf(separator)
    if (at < 1) throw new InvalidArgumentError(`Expected a name and a value with ${separator} between them.`)
    return [...before, [text.slice(0, at).trim(), text.slice(at + 1)]]
  }
}

/** Refuses what would be a URL with another scheme than http or https. */
function apiPath(text: string): string {
  if (!/^(?!https?:)[a-z][\w+.-]*:/i.test(text)) return text
  throw new InvalidArgumentError(
    /^[a-z]:[\\/]/i.test(text)
      ? 'Expected a path of the API, not of a file. Git Bash changes /user into one: omit the slash, as in authgraph api user.'
      : 'Expected a path of the API, such as /user. To choose the host, use --host.',
  )
}

const headers = collect(':')

function header(text: string, before?: readonly [string, string][]): [string, string][] {
  if (/^\s*(authorization|proxy-authorization|cookie)\s*:/i.test(text))
    throw new CommandError(
      'secret_in_argument',
      'a header must not contain a credential: use --auth and --secret instead',
    )
  const named = headers(text, before)
  // `fetch` throws a TypeError for any other name or value: see RFC 9110, section 5.
  if (!named.every(([name, value]) => TOKEN.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)))
    throw new InvalidArgumentError('Expected a header name and a value on one line.')
  const [refused] = named.find(([name]) => OF_CONNECTION.test(name)) ?? []
  if (refused) throw new InvalidArgumentError(`The header ${refused} cannot be set.`)
  return named
}

function method(text: string): string {
  const method = text.toUpperCase()
  // `fetch` refuses these three.
  if (!TOKEN.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method))
    throw new InvalidArgumentError('Expected an HTTP method, such as PUT.')
  return method
}

function userName(text: string): string {
  if (text.includes(':'))
    throw new CommandError('secret_in_argument', '--user takes only the name: use --secret for the password')
  return text
}

/** The options that only some forms use. */
const OF_FORMS: Readonly<
  Record<'user' | 'secret' | 'appId' | 'key' | 'installationId', readonly AuthForm[]>
> = {
  user: ['basic'],
  secret: ['basic', 'personal', 'oauth'],
  appId: ['app', 'installation'],
  key: ['app', 'installation'],
  installationId: ['installation'],
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** They would be ignored. */
function refuseUnused(options: ApiCommandOptions): void {
  for (const [name, forms] of Object.entries(OF_FORMS))
    if (options[name as keyof typeof OF_FORMS] !== undefined && !forms.includes(options.auth))
      throw new CommandError(
        'usage',
        `--${name.replace(/(?=[A-Z])/, '-').toLowerCase()} requires --auth ${OR.format(forms)}`,
      )
}

async function api(path: string, options: ApiCommandOptions): Promise<number> {
  refuseUnused(options)
  const fetch = await environmentFetch()
  const given =
    usesLogin(options) && options.profile === undefined ? environmentToken(options.host) : undefined
  const saved = given ? undefined : savedProfileOf(options)
  const provider = saved
    ? await providerOf(saved, fetch)
    : await providerAt(given?.address ?? (options.host ? { host: options.host } : DEFAULT_ADDRESS), fetch)
  if (provider.baseUrl === undefined) {
    if (saved && usesLogin(options)) await withToken(saved, async (token) => bearerToken(token, saved.name))
    throw new CommandError(
      'no_api',
      'this service has no known API: send the request with another program, such as ' +
        `curl --oauth2-bearer "$(authgraph token --profile ${saved?.name})" URL`,
    )
  }
  const { baseUrl } = provider
  const withForm = async <Result>(run: (auth: Auth | HasForm) => Promise<Result>) => {
    if (given) return run(oauth(given.token))
    if (saved && usesLogin(options)) return withLogin(saved, fetch, run)
    return run(await FORMS[options.auth](options))
  }
  const asked = request(path, options)
  let response: Response | undefined
  try {
    if (!options.paginate) {
      response = await withForm((auth) => send(withAuth(auth, { provider, fetch }), asked, baseUrl))
      return await printResponse(response, nameOf(asked, baseUrl), options)
    }
    await withForm((auth) => printItems(asked, { auth, provider, fetch }, options))
    return 0
  } catch (error) {
    if (error instanceof BadOptionError && options.secret !== undefined)
      throw new BadOptionError(error.message.replace(CREDENTIAL, '--secret'))
    const name = given?.source ?? (usesLogin(options) ? saved?.name : undefined)
    const sent = nameRequest(nameOf(asked, baseUrl))
    const advice =
      credentialAdvice(error, sent, name, given === undefined) ??
      movedAdvice(error, sent, baseUrl) ??
      // The address is right: a part of the response came.
      (response && error instanceof UnreachableError && error.reason === 'ECONNRESET'
        ? 'Try again.'
        : undefined)
    if (advice === undefined || !isFailure(error)) throw error
    errorWriter().print(...failure(error, { ...textsOf('authgraph api'), advice: () => advice }).lines)
    return 1
  }
}

/** Prints a response, and returns the exit code. Throws {@link ApiError} after one with an error status. */
async function printResponse(
  response: Response,
  request: NamedRequest,
  options: ApiCommandOptions,
): Promise<number> {
  const { status, headers, ok } = response
  const writer = writerTo(process.stdout, options)
  const [first, ...others] = head(response)
  if (options.include) writer.print(first, ...others)
  const isEmpty = !(await printBody(writer, response).catch((error) => {
    throw isBrokenBody(error) ? requestFailure(request, error) : error
  }))
  if (status >= 400) {
    const wait = readWait({ status, headers, body: undefined }, Date.now(), 1)
    const refusal = { status, retryAfter: wait?.seconds, request: nameRequest(request) }
    throw new ApiError(refusal, { headers, body: undefined })
  }
  // A script reads the exit code; a success without a body needs no message there.
  if (!options.include && isEmpty && (process.stdout.isTTY || !ok))
    writerTo(process.stderr, options).print(['HTTP ', ...first])
  return ok ? 0 : 1
}

/** Finds the login that provides the token or the address, if one is needed. */
function savedProfileOf(options: ApiCommandOptions): NamedProfile | undefined {
  const { profile, host } = options
  if (profile !== undefined) return profileOrCurrent(profile)
  if (!usesLogin(options)) return undefined
  if (host === undefined) return profileOrCurrent(undefined)
  // A profile may have the name of one host and the address of another.
  const named = findProfile(authOrigin({ host }).host)
  const found = [named, ...savedProfiles().profiles].find(
    (profile) => profile && isSameService(profile.address, { host }),
  )
  if (found) return found
  const given = environmentToken()
  if (given === undefined)
    throw new CommandError(
      'no_login',
      `not logged in to ${host}: run authgraph login --host ${host} --client-id ID`,
    )
  const advice = given.source === 'AUTHGRAPH_TOKEN' ? 'set' : 'set AUTHGRAPH_TOKEN, and'
  throw new CommandError(
    'no_login',
    `${given.source} is for ${authOrigin(given.address).host}, not for ${host}: ${advice} AUTHGRAPH_HOST to ${host}`,
  )
}

function usesLogin({ auth, secret }: ApiCommandOptions): boolean {
  return auth === 'oauth' && secret === undefined
}

function withLogin<Result>(
  saved: NamedProfile,
  fetch: typeof globalThis.fetch,
  run: (auth: Auth | HasForm) => Promise<Result>,
): Promise<Result> {
  return withSession(saved, fetch, async (session) => {
    const token = await validToken(session, saved)
    const auth = tokenAuth(token, saved.name)
    try {
      // A token that the API refuses is refreshed once.
      return await run(token.refreshToken ? session : auth)
    } catch (error) {
      const { error: ofRefresh } = session.actor.getSnapshot().context
      throw error === ofRefresh || error instanceof LoginRequiredError ? loginError(saved.name, error) : error
    }
  })
}

const FORMS = {
  none: async () => none(),
  basic: async ({ user, secret }) => {
    if (user === undefined) throw new CommandError('usage', '--auth basic requires --user')
    return basic(user, await readSecret(requireSecret(secret), '--secret'))
  },
  personal: async ({ secret }) => personalToken(await readSecret(requireSecret(secret), '--secret')),
  app: async (options) => {
    const found = await appOf(options)
    if (found) return found
    throw new CommandError('usage', '--auth app requires --app-id and --key')
  },
  installation: async (options) => {
    const { installationId } = options
    const found = installationId !== undefined && (await appOf(options))
    if (found) return installation({ app: found, installationId })
    throw new CommandError('usage', '--auth installation requires --app-id, --key and --installation-id')
  },
  oauth: async ({ secret }) => oauth(await readSecret(requireSecret(secret), '--secret')),
} satisfies Record<AuthForm, (options: ApiCommandOptions) => Promise<Auth>>

async function appOf({ appId, key }: ApiCommandOptions): Promise<AppAuth | undefined> {
  if (!appId || key === undefined) return undefined
  return app({ appId: numberOrName(appId), privateKey: await readSecret(key, '--key') })
}

function requireSecret(secret: string | undefined): string {
  if (secret !== undefined) return secret
  throw new CommandError('usage', 'no credential: set --secret to a file, - for standard input, or env:NAME')
}

interface PreparedRequest {
  readonly path: string
  readonly init: { readonly method: string; readonly headers: Headers; readonly body?: string }
}

/** Sends fields as the query of a request without a body, and as a JSON object otherwise. */
function request(
  path: string,
  { method, field = [], header = [], paginate }: ApiCommandOptions,
): PreparedRequest {
  const verb = method ?? (field.length > 0 && !paginate ? 'POST' : 'GET')
  if (paginate && verb !== 'GET') throw new CommandError('usage', '--paginate works with the method GET only')
  const headers = new Headers(header)
  if (!headers.has('accept')) headers.set('accept', 'application/json')
  if (verb === 'GET' || verb === 'HEAD') {
    const query = new URLSearchParams(field).toString()
    return {
      path: query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path,
      init: { method: verb, headers },
    }
  }
  if (field.length === 0) return { path, init: { method: verb, headers } }
  headers.set('content-type', 'application/json')
  return { path, init: { method: verb, headers, body: JSON.stringify(Object.fromEntries(field)) } }
}

async function send(
  fetch: typeof globalThis.fetch,
  { path, init }: PreparedRequest,
  baseUrl: string,
): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    throw isFailure(error) ? error : requestFailure(nameOf({ path, init }, baseUrl), error)
  }
}

function nameOf({ path, init }: PreparedRequest, baseUrl: string): NamedRequest {
  return { method: init.method, address: addressAt(baseUrl, path).href }
}

async function printItems(
  { path, init: { headers } }: PreparedRequest,
  api: CreateApiOptions,
  options: ApiCommandOptions,
): Promise<void> {
  const [writer, log] = [writerTo(process.stdout, options), writerTo(process.stderr, options)]
  const { paginate } = createApi({
    ...api,
    onWait: ({ until }) =>
      log.print(`rate limit: waiting ${Math.ceil((until - Date.now()) / 1000)} seconds before the next page`),
  })
  for await (const item of paginate(path, { headers })) writer.print(visibleJson(item))
}

function head({ status, statusText, headers, ok }: Response): [readonly Styled[], ...Line[]] {
  return [
    [styled(ok ? 'green' : 'red', `${status} ${statusText}`)],
    ...[...headers].map(([name, value]): Line => [styled('cyan', name), `: ${value}`]),
    '',
  ]
}

/**
 * Prints a body and returns whether there was one. A terminal gets formatted JSON, without control characters; a file or
 * a pipe gets the bytes as received, with a final line break after text.
 */
async function printBody({ stream, print }: Writer, response: Response): Promise<boolean> {
  if (stream.isTTY) {
    const text = await response.text()
    if (text !== '') print(...formatJson(text).split('\n'))
    return text !== ''
  }
  let last: number | undefined
  const watched = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      last = chunk.at(-1) ?? last
      yield chunk
    }
  }
  try {
    if (response.body) await pipeline(response.body, watched, stream, { end: false })
  } finally {
    if (last !== undefined && last !== LINE_BREAK && isText(response)) stream.write('\n')
  }
  return last !== undefined
}

function isText({ headers }: Response): boolean {
  return /^(text\/|application\/([^;]*\+)?json)/i.test(headers.get('content-type') ?? '')
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.trimEnd()
  }
}
