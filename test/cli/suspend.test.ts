import { describe, expect } from 'vitest'
import { loginTo, test, type World } from './support/world.ts'

const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

const WAITING = /(next poll|polling)/

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

describe('Ctrl-Z', { concurrent: true }, () => {
  test('suspends a login, restores the terminal, and shows the code again afterwards', async ({ world }) => {
    const { url } = await world.scripted()
    const terminal = world.open(loginTo(url), { isResumed: true, rows: 40 })
    await terminal.shows(WAITING)
    await suspend(terminal, /suspended[\s\S]*C copies WDJB-MJHT[\s\S]*(next poll|polling)/)
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    // The shell resumes it once only.
    terminal.press('\u001a')
    expect(await terminal.exit).toBe(148)
    expectCursor(terminal.raw())
  })

  test('does nothing without a shell that could resume the command', async ({ world }) => {
    const { url } = await world.scripted()
    const terminal = world.open(loginTo(url))
    await terminal.shows(WAITING)
    terminal.press('\u001a')
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
  })
})
