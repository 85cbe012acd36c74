import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/cli/lock.ts'

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
