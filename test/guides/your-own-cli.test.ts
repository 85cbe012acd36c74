import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect } from 'vitest'
import { linesOfJson, type RunOptions } from '../cli/support/command.ts'
import { test, type World } from '../cli/support/world.ts'

const folder = resolve(import.meta.dirname, '../../.cache/your-own-cli')
const command = join(folder, 'acme.mjs')

beforeAll(() => {
  const source = readFileSync(join(import.meta.dirname, 'your-own-cli/acme.ts'), 'utf8')
  mkdirSync(folder, { recursive: true })
  writeFileSync(command, transformSync(source, { loader: 'ts' }).code)
})

/** The service of Acme, and a machine on which its command is installed. */
async function acme(world: World) {
  const service = await world.live({
    clients: [{ clientId: 'acme-cli', name: 'Acme' }],
    dialect: 'rfc8628',
    refreshTokens: { lifetime: 3600 },
  })
  const env = { ACME_URL: service.url }
  return {
    service,
    run: (args: readonly string[], options: RunOptions = {}) => world.run(args, { command, env, ...options }),
    open: (args: readonly string[], more: Record<string, string> = {}) =>
      world.open(args, { command, env: { ...env, ...more }, rows: 40 }),
  }
}

const CODE = /[A-Z]{4}-[A-Z]{4}/

describe('acme', { concurrent: true, timeout: 60_000 }, () => {
  test('logs in on a terminal, says who it is, and logs out', async ({ world }) => {
    const { service, run, open } = await acme(world)
    const terminal = open(['login'])
    const [code = ''] = CODE.exec(await terminal.shows(/C copies [A-Z]{4}-[A-Z]{4}[\s\S]*next poll/)) ?? []
    expect(terminal.screen()).toContain('Ctrl-C cancels the login')
    await service.approve(code, { id: 1, login: 'octocat' })
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/✓ Logged in to Acme\.$/)
    expect(await run(['whoami'])).toEqual({ code: 0, stdout: 'octocat\n', stderr: '' })
    expect(await run(['logout'])).toEqual({ code: 0, stdout: 'Logged out.\n', stderr: '' })
    const after = await run(['whoami'])
    expect(after).toMatchObject({ code: 1, stdout: '' })
    expect(after.stderr).toMatch(/log in/)
    for (const token of service.issued) expect(terminal.raw()).not.toContain(token)
  })

  test('opens no browser in an SSH session, whatever the display', async ({ world }) => {
    const { open } = await acme(world)
    const opened = join(world.folder, 'opened')
    const bin = join(world.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\ntouch '${opened}'\n`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const terminal = open(['login'], {
      PATH: `${bin}:${world.env.PATH}`,
      SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22',
    })
    const screen = await terminal.shows(/next poll/)
    terminal.press('\r')
    await terminal.shows(/SSH session: open the address on your own device/)
    terminal.press('c')
    await terminal.shows(/Asked the terminal to copy/)
    expect(terminal.raw()).toContain(`\u001b]52;c;${btoa(CODE.exec(screen)?.[0] ?? '')}\u0007`)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
    expect(terminal.screen()).toContain('✗ the authorization was cancelled')
    expect(terminal.raw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(
      terminal.raw().lastIndexOf('\u001b[?25l'),
    )
    expect(() => readFileSync(opened)).toThrow('ENOENT')
  })

  test('prints plain lines in CI', async ({ world }) => {
    const { service, open } = await acme(world)
    const terminal = open(['login'], { CI: 'true' })
    const screen = await terminal.shows(/somebody must enter the code/)
    await service.deny(CODE.exec(screen)?.[0] ?? '')
    expect(await terminal.exit).toBe(1)
    expect(terminal.screen()).toContain('✗ the user denied the authorization')
    // No live line and no cursor movement in a log.
    expect(terminal.raw()).not.toContain('\u001b[?')
    expect(terminal.raw().replaceAll('\r\n', '')).not.toContain('\r')
  })

  test('prints plain lines into a pipe', async ({ world }) => {
    const { service, run } = await acme(world)
    const { code, stdout, stderr } = await run(['login'], { onOutput: service.approver() })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Open \S+ and enter the code \S+\nrequested [\s\S]*\n✓ Logged in to Acme\.\n$/)
  })

  test('stores the token after the reader of its output has gone', async ({ world }) => {
    const { service, run } = await acme(world)
    const login = await run(['login'], { onOutput: service.approver(), isCut: true })
    expect(login).toMatchObject({ code: 0, stderr: '' })
    expect((await run(['whoami'])).stdout).toBe('octocat\n')
  })

  test('exits with 143 after SIGTERM', async ({ world }) => {
    const { run } = await acme(world)
    const { code } = await run(['login'], { onOutput: (text, kill) => CODE.test(text) && kill('SIGTERM') })
    expect(code).toBe(143)
  })

  test('prints one JSON object per line with --json', async ({ world }) => {
    const { service, run } = await acme(world)
    const { code, stdout } = await run(['login', '--json'], { onOutput: service.approver() })
    expect(code).toBe(0)
    const events = linesOfJson(stdout)
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['codes', 'state', 'authorized']))
    for (const token of service.issued) expect(stdout).not.toContain(token)
  })
})
