import type { Session, SessionSnapshot } from '../create-session.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** In this process: the sessions that hold signals back, and the signal that waits for the last of them. */
let sessions = 0
let held: NodeJS.Signals | undefined

/** From the use of a refresh token until the new one is stored. */
const HOLDING: readonly SessionSnapshot['value'][] = ['refreshing', 'settling', 'unsettled']

/**
 * Holds back Ctrl-C, SIGTERM and SIGHUP while a session refreshes its token, until the new token is stored: the service
 * issues it only once, so that a process that ends in between would lose the login. The signal then takes effect. A second
 * one takes effect at once. If the program itself listens to a signal, only its listener decides what the signal does.
 *
 * Call it once for each session of a command line. It listens to signals only during a refresh.
 *
 * @example
 * ```ts
 * import { createSession } from 'authgraph/session'
 * import { fileStore, holdSignals } from 'authgraph/session/node'
 *
 * const session = createSession({
 *   clientId: 'YOUR_CLIENT_ID',
 *   store: fileStore('my-cli'),
 * })
 * holdSignals(session)
 * ```
 */
export function holdSignals({ actor }: Session): void {
  let holds = false
  const hold = (isHolding: boolean) => {
    if (isHolding === holds) return
    holds = isHolding
    if (holds) start()
    else stop()
  }
  actor.subscribe({ next: ({ value }) => hold(HOLDING.includes(value)), complete: () => hold(false) })
}

/** Whether a session is storing a token that would be lost with the process. */
export function isHolding(): boolean {
  return sessions > 0
}

function start(): void {
  sessions += 1
  if (sessions === 1) for (const signal of SIGNALS) process.prependListener(signal, keep)
}

function stop(): void {
  sessions -= 1
  if (sessions > 0) return
  stopListening()
  if (held) process.kill(process.pid, held)
  held = undefined
}

function keep(signal: NodeJS.Signals): void {
  // This one is called first, so that a listener of the program that is called only once still counts.
  if (process.listenerCount(signal) === 1) held = signal
  stopListening()
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, keep)
}
