import type { SessionActor } from '../../session/create-session.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** In this process: the sessions that hold signals back, and the signal that waits for the last of them. */
let sessions = 0
let held: NodeJS.Signals | undefined

/**
 * Holds the first signal back while a session spends a refresh token and stores the new one: the service issues it only
 * once. A second signal ends the process.
 */
export function holdSignals(actor: SessionActor): void {
  let holds = false
  actor.subscribe((snapshot) => {
    const spends = snapshot.matches('refreshing') || snapshot.matches('settling')
    if (spends === holds) return
    holds = spends
    if (spends) start()
    else stop()
  })
}

function start(): void {
  sessions += 1
  if (sessions === 1) for (const signal of SIGNALS) process.on(signal, hold)
}

function stop(): void {
  sessions -= 1
  if (sessions > 0) return
  stopListening()
  if (held) process.kill(process.pid, held)
  held = undefined
}

function hold(signal: NodeJS.Signals): void {
  held = signal
  stopListening()
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, hold)
}
