import { describe, expect } from 'vitest'
import type { TerminalOptions } from './support/terminal.ts'
import { loginTo, test, type World } from './support/world.ts'

const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

/** A login that waits in a terminal. */
async function waiting(world: World, options: TerminalOptions = {}) {
  const { url } = await world.scripted()
  const terminal = world.open(loginTo(url), options)
  await terminal.shows(/pending[\s\S]*(next poll|polling)/)
  return terminal
}

/** Presses Ctrl-Z, and has the shell resume the command at the next line. */
async function suspend(terminal: ReturnType<World['open']>, shown: RegExp) {
  terminal.press('\u001a')
  await terminal.shows(/suspended with 148/)
  const suspended = terminal.raw().length
  expectCursor(terminal.raw().slice(0, terminal.raw().indexOf('suspended')))
  terminal.press('\n')
  await terminal.shows(shown)
  expect(terminal.raw().slice(suspended)).toContain(HIDE_CURSOR)
}

function expectCursor(raw: string): void {
  expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR))
}

const AGAIN = /suspended[\s\S]*C copies WDJB-MJHT[\s\S]*(next poll|polling)/

describe('Ctrl-Z', { concurrent: true }, () => {
  test('suspends a login, restores the terminal, and shows the code again afterwards', async ({ world }) => {
    const terminal = await waiting(world, { isResumed: true, rows: 40 })
    await suspend(terminal, AGAIN)
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    // The shell resumes it once only.
    terminal.press('\u001a')
    expect(await terminal.exit).toBe(148)
    expectCursor(terminal.raw())
  })

  test('does nothing without a shell that could resume the command', async ({ world }) => {
    const terminal = await waiting(world)
    terminal.press('\u001a')
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
  })

  test('restores the cursor of a command that reads no keys', async ({ world }) => {
    const terminal = world.open('demo --interval 1', { isResumed: true })
    await terminal.shows(/next poll/)
    await suspend(terminal, /suspended[\s\S]*(next poll|polling)/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
  })
})
