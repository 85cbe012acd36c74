import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect } from 'vitest'
import type { RunOptions } from '../cli/support/command.ts'
import { test, type World } from '../cli/support/world.ts'

const folder = resolve(import.meta.dirname, '../../.cache/your-own-cli')

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  for (const name of ['acme', 'with-commander']) {
    const source = readFileSync(join(import.meta.dirname, `your-own-cli/${name}.ts`), 'utf8')
    writeFileSync(join(folder, `${name}.mjs`), transformSync(source, { loader: 'ts' }).code)
  }
})

/** The service of Acme, and a machine on which its command is installed, without a keyring. */
async function acme(world: World, name = 'acme') {
  const service = await world.live({
    clients: [{ clientId: 'acme-cli', name: 'Acme' }],
    dialect: 'rfc8628',
    refreshTokens: { lifetime: 3600 },
  })
  const more = { command: join(folder, `${name}.mjs`), env: { ACME_URL: service.url } }
  return {
    service,
    host: new URL(service.url).host,
    run: (args: readonly string[], options: RunOptions = {}) => world.run(args, { ...more, ...options }),
    open: (args: readonly string[]) => world.open(args, { ...more, rows: 50 }),
  }
}

const CODE = /[A-Z]{4}-[A-Z]{4}/

describe('acme', { concurrent: true }, () => {
  test('logs in on a terminal, says who it is, and logs out', async ({ world }) => {
    const { service, host, run, open } = await acme(world)
    const terminal = open(['login'])
    const [code = ''] = CODE.exec(await terminal.shows(/C copies [A-Z]{4}-[A-Z]{4}[\s\S]*next poll/)) ?? []
    expect(terminal.screen()).toMatch(
      /^ {2}! The token will be in plain text, in a file that only you can read/,
    )
    expect(terminal.screen()).toContain('Ctrl-C cancels the login')
    await service.approve(code, { id: 1, login: 'octocat' })
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toContain(`✓ Logged in to ${host} as octocat\n    scopes      none\n    valid `)
    expect(await run(['whoami'])).toEqual({ code: 0, stdout: 'octocat\n', stderr: '' })
    const revoked = 'the token is revoked, and deleted from this machine'
    const stdout = `✓ Logged out of ${host}: ${revoked}.\n`
    expect(await run(['logout'])).toEqual({ code: 0, stdout, stderr: '' })
    const stderr = '✗ Not logged in: run acme login\n'
    expect(await run(['whoami'])).toEqual({ code: 1, stdout: '', stderr })
    for (const token of service.issued) expect(terminal.raw()).not.toContain(token)
  })

  test('has the same commands with an argument parser, and calls an API', async ({ world }) => {
    const { service, run } = await acme(world, 'with-commander')
    expect((await run(['login'], { onOutput: service.approver() })).code).toBe(0)
    expect(await run(['token'])).toEqual({ code: 0, stdout: `${service.issued[0]}\n`, stderr: '' })
    expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({ user: 'octocat' })
    expect((await run(['--help'])).stdout).toMatch(/\n {2}whoami +print who is logged in\n/)
    expect((await run(['user'])).stdout).toContain("login: 'octocat'")
    expect((await run(['logout'])).code).toBe(0)
    expect((await run(['status'])).code).toBe(1)
    expect(await run(['user'])).toEqual({ code: 1, stdout: '', stderr: 'not logged in: log in\n' })
  })

  test('Ctrl-C cancels the login, and exits with 130', async ({ world }) => {
    const terminal = (await acme(world)).open(['login'])
    await terminal.shows(/next poll/)
    terminal.press('\u0003')
    expect(await terminal.exit).toBe(130)
    expect(terminal.screen()).toMatch(/● The authorization was cancelled$/)
  })

  test('stores the token after the reader of its output has gone', async ({ world }) => {
    const { service, run } = await acme(world)
    const login = await run(['login'], { onOutput: service.approver(), isCut: CODE })
    expect(login).toMatchObject({ code: 0, stderr: '' })
    expect((await run(['whoami'])).stdout).toBe('octocat\n')
    expect(await run(['token'], { stdout: 'closed' })).toMatchObject({ code: 1, stderr: '' })
  })

  test('exits with 143 after SIGTERM', async ({ world }) => {
    const { run } = await acme(world)
    const { code } = await run(['login'], { onOutput: (text, kill) => CODE.test(text) && kill('SIGTERM') })
    expect(code).toBe(143)
  })
})
