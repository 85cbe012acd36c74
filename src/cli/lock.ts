import { mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds after which a lock is taken for one that a killed process left behind. */
const ABANDONED = 60_000

/** Milliseconds between two attempts. */
const PAUSE = 50

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs one at a time among all processes of this machine. The lock is a folder: making one succeeds once. A signal to
 * end waits for the end of the run, and a second one does not.
 */
export async function withLock<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  while (!taken(path)) await wait(PAUSE)
  const goOn = holdSignals()
  try {
    return await run()
  } finally {
    release(path)
    goOn()
  }
}

/** Keeps the first signal back. Returns what lets it act. */
function holdSignals(): () => void {
  let held: NodeJS.Signals | undefined
  const hold = (signal: NodeJS.Signals) => {
    held = signal
    letGo()
  }
  const letGo = () => {
    for (const signal of SIGNALS) process.off(signal, hold)
  }
  for (const signal of SIGNALS) process.on(signal, hold)
  return () => {
    letGo()
    if (held) process.kill(process.pid, held)
  }
}

function taken(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - since > ABANDONED) release(path)
  return false
}

function release(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
