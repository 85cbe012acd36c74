import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CommandError } from '../command-error.ts'
import { makeFolder, unusable } from './private-file.ts'

/** Milliseconds to wait for a lock: longer than the request and the write that it protects. */
const PATIENCE = 60_000

/** Milliseconds between two attempts. */
const PAUSE = 50

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls `run` while no other process of this user runs with the same lock. The lock is a file that names its owner. The
 * lock of a process that has ended is taken over; its age does not matter. A first signal waits until the run has ended; a
 * second one ends the process.
 *
 * @param patience Milliseconds to wait for the lock.
 * @throws {@link CommandError} with code `locked` if another process holds the lock for longer.
 */
export async function withLock<Result>(
  path: string,
  run: () => Promise<Result>,
  { patience = PATIENCE } = {},
): Promise<Result> {
  makeFolder(dirname(path))
  const owner = `${process.pid} ${randomUUID()} ${hostname()}`
  // The wall clock may be changed while this waits.
  const end = performance.now() + patience
  while (!acquire(path, owner)) {
    if (performance.now() > end) throw stillLocked(path)
    await wait(PAUSE)
  }
  const releaseSignals = holdSignals()
  try {
    return await run()
  } finally {
    if (ownerOf(path) === owner) rmSync(path, { force: true })
    releaseSignals()
  }
}

/** In this process: the runs that hold signals back, and the signal that waits for the last of them. */
let runs = 0
let held: NodeJS.Signals | undefined

function hold(signal: NodeJS.Signals): void {
  held = signal
  stopHolding()
}

function stopHolding(): void {
  for (const signal of SIGNALS) process.off(signal, hold)
}

/** Holds the first signal back. Returns a function that delivers it once all runs have ended. */
function holdSignals(): () => void {
  runs += 1
  if (runs === 1) for (const signal of SIGNALS) process.on(signal, hold)
  return () => {
    runs -= 1
    if (runs > 0) return
    stopHolding()
    if (held) process.kill(process.pid, held)
    held = undefined
  }
}

function acquire(path: string, owner: string): boolean {
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
 * Removes the lock of a process that has ended. Only one process at a time may check and remove: a second one would remove
 * the lock that the first has acquired in the meantime.
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

/** Assumes that an unknown owner, or one on another machine, is running. */
function isRunning(owner: string): boolean {
  const [, pid, host] = /^(\d+) \S+ (.*)$/.exec(owner) ?? []
  if (host !== hostname()) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    // EPERM: the process belongs to another user, but it is running.
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
