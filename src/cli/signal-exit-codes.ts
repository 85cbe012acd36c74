/** Exit codes of a login that a signal stopped, as shells report them: 128 and the number of the signal. */
export const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
