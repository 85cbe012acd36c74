import { describe, expect } from 'vitest'
import { test } from './support/world.ts'

const LOGIN = ['--client-id', 'id', '--store', 'file', '--profile', 'work']
const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

describe('Ctrl-Z', { concurrent: true, timeout: 60_000 }, () => {
  test('suspends a login, restores the terminal, and shows the code again afterwards', async ({ world }) => {
    const { url } = await world.scripted()
    const terminal = world.open(['login', '--host', url, ...LOGIN], { isResumed: true, rows: 40 })
    await terminal.shows(/pending[\s\S]*(next poll|polling)/)
    terminal.press('\u001a')
    await terminal.shows(/suspended with 148/)
    const before = terminal.raw().slice(0, terminal.raw().indexOf('suspended'))
    expect(before.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(before.lastIndexOf(HIDE_CURSOR))
    // The shell resumes the command at the next line.
    terminal.press('\n')
    await terminal.shows(/suspended[\s\S]*C copies WDJB-MJHT[\s\S]*(next poll|polling)/)
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
    expect(terminal.raw().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw().lastIndexOf(HIDE_CURSOR))
  })

  test('restores the terminal the second time, too', async ({ world }) => {
    const { url } = await world.scripted()
    const terminal = world.open(['login', '--host', url, ...LOGIN], { isResumed: true, rows: 40 })
    await terminal.shows(/pending[\s\S]*(next poll|polling)/)
    terminal.press('\u001a')
    await terminal.shows(/suspended with 148/)
    const suspended = terminal.raw().length
    terminal.press('\n')
    await terminal.shows(/suspended[\s\S]*C copies WDJB-MJHT[\s\S]*(next poll|polling)/)
    expect(terminal.raw().slice(suspended)).toContain(HIDE_CURSOR)
    terminal.press('\u001a')
    // The shell resumes it once only.
    expect(await terminal.exit).toBe(148)
    expect(terminal.raw().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw().lastIndexOf(HIDE_CURSOR))
  })

  test('does nothing without a shell that could resume the command', async ({ world }) => {
    const { url } = await world.scripted()
    const terminal = world.open(['login', '--host', url, ...LOGIN])
    await terminal.shows(/pending[\s\S]*(next poll|polling)/)
    terminal.press('\u001a')
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
  })

  test('restores the cursor of a command that reads no keys', async ({ world }) => {
    const terminal = world.open(['demo', '--interval', '1'], { isResumed: true })
    await terminal.shows(/next poll/)
    terminal.press('\u001a')
    await terminal.shows(/suspended with 148/)
    const before = terminal.raw().slice(0, terminal.raw().indexOf('suspended'))
    expect(before.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(before.lastIndexOf(HIDE_CURSOR))
    terminal.press('\n')
    await terminal.shows(/suspended[\s\S]*(next poll|polling)/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
  })
})
