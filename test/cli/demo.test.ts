import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type RunOptions, run as runWith } from './support/command.ts'

const run = (args: string[], onOutput?: RunOptions['onOutput']) =>
  runWith(args, { env: { PATH: process.env.PATH ?? '' }, ...(onOutput && { onOutput }) })

describe('authgraph demo', { concurrent: true, timeout: 30_000 }, () => {
  test('--approve shows requested, pending and authorized, and prints no token', async () => {
    const { code, stdout, stderr } = await run(['demo', '--approve', '--interval', '1'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^requested .* s left\)\n(?:.*\n)*pending .* s left\)\n(?:.*\n)*authorized$/m)
    expect(stdout).toContain('access_token  [secret]')
    expect(stdout).toContain('GET /user     {"id":1,"login":"octocat"}')
    expect(stdout).not.toContain('gho_')
    expect(stdout).not.toContain('\u001b')
  })

  test('--deny ends in denied', async () => {
    const { code, stdout } = await run(['demo', '--deny', '--interval', '1'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✗ the user denied the authorization\n {2}No token was issued/m)
  })

  test('--expire ends in expired', async () => {
    const { code, stdout } = await run(['demo', '--expire', '--interval', '1'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✗ the codes expired .*\n {2}Run the command again/m)
  })

  test('--json prints one object per line and no token', async () => {
    const { code, stdout } = await run(['demo', '--json', '--approve', '--interval', '1'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ status: 'requested', activity: 'requesting' })
    expect(lines.at(-2)).toMatchObject({ status: 'authorized', polls: 3 })
    expect(lines.at(-1)).toEqual({
      event: 'authorized',
      token: { accessToken: '[secret]', tokenType: 'bearer', scopes: ['repo', 'gist'], missingScopes: [] },
      user: { id: 1, login: 'octocat' },
    })
  })

  test('--record also records the grant of its service, without its secrets', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-demo-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'login.ndjson')
    await run(['demo', '--approve', '--interval', '1', '--record', file])
    const text = readFileSync(file, 'utf8')
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const grants = events.filter(({ type }) => type === 'grant')
    expect([...new Set(grants.map(({ state }) => state))]).toEqual([
      'requested',
      'pending',
      'approved',
      'issuing',
      'authorized',
    ])
    expect(Object.keys(grants[0])).toEqual(['type', 'state', 'interval', 'at'])
    expect(text).not.toMatch(/gho_|octocat/)
    const { code } = await run(['replay', file])
    expect(code).toBe(0)
  })

  test('ends when nobody reads its output any more', async () => {
    const env = { PATH: process.env.PATH ?? '' }
    const { code, stderr } = await runWith(['demo', '--interval', '1'], { env, isCut: true })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  })

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    test(`closes everything on ${signal} and exits with ${exitCode}`, async () => {
      const { code, stdout } = await run(['demo'], (text, kill) => text.includes('requested') && kill(signal))
      expect(code).toBe(exitCode)
      expect(stdout).toMatch(/✗ the authorization was cancelled\n$/)
    })

  test('exits with 0 if a signal arrives after the authorization', async () => {
    const preload = `
      const { write } = process.stdout
      process.stdout.write = function (text, ...rest) {
        if (/^authorized /m.test(text)) process.emit('SIGINT', 'SIGINT')
        return write.call(this, text, ...rest)
      }`
    const env = {
      PATH: process.env.PATH ?? '',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}`,
    }
    const { code, stdout } = await runWith(['demo', '--approve', '--interval', '1'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('access_token  [secret]')
  })
})
