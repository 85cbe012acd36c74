import { type ErrorCode, RefusedError } from '../errors.ts'
import { exitCodeOf, USAGE_ERROR } from '../terminal/exit-codes.ts'
import { type Failure, isExplained, type TerminalTexts, terminalTexts } from '../terminal/texts.ts'
import type { CommandErrorCode } from './command-error.ts'
import { ProxyError } from './network/proxy-error.ts'
import { inOptions } from './option-names.ts'

type Code = ErrorCode | CommandErrorCode

/** What the user of any command can do. Every other message says so itself. */
const ADVICE: Partial<Record<Code, string>> = {
  denied: 'No token was issued. Run the command again if this was a mistake.',
  expired: 'Run the command again to get a new code.',
  unreachable: 'Check the connection and the address. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  timed_out: 'Try again later. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  key_unreadable: '--key takes the name of a PEM file, - for standard input, or env:NAME for a variable.',
  bad_app_id: 'Set --app-id to the ID shown in the settings of the app.',
  secret_in_argument: 'Treat the secret as leaked, and revoke it.',
  no_keyring: 'Unlock it, or log in with --store file: a plain-text file that only you can read.',
}

/** The commands that take the address of a service, and its endpoints. */
const TAKE_ENDPOINTS: readonly string[] = ['authgraph login', 'authgraph check']

const CHECK_ADDRESS =
  'Is this the address of an OAuth service? For one with other paths, use --device-authorization-endpoint and ' +
  '--token-endpoint.'

/** What the user can do if the service refuses a login. */
const LOGIN_REFUSED: Readonly<Record<number, string>> = {
  400: 'Check the client ID and the scopes. If the server reads only JSON, use --encoding json.',
  401: 'Check the client ID.',
  404: `Check the client ID. ${CHECK_ADDRESS}`,
  415: `The service accepts neither a form nor JSON. ${CHECK_ADDRESS}`,
}

/**
 * The texts of a command. Its advice names no option that it does not have.
 *
 * @param command Its name, such as `authgraph login`.
 * @param hasCodes Tells whether the service has issued codes: then the address is right.
 */
export function textsOf(command: string, hasCodes = () => false): TerminalTexts {
  return {
    ...terminalTexts,
    keys: { ...terminalTexts.keys, stop: 'pauses the login' },
    message: (error) => inOptions(terminalTexts.message(error)),
    advice: (error) =>
      exitCodeOf(error) === USAGE_ERROR
        ? [ADVICE[error.code as Code] ?? [], `See: ${command} --help`].flat().join('\n')
        : adviceOf(error, command, hasCodes),
  }
}

function adviceOf(error: Failure, command: string, hasCodes: () => boolean): string {
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (error instanceof RefusedError) return isExplained(error) ? '' : refusalAdvice(error, command)
  const isOtherService = error.code === 'bad_response' || error.code === 'response_too_large'
  if (isOtherService && TAKE_ENDPOINTS.includes(command) && !hasCodes()) return CHECK_ADDRESS
  return ADVICE[error.code as Code] ?? ''
}

function refusalAdvice({ status, retryAfter, description }: RefusedError, command: string): string {
  if (status >= 500) return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  if (status === 429) return `Too many requests: try again ${whenToRetry(retryAfter)}.`
  if (command === 'authgraph api' && status === 401)
    return 'Log in again, or replace the token that you passed.'
  if (command !== 'authgraph login') return ''
  // The description by the service says more than a guess.
  if (LOGIN_REFUSED[status] || description) return LOGIN_REFUSED[status] ?? ''
  return 'Check the client ID, the scopes, and that the settings of the OAuth app allow the device flow.'
}

function proxyAdvice({ status, source }: ProxyError): string {
  if (status === 407) {
    const start = source === '--proxy' ? 'Remove --proxy, and set' : 'Set'
    const variable = source === '--proxy' ? 'HTTPS_PROXY' : source
    return `${start} ${variable} to http://USER:PASSWORD@proxy.example.com:8080`
  }
  if (status !== undefined && status >= 500)
    return 'Check the address, or ask the administrator of the proxy.'
  return `Check ${source}. To bypass the proxy, add the host to NO_PROXY.`
}

function whenToRetry(seconds: number | undefined): string {
  return seconds === undefined ? 'in a few minutes' : `in ${Math.ceil(seconds)} s`
}
