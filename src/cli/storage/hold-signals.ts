import type { SessionActor, SessionSnapshot } from '../../session/create-session.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** In this process: the sessions that hold signals back, and the signal that waits for the last of them. */
let sessions = 0
let held: NodeJS.Signals | undefined

/** From the use of a refresh token until the new one is stored. */
const HOLDING: readonly SessionSnapshot['value'][] = ['refreshing', 'settling', 'unsettled']

/**
 * Holds the first signal back while a session spends a refresh token and stores the new one: the service issues it only
 * once. A second signal ends the process.
 */
export function holdSignals(actor: SessionActor): void {
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
  if (sessions === 1) for (const signal of SIGNALS) process.on(signal, keep)
}

function stop(): void {
  sessions -= 1
  if (sessions > 0) return
  stopListening()
  if (held) process.kill(process.pid, held)
  held = undefined
}

function keep(signal: NodeJS.Signals): void {
  held = signal
  stopListening()
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, keep)
}
