import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect } from 'vitest'
import type { RunOptions } from '../cli/support/command.ts'
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
    open: (args: readonly string[]) => world.open(args, { command, env, rows: 40 }),
  }
}

const CODE = /[A-Z]{4}-[A-Z]{4}/

describe('acme', { concurrent: true }, () => {
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
})
