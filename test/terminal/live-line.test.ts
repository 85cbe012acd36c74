import { expect, onTestFinished, test, vi } from 'vitest'
import { liveLine } from '../../src/terminal/live-line.ts'
import { writerTo } from '../../src/terminal/writer.ts'
import { output } from './support/output.ts'

const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

const CLEAR_LINE = '\r\u001b[2K'

function terminal(columns = 80) {
  const { stream, text } = output({ isTTY: true, columns })
  return { live: liveLine(writerTo(stream, { color: false })), text }
}

test('hides the cursor while it is shown, and restores it if the process exits meanwhile', () => {
  const { live, text } = terminal()
  const before = process.listeners('exit')
  live.show(() => ['waiting'])
  live.show(() => ['waiting'])
  expect(text().startsWith(HIDE_CURSOR)).toBe(true)
  expect(text().split(HIDE_CURSOR)).toHaveLength(2)
  expect(text()).not.toContain(SHOW_CURSOR)
  const added = process.listeners('exit').filter((listener) => !before.includes(listener))
  for (const listener of added) Reflect.apply(listener, process, [1])
  expect(text().endsWith(SHOW_CURSOR)).toBe(true)
  live.hide()
  expect(process.listeners('exit')).toEqual(before)
  const hidden = text()
  live.hide()
  expect(text()).toBe(hidden)
})

test('prints lines above it, and moves on at each paint', () => {
  const { live, text } = terminal()
  live.print('first')
  expect(text()).toBe('first\n')
  live.show(() => ['waiting'])
  live.print('second')
  live.hide()
  const [first, second] = ['⠋', '⠙'].map((frame) => `${CLEAR_LINE}  ${frame} waiting`)
  expect(text()).toBe(
    `first\n${HIDE_CURSOR}${first}${CLEAR_LINE}second\n${second}${CLEAR_LINE}${SHOW_CURSOR}`,
  )
})

test('restores the cursor while the command is suspended, and draws the line again', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const { live, text } = terminal()
  live.show(() => ['waiting'])
  const shown = text()
  process.emit('SIGTSTP', 'SIGTSTP')
  expect(text().slice(shown.length)).toBe(`${CLEAR_LINE}${SHOW_CURSOR}${HIDE_CURSOR}${CLEAR_LINE}  ⠙ waiting`)
  live.hide()
})

test.each([
  [12, '  ⠋ one, two'],
  [11, '  ⠋ one'],
])('drops what does not fit before column %i', (columns, line) => {
  const { live, text } = terminal(columns + 1)
  live.show(() => ['one', ', two'])
  live.hide()
  expect(text().startsWith(`${HIDE_CURSOR}${CLEAR_LINE}${line}${CLEAR_LINE}`)).toBe(true)
})
