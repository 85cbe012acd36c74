import { describe, expect } from 'vitest'
import { linesOfJson } from './support/command.ts'
import { test } from './support/world.ts'

describe('authgraph demo', { concurrent: true, timeout: 30_000 }, () => {
  test.for([
    ['--deny', /^✗ The user denied the request\n {2}No token was issued. Try next: authgraph demo /m],
    [
      '--expire',
      /The demo lets the code expire.*\n[\s\S]*^✗ The code expired .* decided\n {2}No token was issued. Try next: /m,
    ],
  ] as const)('%s ends without a token', async ([option, stdout], { world }) => {
    await world.expect(`demo ${option} --interval 1`, { code: 1, stdout })
  })

  test('--json prints one object per line and no token', async ({ world }) => {
    const lines = linesOfJson((await world.expect('demo --json --approve --interval 1', {})).stdout)
    expect(lines[0]).toMatchObject({ status: 'requested', activity: 'requesting' })
    expect(lines.at(-2)).toMatchObject({ status: 'authorized', polls: 3 })
    expect(lines.at(-1)).toEqual({
      event: 'authorized',
      token: { accessToken: '‹secret›', tokenType: 'bearer', scopes: ['repo', 'gist'], missingScopes: [] },
      user: { id: 1, login: 'octocat' },
    })
  })

  test('ends when nobody reads its output any more', async ({ world }) => {
    await world.expect('demo --interval 1', { code: 1, stderr: '' }, { isCut: true })
  })

  test('closes everything on a signal', async ({ world }) => {
    const stdout = /● The authorization was cancelled\n$/
    const onOutput = (text: string, kill: (signal: NodeJS.Signals) => void) =>
      text.includes('requested') && kill('SIGTERM')
    await world.expect('demo', { code: 143, stdout }, { onOutput })
  })

  test('exits with 0 if a signal arrives after the authorization, and prints no token', async ({ world }) => {
    const preload = `
      const { write } = process.stdout
      process.stdout.write = function (text, ...rest) {
        if (/^authorized /m.test(text)) process.emit('SIGINT', 'SIGINT')
        return write.call(this, text, ...rest)
      }`
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` }
    const stdout = [
      'The demo approves the request',
      'Try next\n  authgraph demo --watch ',
      'token       ‹secret› (bearer)',
      'GET /user   {"id":1,"login":"octocat"}',
    ]
    const ended = { stdout, stderr: '', never: ['gho_', '\u001b'] }
    await world.expect('demo --approve --interval 1', ended, { env })
  })
})
