import { type ErrorCode, RefusedError } from '../errors.ts'
import { type Failure, isExplained, type TerminalTexts, terminalTexts } from '../terminal/texts.ts'
import type { CommandErrorCode } from './command-error.ts'
import { ProxyError } from './network/proxy-error.ts'

type Code = ErrorCode | CommandErrorCode

const CHECK_ADDRESS =
  'Is this the address of an OAuth service? Check --host or --issuer.\n' +
  'For a server with other paths, use --device-authorization-endpoint and --token-endpoint.'

/** What the user can do. Every other message says so itself. */
const ADVICE: Partial<Record<Code, string>> = {
  denied: 'No token was issued. Run the command again if this was a mistake.',
  expired: 'Run the command again to get a new code.',
  cancelled: 'Run the command again to continue.',
  unreachable: 'Check the connection and the address. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  timed_out: 'Try again later. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  redirected: 'Set --host or --issuer to the final address.',
  wrong_host: 'Nothing was sent. Check --host, --issuer and --profile.',
  bad_response: CHECK_ADDRESS,
  response_too_large: CHECK_ADDRESS,
  refused: 'Check the client ID, the scopes, and that the settings of the OAuth app allow the device flow.',
  bad_resume: 'Run the command without --resume.',
  key_unreadable: '--key takes the name of a PEM file, - for standard input, or env:NAME for a variable.',
  bad_app_id: 'Set --app-id to the ID shown in the settings of the app.',
  secret_in_argument:
    'Use a file, - for standard input, or env:NAME for a variable. Treat the secret as leaked, and revoke it.',
  no_keyring:
    'Unlock it, or add --store file: a plain-text file that only you can read.\n' +
    'With --store none --print, authgraph login prints the token and does not store it.',
}

const REFUSAL_ADVICE: Readonly<Record<number, string>> = {
  400: 'Check the client ID and the scopes. If the server reads only JSON, use --encoding json.',
  401: 'Check the client ID. If a token was refused, run authgraph login.',
  404: `Check the client ID. ${CHECK_ADDRESS}`,
  415: `The service accepts neither a form nor JSON at this address. ${CHECK_ADDRESS}`,
}

/** The texts of the command: its advice names the options. */
export const commandTexts: TerminalTexts = {
  ...terminalTexts,
  keys: { ...terminalTexts.keys, stop: 'pauses the login' },
  advice: adviceOf,
}

function adviceOf(error: Failure): string {
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (!(error instanceof RefusedError)) return ADVICE[error.code as Code] ?? ''
  if (isExplained(error)) return ''
  const { status, retryAfter } = error
  if (status >= 500) return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  if (status === 429) return `Too many requests: try again ${whenToRetry(retryAfter)}.`
  // The description by the service says more than a guess.
  return REFUSAL_ADVICE[status] ?? (error.description ? '' : (ADVICE.refused ?? ''))
}

function proxyAdvice({ status }: ProxyError): string {
  if (status === 407) return 'Add them to HTTPS_PROXY: http://USER:PASSWORD@proxy.example.com:8080'
  if (status !== undefined && status >= 500)
    return 'Check the address, or ask the administrator of the proxy.'
  return 'Check HTTPS_PROXY and ALL_PROXY. To bypass the proxy, add the host to NO_PROXY.'
}

function whenToRetry(seconds: number | undefined): string {
  return seconds === undefined ? 'in a few minutes' : `in ${Math.ceil(seconds)} s`
}
