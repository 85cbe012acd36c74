import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/cli/lock.ts'

test('a signal to end waits for the last of several runs', async () => {
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

test('a folder that cannot be used is told as that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), '')
  const never = () => Promise.reject(new Error('was run'))
  await expect(withLock(join(folder, 'file', 'lock'), never)).rejects.toMatchObject({ code: 'unusable_file' })
})

test('a signal to end acts once the run is over and the lock is free', async () => {
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
