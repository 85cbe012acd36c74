import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect } from 'vitest'
import { drawTerminal } from '../../docs/tools/draw-terminal.ts'
import { screen } from './support/screen.ts'
import { granted, PENDING, type Script } from './support/scripted-http.ts'
import type { TerminalOptions } from './support/terminal.ts'
import { test, type World } from './support/world.ts'

const folder = resolve(import.meta.dirname, '../../docs/terminal')

// biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control sequences.
const COLOR = /\u001b\[[\d;]*m/
const LOGIN = ['--client-id', 'id', '--scopes', 'repo,gist', '--profile', 'work']

/** Text that differs from run to run. The scripted service gives an address at `example.com`. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/(?<!\/)localhost:\d+/g, 'example.com'],
  [/~\/state/g, '~/.local/state/authgraph'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-01-01 12:00'],
  [/valid for \d+:\d\d/g, 'valid for 14:58'],
  [/next poll in \d s/g, 'next poll in 1 s'],
  [/ in this container/g, ''],
  [/"(secondsLeft|secondsToNextPoll|expiresAt)":\d+/g, '"$1":1'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, '⠋'],
]

/** What the pictures of frames in the documentation show. */
const PICTURES: Readonly<Record<string, string>> = {
  'login-40x24': 'The address, the code, the keys, and a countdown to the next poll, in a narrow terminal.',
  'login-80x24': 'The address, the code in large letters, the keys, and a countdown to the next poll.',
  'login-authorized': 'An authorized login: the account, the scopes, and where the token is stored.',
}

/** Compares with the saved frame. `WRITE_FRAMES=1` updates it. */
function expectFrame(name: string, text: string): void {
  expectFile(join(folder, `${name}.txt`), `${stable(text).trimEnd()}\n`)
}

/** Compares with the saved frame, and with its picture if the documentation has one. */
function expectScreen(name: string, terminal: { screen(): string; colored(): string }, columns = 80): void {
  expectFrame(name, terminal.screen())
  const description = PICTURES[name]
  if (description === undefined) return
  const view = screen(columns)
  view.write(stable(terminal.colored()).replaceAll('\n', '\r\n'))
  const picture = { title: 'authgraph login', description, columns }
  expectFile(join(folder, `../images/terminal/${name}.svg`), drawTerminal(picture, view.cells()))
}

function expectFile(file: string, content: string): void {
  if (process.env.WRITE_FRAMES) writeFileSync(file, content)
  expect(content).toBe(readFileSync(file, 'utf8'))
}

function stable(text: string): string {
  return VARYING.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), text)
}

/** A login in a terminal. */
async function opened(
  world: World,
  script?: Script,
  options?: TerminalOptions,
  more: readonly string[] = [],
) {
  const { url } = await world.scripted(script)
  const env = { DISPLAY: ':none', ...options?.env }
  return world.open(['login', '--host', url, '--store', 'file', ...LOGIN, ...more], { ...options, env })
}

/** A login that waits in a terminal. */
async function waiting(world: World, options: TerminalOptions, more?: readonly string[]) {
  const terminal = await opened(world, {}, options, more)
  // Not while it polls: "polling now" is shorter, and leaves room for more in a narrow terminal.
  await terminal.shows(/pending[\s\S]*next poll in/)
  return terminal
}

describe('the saved frame', { concurrent: true }, () => {
  test.for([
    ['login-40x24', { columns: 40, rows: 24 }, []],
    ['login-80x24', { columns: 80, rows: 24 }, []],
    ['login-no-qr-120x40', { columns: 120, rows: 40 }, ['--no-qr']],
  ] as const)('%s', async ([name, size, more], { world }) => {
    const terminal = await waiting(world, size, more)
    expectScreen(name, terminal, size.columns)
    expect(terminal.raw()).toMatch(COLOR)
  })

  test('matches an authorized login and its status', async ({ world }) => {
    const terminal = await opened(world, { polls: [PENDING, granted('gho_tokenInTheClear')] })
    expect(await terminal.exit).toBe(0)
    expectScreen('login-authorized', terminal)
    expect(terminal.raw()).not.toContain('gho_')
    const status = world.open(['status'])
    expect(await status.exit).toBe(0)
    expectFrame('status', status.screen())
  })

  test('matches the keys: C copies, Ctrl-C saves, and Enter is not offered without a browser', async ({
    world,
  }) => {
    const terminal = await waiting(world, { columns: 80, rows: 24, env: { DISPLAY: '' } })
    terminal.press('c')
    await terminal.shows(/Asked the terminal/)
    expect(terminal.raw()).toContain(`\u001b]52;c;${btoa('WDJB-MJHT')}\u0007`)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
    expectFrame('login-saved', terminal.screen())
  })

  test('keeps a login that is saved at once apart from its states', async ({ world }) => {
    const terminal = await opened(world, {}, { columns: 80, rows: 30 }, ['--no-wait'])
    await terminal.shows(/\n {2}requested .*\n\n {2}● Login saved\./)
  })

  test('matches a login without a keyring', async ({ world }) => {
    const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
    const terminal = world.open(['login', ...LOGIN], { env })
    expect(await terminal.exit).toBe(1)
    expectFrame('login-no-keyring', terminal.screen())
  })

  test('matches the events for programs, and the help', async ({ world }) => {
    const { url } = await world.scripted({ polls: [PENDING, granted('gho_tokenInTheClear')] })
    const { stdout } = await world.login(url, [...LOGIN, '--json'])
    expectFrame('login-json', stdout)
    expectFrame('help-login', (await world.run('login --help')).stdout)
  })
})
