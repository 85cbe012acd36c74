import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect } from 'vitest'
import { granted } from './support/scripted-http.ts'
import { test } from './support/world.ts'

const root = resolve(import.meta.dirname, '../..')

describe('the published package', { timeout: 120_000 }, () => {
  test('runs its command without any other package', async ({ world }) => {
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', world.folder]
    const file = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim()
    execFileSync('tar', ['-xzf', join(world.folder, file), '-C', world.folder])
    const command = join(world.folder, 'package', 'dist', 'src', 'cli', 'main.cjs')
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
    expect(refused.stdout).toContain('the package @napi-rs/keyring is not installed')
    const api = ['api', '/user', '--auth', 'none', '--host', 'https://localhost:9']
    const proxied = await world.run(api, { command, env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })
    expect(proxied.stderr).toContain('localhost:9 cannot be reached')
  })
})
