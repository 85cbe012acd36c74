import { ApiError } from '../auth/api-error.ts'
import { type ErrorCode, RedirectedError, RefusedError, UnreachableError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { exitCodeOf, USAGE_ERROR } from '../terminal/exit-codes.ts'
import { type Failure, isExplained, type TerminalTexts, terminalTexts } from '../terminal/texts.ts'
import { type CommandErrorCode, NotRefreshedError, SealedLoginError, withoutAdvice } from './command-error.ts'
import { CERTIFICATE, connectionAdvice, HANDSHAKE } from './network/connection-advice.ts'
import { ProxyError } from './network/proxy-error.ts'
import { inOptions } from './option-names.ts'

type Code = ErrorCode | CommandErrorCode

/** What the user of any command can do. Every other message says so itself. */
const ADVICE: Partial<Record<Code, string>> & { readonly expired: string } = {
  denied: 'No token was issued. Run the command again if this was a mistake.',
  expired: 'Run the command again to get a new code.',
  timed_out: 'Try again later. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  key_unreadable: '--key takes the name of a PEM file, - for standard input, or env:NAME for a variable.',
  bad_app_id: 'Set --app-id to the ID shown in the settings of the app.',
  secret_in_argument: 'Treat the secret as leaked: revoke it, unless it expires soon.',
}

/** The commands that take a client, and the address of a service or its endpoints. */
const TAKE_ENDPOINTS: readonly string[] = ['authgraph login', 'authgraph check']

const CHECK_SERVER_URL = 'Check the URL of the MCP server.'

const OF_NETWORK =
  'A firewall, a proxy or the login page of a network may have responded in place of the service: open its host in a browser.'

/** Said of metadata that is otherwise valid, and so not the login page of a network. */
const NO_DEVICE_FLOW = / has no "device_authorization_endpoint": /

const SIGN_IN = 'In a network with a login page, sign in there first.'

/** What the user can check if an API rejects the credential of an option, by form of authentication. */
const OF_CREDENTIAL: Readonly<Record<string, string>> = {
  none: 'The path requires authentication: choose a form with --auth.',
  basic: 'Check --user and --secret.',
  app: 'Check that --key is a key of the app in --app-id.',
  installation: 'Check that --key is a key of the app in --app-id.',
}

/** The error codes after which a login needs a new code. */
const CODE_ENDED: readonly (string | undefined)[] = [
  'invalid_grant',
  'incorrect_device_code',
  'bad_verification_code',
]

/** The error codes after which a refresh with the same client ID fails again. */
const CLIENT_CODES: readonly (string | undefined)[] = [
  'invalid_client',
  'incorrect_client_credentials',
  'unauthorized_client',
]

/** What services say instead of status 429. */
const TOO_MANY = /^(slow_down$|rate_limit)/

/** The hosts of GitHub itself: their paths are right. */
const GITHUB_HOST = /^github\.com$|\.ghe\.com$/

/** What the user can do after a redirect to another host, if it is not a login. */
const CHANGE_HOST: Readonly<Record<string, string>> = {
  'authgraph login': 'use --host HOST, or name it in --issuer or in the endpoint options',
  'authgraph api': 'use --host HOST',
  'authgraph check': 'run the command with its URL',
  'authgraph mcp': 'use the URL of the MCP server there',
  'authgraph mcp login': 'use the URL of the MCP server there',
}

/** The options of the command, and what else is known about a login when it fails. */
interface KnownLogin {
  readonly auth?: string
  readonly host?: string
  readonly issuer?: string
  readonly resume?: boolean
  readonly encoding?: Provider['encoding']
  readonly tokenEndpoint?: string
  readonly clientId?: string
  readonly store?: string
  /** Tells whether the service has issued codes: then the address is right. */
  readonly hasCodes?: () => boolean
}

/**
 * The texts of a command. Its advice names no option that it does not have.
 *
 * @param command Its name, such as `authgraph login`.
 * @param login Its options.
 */
export function textsOf(command: string, login: KnownLogin = {}): TerminalTexts {
  return {
    ...terminalTexts,
    keys: { ...terminalTexts.keys, stop: 'pauses the login' },
    message: (error) => {
      const message = withPath(terminalTexts.message(error), error)
      return inOptions(needsSecret(error, login) ? withoutAdvice(message) : message)
    },
    advice: (error) =>
      exitCodeOf(error) === USAGE_ERROR && error.code !== 'bad_variable'
        ? [ADVICE[error.code as Code] ?? [], `See: ${command} --help`].flat().join('\n')
        : adviceOf(error, command, login),
  }
}

/** The message of a redirect with its path, which that of the library does not contain. */
function withPath(message: string, error: Failure): string {
  const { path } = [error, error.cause].find((each) => each instanceof RedirectedError) ?? {}
  return path === undefined
    ? message
    : message.replace('responded with a redirect', () => `redirects to ${path}`)
}

/** What the user can do if a service rejects a token: that of a profile, or of a variable. */
export function replaceAdvice(name: string, isSaved: boolean, options = ''): string {
  return isSaved ? `Run authgraph login --profile ${name}${options}.` : `Replace the token in ${name}.`
}

/**
 * What the user can do if an API refuses a credential. GitHub says it in headers.
 *
 * @param request The one that was sent for the user. Another is for the token of an installation.
 * @param name The profile or the variable of the token, if it is from one.
 * @see {@link https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps GitHub: scopes}
 */
export function credentialAdvice(
  error: unknown,
  request: string,
  name: string | undefined,
  isSaved: boolean,
): string | undefined {
  if (!(error instanceof ApiError && error.message.includes(` (${request}) `))) return undefined
  const { headers, status, retryAfter } = error
  if (status === 401 && name !== undefined) return replaceAdvice(name, isSaved)
  if ((status !== 403 && status !== 404) || retryAfter !== undefined) return undefined
  const [, url] = /\burl=(https:\/\/[\w.~/?=&%-]+)/.exec(headers.get('x-github-sso') ?? '') ?? []
  if (url) return `Authorize the token for the organization: open ${url}`
  const [accepted, granted] = ['x-accepted-oauth-scopes', 'x-oauth-scopes'].map((header) =>
    headers.get(header)?.match(/[\w:]+/g),
  )
  // The tokens of GitHub Apps have no scopes.
  if (accepted && granted && !accepted.some((scope) => granted.includes(scope))) {
    // A login requests these scopes only.
    const scopes = [...granted, accepted.length > 1 ? 'SCOPE' : accepted].join(',')
    const replace = name === undefined ? '' : ` ${replaceAdvice(name, isSaved, ` --scopes ${scopes}`)}`
    const [needed] = accepted.length > 1 ? [`one of ${accepted.join(', ')}`] : accepted
    return `The token may lack a scope: the request accepts ${needed}.${replace}`
  }
  return status === 404 && headers.has('x-github-request-id')
    ? 'Check the path. GitHub also responds with 404 if the credential has no access.'
    : undefined
}

/**
 * Where the path of an API is now, such as that of a renamed repository.
 *
 * @param request The one that was sent for the user. A redirect of any other says nothing about its path.
 * @param baseUrl That which the command adds.
 */
export function movedAdvice(error: unknown, request: string, baseUrl: string): string | undefined {
  if (!(error instanceof RedirectedError) || error.path === undefined) return undefined
  if (!error.message.startsWith(`${request} `)) return undefined
  const base = withoutSlash(new URL(baseUrl).pathname)
  const path = error.path.startsWith(`${base}/`) ? error.path.slice(base.length) : error.path
  return `If you trust the redirect, run the command with the path ${path}.`
}

function adviceOf(error: Failure, command: string, login: KnownLogin): string {
  const { hasCodes = () => false } = login
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (error instanceof UnreachableError)
    return hasCodes() ? connectionAdvice(error.reason) : schemeAdvice(error, login)
  if (error instanceof RefusedError && CODE_ENDED.includes(error.error) && hasCodes()) return ADVICE.expired
  if (needsSecret(error, login))
    return 'The app seems to require a client secret, which this command does not send: make it a public client in its settings.'
  if (error instanceof RefusedError) return isExplained(error) ? '' : refusalAdvice(error, command, login)
  if (error instanceof RedirectedError) return redirectAdvice(error, command, login)
  if (login.resume && (error.code === 'denied' || error.code === 'expired'))
    return 'To start again, run authgraph login with the options that you first used.'
  if (error instanceof NotRefreshedError) return adviceOf(error.cause, '', login) || refreshAdvice(error)
  if (error.code === 'no_keyring') return keyringAdvice(error, command, login)
  const isOtherService = error.code === 'bad_response' || error.code === 'response_too_large'
  if (isOtherService && TAKE_ENDPOINTS.includes(command) && !hasCodes())
    return NO_DEVICE_FLOW.test(error.message) ? checkAddress(login) : `${checkAddress(login)} ${SIGN_IN}`
  if (isOtherService && command === 'authgraph status') return SIGN_IN
  if (isOtherService && command === 'authgraph mcp login') return serverAdvice(error, login)
  return ADVICE[error.code as Code] ?? ''
}

/** A service that has issued codes knows the client ID: what it refuses is a client without a secret. */
function needsSecret(error: Failure, { hasCodes = () => false }: KnownLogin): boolean {
  return error instanceof RefusedError && error.error === 'invalid_client' && hasCodes()
}

/** What the user can do if there is another service at the address, or at the endpoints that were given. */
function checkAddress({ tokenEndpoint }: KnownLogin): string {
  return tokenEndpoint
    ? 'Check --device-authorization-endpoint and --token-endpoint.'
    : 'Check the address, or, for a service with other paths, use --device-authorization-endpoint and --token-endpoint.'
}

/** Most messages with a colon say what to do. */
function serverAdvice({ message }: Pick<Failure, 'message'>, { clientId }: KnownLogin): string {
  if (NO_DEVICE_FLOW.test(message)) return 'Ask the operator of the issuer to allow the device flow.'
  if (message.includes(': ')) return ''
  return clientId ? 'Check the URL of the MCP server, --issuer and --client-id.' : CHECK_SERVER_URL
}

/** A login that is in the keyring can be replaced without it, but not read. */
function keyringAdvice(error: Failure, command: string, { store, clientId, resume }: KnownLogin): string {
  if (command === 'authgraph logout') return 'Start and unlock the keyring, and run the command again.'
  if (command.startsWith('authgraph mcp') || resume || clientId)
    return 'Use --store file, a plain-text file that only you can read, or start and unlock the keyring.'
  if (error instanceof SealedLoginError && command !== 'authgraph login')
    return `Start and unlock the keyring, or run authgraph login --profile ${error.profile} --store file --client-id ID.`
  return store === 'file'
    ? 'The client ID of the last login is in the keyring: add --client-id ID, or start and unlock the keyring.'
    : 'Use --store file, a plain-text file that only you can read, with --client-id ID. Or start and unlock the keyring.'
}

function refreshAdvice({ cause, profile }: NotRefreshedError): string {
  if (cause instanceof RefusedError && CLIENT_CODES.includes(cause.error))
    return `Run authgraph login --profile ${profile} --client-id ID with the client ID of your OAuth app.`
  const start =
    cause instanceof RefusedError ? 'Try again.' : 'Check the connection and any proxy, then try again.'
  return `${start} If that fails too, run authgraph login --profile ${profile}.`
}

/** The scheme of a loopback address is http unless it is given. That of any other host is https. */
function schemeAdvice({ reason = '' }: UnreachableError, login: KnownLogin): string {
  const { host } = login
  if (host?.startsWith('https:') && HANDSHAKE.test(reason))
    return `If the port serves http, use --host ${host.replace('https', 'http')}.`
  const useHttps = httpsAdvice(login)
  if (useHttps && reason === 'ECONNRESET') return `Try again. ${useHttps}`
  return useHttps && reason.startsWith('HPE_')
    ? `The response is not valid HTTP. ${useHttps}`
    : connectionAdvice(reason)
}

function httpsAdvice({ host }: KnownLogin): string | undefined {
  return host?.startsWith('http:')
    ? `If the port serves https, use --host ${host.replace('http', 'https')}.`
    : undefined
}

function redirectAdvice({ host }: RedirectedError, command: string, login: KnownLogin): string {
  if (host === undefined) return pathAdvice(command, login)
  const change = CHANGE_HOST[command] ?? `log in there with authgraph login --host ${host} --client-id ID`
  const trusted = `If you trust that host, ${change.replace('HOST', host)}.`
  return `${trusted} If it is the login page of a network, open it in a browser.`
}

function pathAdvice(command: string, login: KnownLogin): string {
  if (command.startsWith('authgraph mcp')) return CHECK_SERVER_URL
  return TAKE_ENDPOINTS.includes(command) ? checkAddress(login) : ''
}

function refusalAdvice(
  { status, retryAfter, error, description, message }: RefusedError,
  command: string,
  login: KnownLogin,
): string {
  const takesClient = TAKE_ENDPOINTS.includes(command) || command === 'authgraph mcp login'
  const isPage = !error && !description
  // Services refuse a client with an error code, and APIs a token with status 403.
  if (
    status === 407 ||
    status === 511 ||
    (status === 403 && takesClient && isPage && retryAfter === undefined)
  )
    return OF_NETWORK
  if (status >= 500 && status !== 501)
    return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  // GitHub limits requests with status 403, too.
  if (status === 429 || (status === 403 && retryAfter !== undefined) || TOO_MANY.test(error ?? ''))
    return `Too many requests: try again ${whenToRetry(retryAfter)}.`
  if (command === 'authgraph api' && status === 401)
    return OF_CREDENTIAL[login.auth ?? ''] ?? 'Check --secret.'
  if (command === 'authgraph api' && status === 404 && message.includes('/access_tokens) '))
    return 'Check --installation-id, --app-id and --host.'
  if (command === 'authgraph mcp login' && !description) return serverAdvice({ message }, login)
  if (!TAKE_ENDPOINTS.includes(command)) return ''
  const { [status]: advice = '' } = refusedAdvice(command, login)
  const useHttps = status === 400 && isPage && httpsAdvice(login)
  if (useHttps) return `${advice} ${useHttps}`
  // The description by the service says more than a guess.
  if (advice || description) return advice
  return 'Check the client ID, the scopes, and that the settings of the OAuth app allow the device flow.'
}

/** What the user can do if the service refuses a login or a check, by status. */
function refusedAdvice(command: string, login: KnownLogin): Readonly<Record<number, string>> {
  const isJson = login.encoding === 'json'
  // After status 415 only, a form is sent again as JSON.
  const tryJson = command === 'authgraph login' && !isJson
  const { host = 'github.com', issuer, tokenEndpoint } = login
  const isGitHub = command === 'authgraph login' && !issuer && !tokenEndpoint && GITHUB_HOST.test(host)
  return {
    400: `Check the client ID and the scopes.${tryJson ? ' If the server reads only JSON, use --encoding json.' : ''}`,
    401: 'Check the client ID.',
    404: isGitHub ? 'Check the client ID.' : `Check the client ID. ${checkAddress(login)}`,
    405: checkAddress(login),
    410: checkAddress(login),
    415: isJson
      ? 'The service does not accept JSON: run the command again without --encoding.'
      : `The service accepts neither a form nor JSON. ${checkAddress(login)}`,
    501: checkAddress(login),
  }
}

function proxyAdvice({ host: requested, status, reason = '', proxy }: ProxyError): string {
  const { source, protocol, host, hasPassword } = proxy
  if (status === 407 && hasPassword)
    return `Correct them in ${source}. Write special characters percent-encoded, such as @ as %40.`
  if (status === 407) {
    const start = source === '--proxy' ? 'Remove --proxy, and set' : 'Set'
    const variable = source === '--proxy' ? 'HTTPS_PROXY' : source
    return `${start} ${variable} to ${protocol}//USER:PASSWORD@${host}, with special characters percent-encoded`
  }
  if (status !== undefined && status >= 500)
    return 'Check the address, or ask the administrator of the proxy.'
  if (HANDSHAKE.test(reason))
    return `Most proxies use http: set ${source} to http://${hasPassword ? 'USER:PASSWORD@' : ''}${host}`
  if (CERTIFICATE.test(reason)) return connectionAdvice(reason)
  return `Check ${source}. To bypass the proxy, add ${requested} to NO_PROXY.`
}

function whenToRetry(seconds: number | undefined): string {
  if (seconds === undefined) return 'in a few minutes'
  if (seconds <= 120) return `in ${Math.ceil(seconds)} s`
  return seconds <= 7200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`
}
