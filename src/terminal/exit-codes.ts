/** Exit codes of a command that a signal ended, as shells report them: 128 and the number of the signal. */
export const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Exit codes of errors. That of any other is 1. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  usage: 2,
  bad_option: 2,
  secret_in_argument: 2,
  expired: 3,
  denied: 4,
  cancelled: SIGNAL_EXIT_CODES.SIGINT,
}

/** Returns the exit code of an error with a stable `code`. Its `cause` may be a signal. */
export function exitCodeOf({ code, cause }: { readonly code: string; readonly cause?: unknown }): number {
  return SIGNAL_EXIT_CODES[cause as keyof typeof SIGNAL_EXIT_CODES] ?? EXIT_CODES[code] ?? 1
}
