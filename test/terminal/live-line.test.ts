import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { liveLine } from '../../src/terminal/live-line.ts'
import { writerTo } from '../../src/terminal/writer.ts'

const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

test('hides the cursor while it is shown, and restores it if the process exits meanwhile', () => {
  let text = ''
  const writable = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  const stream = Object.assign(writable, { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream
  const before = process.listeners('exit')
  const live = liveLine(writerTo(stream, { color: false }))
  live.show(() => ['waiting'])
  expect(text.startsWith(HIDE_CURSOR)).toBe(true)
  expect(text).not.toContain(SHOW_CURSOR)
  const added = process.listeners('exit').filter((listener) => !before.includes(listener))
  for (const listener of added) Reflect.apply(listener, process, [1])
  expect(text.endsWith(SHOW_CURSOR)).toBe(true)
  live.hide()
  expect(process.listeners('exit')).toEqual(before)
})
