import { type ErrorCode, RefusedError } from '../../errors.ts'
import type { CommandErrorCode, Failure } from '../command-error.ts'
import { ProxyError } from '../network/proxy-error.ts'
import type { Event } from './report.ts'
import { type Line, styled, wrap } from './writer.ts'

type Code = ErrorCode | CommandErrorCode

const CHECK_ADDRESS =
  'Is this the address of an OAuth service? Check --host or --issuer.\n' +
  'For a server with other paths, use --device-authorization-endpoint and --token-endpoint.'

/** What the user can do. Empty if the message says so. */
const ADVICE = {
  denied: 'No token was issued. Run the command again if this was a mistake.',
  expired: 'Run the command again to get a new code.',
  cancelled: 'Run the command again to continue.',
  unreachable: 'Check the connection and the address. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  timed_out: 'Try again later. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  redirected: 'Set --host or --issuer to the final address.',
  wrong_host: 'Nothing was sent. Check --host, --issuer and --profile.',
  bad_response: CHECK_ADDRESS,
  response_too_large: CHECK_ADDRESS,
  refused: 'Check the client id, the scopes, and that the settings of the OAuth app allow the device flow.',
  bad_option: '',
  cannot_listen: '',
  store_unavailable: '',
  login_required: '',
  busy: '',
  bad_resume: 'Run the command without --resume.',
  key_truncated: '',
  key_public: '',
  key_certificate: '',
  key_openssh: '',
  key_encrypted: '',
  key_not_rsa: '',
  key_unreadable: '',
  key_too_short: '',
  clock_skew: '',
  bad_app_id: 'Set --app-id to the id shown in the settings of the app.',
  sign_failed: '',
  bad_id_token: '',
  usage: '',
  secret_in_argument:
    'Use a file, - for standard input, or env:NAME for a variable. Treat the secret as leaked, and revoke it.',
  no_keyring: [
    'Unlock it, or choose another place for the token:',
    '  --store file           a plain-text file that only you can read',
    '  --store none --print   nowhere: print the token instead',
  ].join('\n'),
  no_login: '',
  no_saved_login: '',
  not_kept: '',
  not_bearer: '',
  damaged_file: '',
  unusable_file: '',
} satisfies Record<Code, string>

/** Advice on a refusal, by its status. */
const REFUSAL_ADVICE: Readonly<Record<number, string>> = {
  400: 'Check the client id and the scopes. If the server reads only JSON, use --encoding json.',
  401: 'Check the client id. If a token was refused, run authgraph login.',
  404: `Check the client id. ${CHECK_ADDRESS}`,
  415: `The service accepts neither a form nor JSON at this address. ${CHECK_ADDRESS}`,
}

/** Columns before a line: for the mark, and for the indent of a report in a terminal. */
const INDENT = 4

/** Columns of a line in the narrowest terminal, and in a file or a pipe. */
const LEAST_LINE = 20
const LONGEST_LINE = 10_000

/** Exit codes other than 1. */
const EXIT_CODES: Partial<Record<Code, number>> = {
  usage: 2,
  bad_option: 2,
  secret_in_argument: 2,
  expired: 3,
  denied: 4,
}

/** Returns the exit code of an error. */
export function exitCodeOf(error: Failure): number {
  return EXIT_CODES[error.code] ?? 1
}

/**
 * Describes an error and what to do about it: an event for programs, and lines for users.
 *
 * @param stream The target of the lines, which are wrapped between words at its width.
 */
export function failure(
  error: Failure,
  { columns = LONGEST_LINE }: { readonly columns?: number },
): { readonly event: Event; readonly lines: readonly Line[] } {
  const fitting = (text: string) => wrap(text, Math.max(columns - INDENT, LEAST_LINE))
  const message = messageOf(error)
  const advice = adviceOf(error)
  const { error: refusal, description } = error instanceof RefusedError ? error : {}
  return {
    event: {
      event: 'failed',
      code: error.code,
      message,
      ...(refusal && { error: refusal }),
      ...(description && { description }),
      ...(advice && { advice }),
    },
    lines: [
      ...fitting(message).map(
        (line, index): Line => (index === 0 ? [styled('red', '✗'), ` ${line}`] : `  ${line}`),
      ),
      ...(description ? fitting(`The service says: ${description}`) : []).map((line) => `  ${line}`),
      ...(advice ? advice.split('\n').flatMap(fitting) : []).map((line) => `  ${line}`),
    ],
  }
}

/** The message of the library, unless a command line can say more about the refusal. */
function messageOf(error: Failure): string {
  if (!(error instanceof RefusedError) || isExplained(error)) return error.message
  const { error: code, status } = error
  const verb = status >= 500 ? 'failed' : 'refused the request'
  return `the service ${verb} with status ${status}${code ? ` and error code ${code}` : ''}`
}

function adviceOf(error: Failure): string {
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (!(error instanceof RefusedError)) return ADVICE[error.code] ?? ''
  if (isExplained(error)) return ''
  const { status, retryAfter } = error
  if (status >= 500) return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  if (status === 429) return `Too many requests: try again ${whenToRetry(retryAfter)}.`
  // The description by the service says more than a guess.
  return REFUSAL_ADVICE[status] ?? (error.description ? '' : ADVICE.refused)
}

/** Tells whether the error code is known: the message then says what to do. */
function isExplained({ error, status, message }: RefusedError): boolean {
  return status < 500 && error !== undefined && message.includes(error)
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
