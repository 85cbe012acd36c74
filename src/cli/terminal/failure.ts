import { type ErrorCode, RefusedError } from '../../errors.ts'
import type { CommandErrorCode, Failure } from '../command-error.ts'
import { ProxyError } from '../network/proxy-error.ts'
import type { Event } from './report.ts'
import { type Line, styled, wrap } from './writer.ts'

type Code = ErrorCode | CommandErrorCode

const CHECK_ADDRESS =
  'Is this the address of an OAuth service? Check --host or --issuer.\n' +
  'A server with other paths takes --device-authorization-endpoint and --token-endpoint.'

/** What a person does next. Empty where the message says it. */
const ADVICE = {
  denied: 'No token was given. Run the command again if that was a mistake.',
  expired: 'Run the command again to get a new code.',
  cancelled: 'Run the command again when you want to go on.',
  unreachable: 'Check the connection and the address. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  timed_out: 'Try again later. Behind a proxy, set HTTPS_PROXY or ALL_PROXY.',
  redirected: 'Give the final address with --host or --issuer.',
  wrong_host: 'Nothing was sent. Check --host, --issuer and --profile.',
  bad_response: CHECK_ADDRESS,
  response_too_large: CHECK_ADDRESS,
  refused: 'Check the client id, the scopes, and that the settings of the application allow the device flow.',
  bad_option: '',
  cannot_listen: '',
  store_unavailable: '',
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
  bad_app_id: 'Give it with --app-id: the settings of the application show it.',
  sign_failed: '',
  usage: '',
  secret_in_argument:
    'Give a file, - for standard input, or env:NAME for a variable. Consider it known, and revoke it.',
  no_keyring: [
    'Unlock it, or choose where the token goes:',
    '  --store file           in plain text, in a file that only you may read',
    '  --store none --print   nowhere: it is printed, and you keep it yourself',
  ].join('\n'),
  no_login: '',
  no_saved_login: '',
  not_kept: '',
  locked: '',
  not_bearer: '',
  damaged_file: '',
  unusable_file: '',
} satisfies Record<Code, string>

/** What a refusal may mean, by its status. */
const REFUSAL_ADVICE: Readonly<Record<number, string>> = {
  400: 'Check the client id and the scopes. A server that reads only JSON takes --encoding json.',
  401: 'Check the client id. If a token was refused, log in again: authgraph login',
  404: `Check the client id. ${CHECK_ADDRESS}`,
  415: `The service reads neither a form nor JSON at this address. ${CHECK_ADDRESS}`,
}

/** Columns before a line: those of the mark, and those of a report in a terminal. */
const INDENT = 4

/** Columns of a line in the narrowest terminal, and in what is not a terminal. */
const LEAST_LINE = 20
const LONGEST_LINE = 10_000

/** What is neither 0 nor 1. */
const EXIT_CODES: Partial<Record<Code, number>> = {
  usage: 2,
  bad_option: 2,
  secret_in_argument: 2,
  expired: 3,
  denied: 4,
}

/** Gives the exit code of an error. */
export function exitCodeOf(error: Failure): number {
  return EXIT_CODES[error.code] ?? 1
}

/**
 * Says of an error what went wrong and what to do about it, as an event for programs and as lines for users.
 *
 * @param stream Where the lines go: those that a terminal would break inside a word are broken before it.
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

/** The library's message, unless it names a property, or blames the client where the service is down. */
function messageOf(error: Failure): string {
  if (!(error instanceof RefusedError) || isExplained(error)) return error.message
  const { error: code, status } = error
  const verb = status >= 500 ? 'failed' : 'refused the request'
  return `the service ${verb} with status ${status}${code ? ` and the code ${code}` : ''}`
}

function adviceOf(error: Failure): string {
  if (error instanceof ProxyError) return proxyAdvice(error)
  if (!(error instanceof RefusedError)) return ADVICE[error.code] ?? ''
  if (isExplained(error)) return ''
  const { status, retryAfter } = error
  if (status >= 500) return `The service is down or overloaded: try again ${whenToRetry(retryAfter)}.`
  if (status === 429) return `The service asks for fewer requests: try again ${whenToRetry(retryAfter)}.`
  // The service's own words say more than a guess.
  return REFUSAL_ADVICE[status] ?? (error.description ? '' : ADVICE.refused)
}

/** Tells a refusal with a code that is known: its message says what to do. */
function isExplained({ error, status, message }: RefusedError): boolean {
  return status < 500 && error !== undefined && message.includes(error)
}

function proxyAdvice({ status }: ProxyError): string {
  if (status === 407) return 'Write them into HTTPS_PROXY: http://USER:PASSWORD@proxy.example.com:8080'
  if (status !== undefined && status >= 500) return 'Check the address, or ask who runs the proxy.'
  return 'Check the proxy (HTTPS_PROXY, ALL_PROXY). The hosts in NO_PROXY are reached without it.'
}

function whenToRetry(seconds: number | undefined): string {
  return seconds === undefined ? 'in a few minutes' : `in ${Math.ceil(seconds)} s`
}
