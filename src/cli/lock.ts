import { mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeFolder, unusable } from './private-file.ts'

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
  makeFolder(dirname(path))
  while (!taken(path)) await wait(PAUSE)
  const goOn = holdSignals()
  try {
    return await run()
  } finally {
    release(path)
    goOn()
  }
}

/** Of this process: how many runs hold the signals back, and the signal that waits for the last of them. */
let runs = 0
let held: NodeJS.Signals | undefined

function hold(signal: NodeJS.Signals): void {
  held = signal
  letGo()
}

function letGo(): void {
  for (const signal of SIGNALS) process.off(signal, hold)
}

/** Keeps the first signal back. Returns what lets it act, once all runs have ended. */
function holdSignals(): () => void {
  runs += 1
  if (runs === 1) for (const signal of SIGNALS) process.on(signal, hold)
  return () => {
    runs -= 1
    if (runs > 0) return
    letGo()
    if (held) process.kill(process.pid, held)
    held = undefined
  }
}

function taken(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error)
  }
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - since > ABANDONED) release(path)
  return false
}

function release(path: string): void {
  rmSync(path, { recursive: true, force: true })
}
