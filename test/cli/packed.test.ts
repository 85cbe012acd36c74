import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { granted, PENDING } from './support/scripted-http.ts'
import { loginTo, test, type World } from './support/world.ts'

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
    for (const [words, ended] of [
      ['--version', { stdout: /^\d+\.\d+\.\d+\n$/ }],
      ['demo --approve --interval 1', { stderr: '' }],
      [loginTo(url), { stderr: '' }],
      [
        `login --host ${url} --client-id id --profile elsewhere`,
        { code: 1, stderr: ['the package @napi-rs/keyring is not installed'] },
      ],
      [
        'api /user --auth none --host https://localhost:9',
        { code: 1, stderr: ['localhost:9 cannot be reached'] },
      ],
    ] as const)
      await world.expect(words, ended, { command, env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })
  })

  test('keeps the token of a login during which the package is removed', async ({ world }) => {
    const command = unpack(world)
    const { url } = await world.scripted({ polls: [PENDING, granted('gho_tokenInTheClear')] })
    const onOutput = (text: string) => {
      if (text.includes('pending ')) rmSync(dirname(command), { recursive: true, force: true })
    }
    await world.expect(loginTo(url), { stdout: ['Logged in to'] }, { command, onOutput })
    await world.expect('token', { stdout: 'gho_tokenInTheClear\n' })
  })
})

/** Unpacks the package. Returns the path of its command. */
function unpack({ folder }: World): string {
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  return join(folder, 'package', 'dist', 'src', 'cli', 'main.cjs')
}
