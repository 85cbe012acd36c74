import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { granted, PENDING } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

const root = resolve(import.meta.dirname, '../..')

const packed = mkdtempSync(join(tmpdir(), 'ag-packed-'))
let tarball: string

beforeAll(() => {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed]
  tarball = join(packed, execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim())
}, 120_000)
afterAll(() => rmSync(packed, { recursive: true }))

describe('the published package', { timeout: 120_000 }, () => {
  test('runs its command without any other package', async ({ world }) => {
    const command = unpack(world)
    const notices = readFileSync(join(world.folder, 'package', 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of ['commander', 'jose', 'undici', 'valibot', 'xstate'])
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+\n[^]*Permission is hereby granted`, 'm'))
    const { url } = await world.scripted({ polls: [granted('gho_tokenInTheClear')] })
    const login = ['login', '--host', url, '--client-id', 'id']
    const [version, demo, kept, refused] = await Promise.all([
      world.run(['--version'], { command }),
      world.run(['demo', '--approve', '--interval', '1'], { command }),
      world.run([...login, '--store', 'file'], { command }),
      world.run([...login, '--profile', 'elsewhere'], { command }),
    ])
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(demo).toMatchObject({ code: 0, stderr: '' })
    expect(kept).toMatchObject({ code: 0, stderr: '' })
    expect(refused.stderr).toContain('the package @napi-rs/keyring is not installed')
    const api = ['api', '/user', '--auth', 'none', '--host', 'https://localhost:9']
    const proxied = await world.run(api, { command, env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })
    expect(proxied.stderr).toContain('localhost:9 cannot be reached')
  })

  test('keeps the token of a login during which the package is removed', async ({ world }) => {
    const command = unpack(world)
    const { url } = await world.scripted({ polls: [PENDING, granted('gho_tokenInTheClear')] })
    const onOutput = (text: string) => {
      if (text.includes('pending ')) rmSync(dirname(command), { recursive: true, force: true })
    }
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file']
    const { stdout } = await world.run(login, { command, onOutput })
    expect(stdout).toContain('Logged in to')
    expect((await world.run(['token'])).stdout).toBe('gho_tokenInTheClear\n')
  })
})

/** Unpacks the package. Returns the path of its command. */
function unpack({ folder }: World): string {
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  return join(folder, 'package', 'dist', 'src', 'cli', 'main.cjs')
}
