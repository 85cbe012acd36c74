import { expect, onTestFinished, test, vi } from 'vitest'
import { listenToKeys } from '../../src/terminal/keys.ts'
import { holdTerminal } from '../../src/terminal/suspend.ts'
import { keyboard } from './support/keyboard.ts'

const none = { onReturn: () => undefined }
const suspensions = () => process.listenerCount('SIGTSTP')

test('restores a terminal that nothing else reads', () => {
  const stdin = keyboard()
  const stop = listenToKeys(stdin, {}, none)
  expect(stdin).toMatchObject({ isRaw: true, readableFlowing: true })
  stop()
  expect(stdin).toMatchObject({ isRaw: false, readableFlowing: false })
})

test('leaves a terminal to a program that reads keys', () => {
  const stdin = keyboard({ isRaw: true })
  stdin.on('data', () => undefined)
  listenToKeys(stdin, {}, none)()
  expect(stdin).toMatchObject({ isRaw: true, readableFlowing: true })
})

test('calls the action of a key, and suspends the whole job on Ctrl-Z', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const stdin = keyboard()
  const c = vi.fn()
  const stop = listenToKeys(stdin, { c }, none)
  for (const keys of ['xc', 'c\u001a']) stdin.emit('data', Buffer.from(keys))
  expect(c).toHaveBeenCalledTimes(2)
  expect(kill.mock.calls).toEqual([[0, 'SIGTSTP']])
  stop()
  stdin.emit('data', Buffer.from('c'))
  expect(c).toHaveBeenCalledTimes(2)
})

test('restores the terminal while the command is suspended', () => {
  const stdin = keyboard()
  const atStop: unknown[] = []
  const kill = vi.spyOn(process, 'kill').mockImplementation((...call) => {
    // The signal must stop the process now.
    atStop.push(call, stdin.isRaw, suspensions())
    return true
  })
  onTestFinished(() => kill.mockRestore())
  const onReturn = vi.fn()
  const stop = listenToKeys(stdin, {}, { onReturn })
  process.emit('SIGTSTP', 'SIGTSTP')
  expect(atStop).toEqual([[process.pid, 'SIGTSTP'], false, 0])
  expect(stdin.isRaw).toBe(true)
  expect(onReturn).toHaveBeenCalledTimes(1)
  stop()
})

test('listens for suspension once, while something holds the terminal', () => {
  const holder = { release: () => undefined, take: () => undefined }
  expect(suspensions()).toBe(0)
  const stops = [holdTerminal(holder), holdTerminal({ ...holder })]
  expect(suspensions()).toBe(1)
  stops[0]?.()
  expect(suspensions()).toBe(1)
  stops[1]?.()
  expect(suspensions()).toBe(0)
})
