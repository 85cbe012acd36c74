/** Exit codes of a command that a signal ended, as shells report them: 128 and the number of the signal. */
export const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The exit code of a command line that is not valid. */
export const USAGE_ERROR = 2

/** Exit codes of errors. That of any other is 1. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  usage: USAGE_ERROR,
  bad_option: USAGE_ERROR,
  bad_app_id: USAGE_ERROR,
  bad_variable: USAGE_ERROR,
  secret_in_argument: USAGE_ERROR,
  expired: 3,
  denied: 4,
  cancelled: SIGNAL_EXIT_CODES.SIGINT,
}

/** Returns the exit code of an error with a stable `code`. Its `cause` may be a signal. */
export function exitCodeOf({ code, cause }: { readonly code: string; readonly cause?: unknown }): number {
  return SIGNAL_EXIT_CODES[cause as keyof typeof SIGNAL_EXIT_CODES] ?? EXIT_CODES[code] ?? 1
}
