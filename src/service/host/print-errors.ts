/** Milliseconds in which one kind of error is printed once: a database that is down would fill a log. */
const PAUSE = 60_000

const MOST_KINDS = 100

/** Prints internal errors with `console.error`, each kind (name and code) at most once a minute. */
export function printErrors(clock: { now(): number }): (error: unknown) => void {
  const printedAt = new Map<string, number>()
  return (error) => {
    const { name = typeof error, code = '' } = (error ?? {}) as {
      readonly name?: unknown
      readonly code?: unknown
    }
    const kind = `${name} ${code}`
    const now = clock.now()
    const before = printedAt.get(kind)
    if (before !== undefined && Math.abs(now - before) < PAUSE) return
    if (printedAt.size >= MOST_KINDS) printedAt.clear()
    printedAt.set(kind, now)
    // biome-ignore lint/suspicious/noConsole: a host without the option "onError" must see errors too.
    console.error('authgraph: internal error of the service:', error)
  }
}
