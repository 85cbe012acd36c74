import { type ErrorCode, RedirectedError, RefusedError, UnreachableError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { exitCodeOf, USAGE_ERROR } from '../terminal/exit-codes.ts'
import { type Failure, isExplained, type TerminalTexts, terminalTexts } from '../terminal/texts.ts'
import { type CommandErrorCode, NotRefreshedError } from './command-error.ts'
import { connectionAdvice } from './network/connection-advice.ts'
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
  secret_in_argument: 'Treat the secret as leaked, and revoke it.',
  no_keyring: 'Unlock it, or use --store file: a plain-text file that only you can read.',
}

/** The commands that take a client, and the address of a service or its endpoints. */
const TAKE_ENDPOINTS: readonly string[] = ['authgraph login', 'authgraph check']

/** What the user can do if there is another service at the address, or at the endpoints that were given. */
const CHECK_ADDRESS = process.argv.some((word) => word.startsWith('--token-endpoint'))
  ? 'Check --device-authorization-endpoint and --token-endpoint.'
  : 'Check the address, or, for a service with other paths, use --device-authorization-endpoint and --token-endpoint.'

const CHECK_SERVER_URL = 'Check the URL of the MCP server.'

const CHECK_SERVER = process.argv.some((word) => word.startsWith('--client-id'))
  ? 'Check the URL of the MCP server, --issuer and --client-id.'
  : CHECK_SERVER_URL

/** What the user can do if the service refuses a login or a check. */
const REFUSED: Readonly<Record<number, string>> = {
  400: 'Check the client ID and the scopes.',
  401: 'Check the client ID.',
  404: `Check the client ID. ${CHECK_ADDRESS}`,
  415: `The service accepts neither a form nor JSON. ${CHECK_ADDRESS}`,
}

/** The same for a login: a form is not sent again as JSON after status 400, and not at all if the user chose JSON. */
const LOGIN_REFUSED: Readonly<Record<string, typeof REFUSED>> = {
  form: { ...REFUSED, 400: `${REFUSED[400]} If the server reads only JSON, use --encoding json.` },
  json: {
    ...REFUSED,
    415: 'The service does not accept JSON: run the command again without --encoding.',
  },
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

/** What the user can do after a redirect to another host, if it is not a login. */
const CHANGE_HOST: Readonly<Record<string, string>> = {
  'authgraph login': 'use --host HOST, or its URLs in --issuer or the endpoints',
  'authgraph api': 'use --host HOST',
  'authgraph check': 'run the command with its URL',
  'authgraph mcp': 'use the URL of the MCP server there',
  'authgraph mcp login': 'use the URL of the MCP server there',
}

/** What is known about a login when it fails. */
interface KnownLogin {
  readonly isResumed?: boolean | undefined
  /** Tells whether the service has issued codes: then the address is right. */
  readonly hasCodes?: () => boolean
  /** That which the user chose. */
  readonly encoding?: Provider['encoding'] | undefined
}

/**
 * The texts of a command. Its advice names no option that it does not have.
 *
 * @param command Its name, such as `authgraph login`.
 * @param login What is known about the login.
 */
export function textsOf(command: string, login: KnownLogin = {}): TerminalTexts {
  return {
    ...terminalTexts,
    keys: { ...terminalTexts.keys, stop: 'pauses the login' },
    message: (error) => inOptions(terminalTexts.message(error)),
    advice: (error) =>
      exitCodeOf(error) === USAGE_ERROR && error.code !== 'bad_proxy'
        ? [ADVICE[error.code as Code] ?? [], `See: ${command} --help`].flat().join('\n')
        : adviceOf(error, command, login),
  }
}

/** What the user can do if a service rejects a token: that of a profile, or of a variable. */
export function replaceAdvice(name: string, isSaved: boolean): string {
  return isSaved ? `Run authgraph login --profile ${name}.` : `Replace the token in ${name}.`
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
  return `The redirect leads to ${path}: if you trust it, run the command with that path.`
}

function adviceOf(error: Failure, command: string, login: KnownLogin): string {
  const { hasCodes = () => false, encoding = 'form' } = login
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (error instanceof UnreachableError) return connectionAdvice(error.reason)
  if (error instanceof RefusedError && CODE_ENDED.includes(error.error) && hasCodes()) return ADVICE.expired
  if (error instanceof RefusedError) return isExplained(error) ? '' : refusalAdvice(error, command, encoding)
  if (error instanceof RedirectedError) return redirectAdvice(error, command)
  if (login.isResumed && (error.code === 'denied' || error.code === 'expired'))
    return 'To start again, run authgraph login with the options that you first used.'
  if (error instanceof NotRefreshedError) return adviceOf(error.cause, '', login) || refreshAdvice(error)
  if (command === 'authgraph login' && error.message.startsWith('the server ignored DPoP'))
    return 'To accept an unbound token, run the command without --dpop.'
  const isOtherService = error.code === 'bad_response' || error.code === 'response_too_large'
  if (isOtherService && TAKE_ENDPOINTS.includes(command) && !hasCodes())
    return `${CHECK_ADDRESS} In a network with a login page, sign in there first.`
  if (isOtherService && command === 'authgraph mcp login') return serverAdvice(error)
  return ADVICE[error.code as Code] ?? ''
}

/** Some messages say what to do, after a colon. */
function serverAdvice({ message }: Pick<Failure, 'message'>): string {
  return message.includes(': ') ? '' : CHECK_SERVER
}

function refreshAdvice({ cause, profile }: NotRefreshedError): string {
  if (cause instanceof RefusedError && CLIENT_CODES.includes(cause.error))
    return `Run authgraph login --profile ${profile} --client-id ID with the client ID of your OAuth app.`
  const start =
    cause instanceof RefusedError ? 'Try again.' : 'Check the connection and any proxy, then try again.'
  return `${start} If that fails too, run authgraph login --profile ${profile}.`
}

function redirectAdvice({ host, path }: RedirectedError, command: string): string {
  if (host === undefined)
    return path === undefined ? '' : `The redirect leads to ${path}. ${pathAdvice(command)}`.trimEnd()
  const change = CHANGE_HOST[command] ?? `log in there with authgraph login --host ${host}`
  const trusted = `If you trust that host, ${change.replace('HOST', host)}.`
  return `${trusted} If it is the login page of a network, open it in a browser.`
}

function pathAdvice(command: string): string {
  if (command.startsWith('authgraph mcp')) return CHECK_SERVER_URL
  return TAKE_ENDPOINTS.includes(command) ? CHECK_ADDRESS : ''
}

function refusalAdvice(
  { status, retryAfter, description, message }: RefusedError,
  command: string,
  encoding: Provider['encoding'],
): string {
  if (status >= 500) return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  // GitHub limits requests with status 403, too.
  if (status === 429 || (status === 403 && retryAfter !== undefined))
    return `Too many requests: try again ${whenToRetry(retryAfter)}.`
  if (command === 'authgraph api' && status === 401) return 'Check --auth, and the credential that it uses.'
  if (command === 'authgraph api' && status === 404 && message.includes('/access_tokens) '))
    return 'Check --installation-id, --app-id and --host.'
  if (command === 'authgraph mcp login' && !description) return serverAdvice({ message })
  if (!TAKE_ENDPOINTS.includes(command)) return ''
  // The description by the service says more than a guess.
  const { [status]: advice = '' } = (command === 'authgraph login' && LOGIN_REFUSED[encoding]) || REFUSED
  if (advice || description) return advice
  return 'Check the client ID, the scopes, and that the settings of the OAuth app allow the device flow.'
}

function proxyAdvice({ status, proxy }: ProxyError): string {
  const { source, protocol, host, hasPassword } = proxy
  if (status === 407 && hasPassword)
    return `Correct them in ${source}. Write special characters percent-encoded, such as @ as %40.`
  if (status === 407) {
    const start = source === '--proxy' ? 'Remove --proxy, and set' : 'Set'
    const variable = source === '--proxy' ? 'HTTPS_PROXY' : source
    return `${start} ${variable} to ${protocol}//USER:PASSWORD@${host}`
  }
  if (status !== undefined && status >= 500)
    return 'Check the address, or ask the administrator of the proxy.'
  return `Check ${source}. To bypass the proxy, add the host to NO_PROXY.`
}

function whenToRetry(seconds: number | undefined): string {
  if (seconds === undefined) return 'in a few minutes'
  if (seconds <= 120) return `in ${Math.ceil(seconds)} s`
  return seconds <= 7200 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`
}
