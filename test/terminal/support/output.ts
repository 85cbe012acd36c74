import { Writable } from 'node:stream'
import { afterEach, beforeEach, vi } from 'vitest'

/** What a command writes to a stream: a file, if it is no terminal. `onText` is called with all of its text so far. */
export function output(
  more: {
    readonly isTTY?: boolean
    readonly columns?: number | undefined
    readonly onText?: ((text: string) => unknown) | undefined
  } = {},
) {
  const { onText, ...size } = { isTTY: false, columns: 80, rows: 40, ...more }
  let text = ''
  const writable = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk
      onText?.(text)
      done()
    },
  })
  const stream = Object.assign(writable, size) as unknown as NodeJS.WriteStream
  return { stream, text: () => text, lines: () => text.trimEnd().split('\n') }
}

/** Has each test run in a terminal with colors, in which a user sits. */
export function atTerminal(): void {
  beforeEach(() => {
    for (const name of [
      'CI',
      'NO_COLOR',
      'SSH_CONNECTION',
      'SSH_TTY',
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'BROWSER',
    ])
      vi.stubEnv(name, undefined)
    vi.stubEnv('TERM', 'xterm-256color')
  })
  afterEach(() => void vi.unstubAllEnvs())
}
