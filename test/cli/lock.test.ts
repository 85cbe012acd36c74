import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/cli/storage/lock.ts'

const FUTURE = new Date('2100-01-01')

/** A lock that its owner has left behind or still holds. */
function lockOf(owner: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lock = join(folder, 'lock')
  writeFileSync(lock, owner)
  utimesSync(lock, FUTURE, FUTURE)
  return lock
}

/** The id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

test('takes over the lock of an ended process, one run at a time, whatever its date', async () => {
  const lock = lockOf(`${endedProcess()} x ${hostname()}`)
  let running = 0
  const most: number[] = []
  const run = async () => {
    most.push(++running)
    await new Promise(setImmediate)
    running -= 1
  }
  await Promise.all(Array.from({ length: 8 }, () => withLock(lock, run)))
  expect(most).toEqual(Array(8).fill(1))
  expect(existsSync(lock)).toBe(false)
})

test.each([
  ['of a running process', `${process.pid} x ${hostname()}`, `(process ${process.pid}) `],
  ['on another machine', `${endedProcess()} x another-machine`, '(process '],
  ['without an owner', '', 'command is using'],
])('gives up on a lock %s after the timeout and leaves it', async (_which, owner, words) => {
  const lock = lockOf(owner)
  const never = () => Promise.reject(new Error('was run'))
  const error = await withLock(lock, never, { patience: 120 }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'locked', message: expect.stringContaining(words) })
  expect(error.message).toContain(`remove ${lock}`)
  expect(readFileSync(lock, 'utf8')).toBe(owner)
})

test('removes only its own lock', async () => {
  const lock = lockOf(`${endedProcess()} x ${hostname()}`)
  const other = `${process.pid} x ${hostname()}`
  await withLock(lock, async () => writeFileSync(lock, other))
  expect(readFileSync(lock, 'utf8')).toBe(other)
})

test('holds a signal back until the last of several runs has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
  onTestFinished(() => kill.mockRestore())
  const ends: (() => void)[] = []
  const run = () => new Promise<void>((end) => void ends.push(end))
  const runs = ['one', 'other'].map((name) => withLock(join(folder, name), run))
  await vi.waitFor(() => expect(ends).toHaveLength(2))
  process.emit('SIGHUP', 'SIGHUP')
  ends[0]?.()
  await runs[0]
  expect(kill).not.toHaveBeenCalled()
  ends[1]?.()
  await runs[1]
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGHUP']])
})

test('reports a folder that cannot be used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), '')
  const never = () => Promise.reject(new Error('was run'))
  await expect(withLock(join(folder, 'file', 'lock'), never)).rejects.toMatchObject({ code: 'unusable_file' })
})

test('delivers a signal after the run has ended and the lock is released', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lock = join(folder, 'lock')
  let isFree = false
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    isFree = !existsSync(lock)
    return true
  })
  onTestFinished(() => kill.mockRestore())
  const before = process.listenerCount('SIGHUP')
  await withLock(lock, async () => {
    process.emit('SIGHUP', 'SIGHUP')
    expect(kill).not.toHaveBeenCalled()
    // A second one would end the process.
    expect(process.listenerCount('SIGHUP')).toBe(before)
  })
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGHUP']])
  expect(isFree).toBe(true)
})
