import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CommandError } from '../command-error.ts'
import { makeFolder, unusable } from './private-file.ts'

/** Milliseconds to wait for a lock: longer than the request and the write that it is held for. */
const PATIENCE = 60_000

/** Milliseconds between two attempts. */
const PAUSE = 50

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs one at a time among all processes of this user. The lock is a file that names its owner. That of a process which no
 * longer runs is taken over; no lock is ever judged by its age. A signal to end waits for the end of the run, and a
 * second one does not.
 *
 * @param patience Milliseconds to wait for the lock.
 * @throws CommandError `locked` where another process keeps the lock for longer.
 */
export async function withLock<Result>(
  path: string,
  run: () => Promise<Result>,
  { patience = PATIENCE } = {},
): Promise<Result> {
  makeFolder(dirname(path))
  const owner = `${process.pid} ${randomUUID()} ${hostname()}`
  // The wall clock may be set while this waits.
  const end = performance.now() + patience
  while (!taken(path, owner)) {
    if (performance.now() > end) throw stillLocked(path)
    await wait(PAUSE)
  }
  const goOn = holdSignals()
  try {
    return await run()
  } finally {
    if (ownerOf(path) === owner) rmSync(path, { force: true })
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

function taken(path: string, owner: string): boolean {
  try {
    writeFileSync(path, owner, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw unusable(path, error)
  }
  if (!isRunning(ownerOf(path))) removeAbandoned(path)
  return false
}

/**
 * Removes the lock of a process that no longer runs. One process at a time looks and removes: the second of two would
 * remove the lock that the first has taken since.
 */
function removeAbandoned(path: string): void {
  const guard = `${path}.removal`
  try {
    mkdirSync(guard)
  } catch {
    return
  }
  try {
    if (!isRunning(ownerOf(path))) rmSync(path, { force: true })
  } finally {
    rmdirSync(guard)
  }
}

function ownerOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** An owner that cannot be read, or of another machine, may run. */
function isRunning(owner: string): boolean {
  const [, pid, host] = /^(\d+) \S+ (.*)$/.exec(owner) ?? []
  if (host !== hostname()) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    // A process of another user runs too.
    return !isCode(error, 'ESRCH')
  }
}

function stillLocked(path: string): CommandError {
  const [pid] = ownerOf(path).split(' ')
  return new CommandError(
    'locked',
    `another authgraph command${pid ? ` (process ${pid})` : ''} is using this login: try again. ` +
      `If no such command is running, remove ${path}`,
  )
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
