import { type AnyAuthgraphError, type AuthgraphError, RefusedError } from '../errors.ts'
import type { CommandErrorCode } from './command-error.ts'
import type { Event } from './report.ts'
import { type Line, styled } from './writer.ts'

type Code = AnyAuthgraphError['code'] | CommandErrorCode

const CHECK_KEY = 'Give the private key of the application, as the service handed it out.'

/** What a person does next. Empty where the message says it. */
const ADVICE = {
  denied: 'No token was given. Run the command again if that was a mistake.',
  expired: 'Run the command again to get a new code.',
  cancelled: 'Run the command again when you want to go on.',
  unreachable: 'Check the connection, the address (--host, --issuer) and the proxy (HTTPS_PROXY, NO_PROXY).',
  timed_out: 'Try again later, and check the proxy (HTTPS_PROXY, NO_PROXY).',
  redirected: 'Give the final address with --host or --issuer.',
  wrong_host: 'Nothing was sent. Check --host, --issuer and --profile.',
  bad_answer: 'Is this the address of an OAuth service? Check --host and --issuer.',
  answer_too_large: 'Is this the address of an OAuth service? Check --host and --issuer.',
  refused: 'Check the client id, the scopes, and that the settings of the application allow the device flow.',
  bad_option: '',
  store_unavailable: '',
  bad_resume: 'Run the command without --resume.',
  key_truncated: CHECK_KEY,
  key_public: CHECK_KEY,
  key_certificate: CHECK_KEY,
  key_openssh: CHECK_KEY,
  key_encrypted: CHECK_KEY,
  key_not_rsa: CHECK_KEY,
  key_unreadable: CHECK_KEY,
  key_too_short: CHECK_KEY,
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
  damaged_file: '',
  unusable_file: '',
} satisfies Record<Code, string>

/** What is neither 0 nor 1. */
const EXIT_CODES: Partial<Record<Code, number>> = { usage: 2, secret_in_argument: 2, expired: 3, denied: 4 }

/** Gives the exit code of an error. */
export function exitCodeOf(error: AuthgraphError): number {
  return EXIT_CODES[error.code as Code] ?? 1
}

/** Says of an error what went wrong and what to do about it, to programs and to people. */
export function failure(error: AuthgraphError): { readonly event: Event; readonly lines: readonly Line[] } {
  const advice = ADVICE[error.code as Code] ?? ''
  // A code that is not known is the service's own text: it goes through the writer, which cuts it.
  const own = error instanceof RefusedError && error.error && !error.message.includes(error.error)
  return {
    event: {
      event: 'failed',
      code: error.code,
      message: error.message,
      ...(own && { error: error.error }),
      ...(advice && { advice }),
    },
    lines: [
      [styled('red', '✗'), ` ${error.message}`],
      ...(own ? [`  The code of the service: ${error.error}`] : []),
      ...(advice ? advice.split('\n').map((line) => `  ${line}`) : []),
    ],
  }
}
