import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const command = join(resolve(import.meta.dirname, '../..'), 'dist/src/cli/main.js')

/** Runs the command as built; `onOutput` sees what has come so far. */
function run(args: string[], onOutput: (text: string, interrupt: () => void) => void = () => undefined) {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    onOutput(stdout, () => child.killed || child.kill('SIGINT'))
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
}

describe.concurrent('authgraph demo', () => {
  test('--approve goes from requested over pending to authorized, and prints no token', async () => {
    const { code, stdout, stderr } = await run(['demo', '--approve', '--interval', '1'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^requested .* s left\)\n(?:.*\n)*pending .* s left\)\n(?:.*\n)*authorized /m)
    expect(stdout).toContain('access_token  [secret]')
    expect(stdout).toContain('GET /user     {"id":1,"login":"octocat"}')
    expect(stdout).not.toContain('gho_')
    expect(stdout).not.toContain('\u001b')
  })

  test('--deny ends with denied', async () => {
    const { code, stdout } = await run(['demo', '--deny', '--interval', '1'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^denied /m)
  })

  test('--expire ends with expired', async () => {
    const { code, stdout } = await run(['demo', '--expire', '--interval', '1'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^expired /m)
  })

  test('--json prints one object a line, and no token', async () => {
    const { code, stdout } = await run(['demo', '--json', '--approve', '--interval', '1'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(lines[0]).toMatchObject({ status: 'requested', activity: 'requesting' })
    expect(lines.at(-2)).toMatchObject({ status: 'authorized', polls: 3 })
    expect(lines.at(-1)).toEqual({
      token: { accessToken: '[secret]', tokenType: 'bearer', scopes: ['repo', 'gist'], missingScopes: [] },
      user: { id: 1, login: 'octocat' },
    })
  })

  test('ends with 130 on Ctrl-C, with everything closed', async () => {
    const { code, stdout } = await run(
      ['demo'],
      (text, interrupt) => text.includes('requested') && interrupt(),
    )
    expect(code).toBe(130)
    expect(stdout).toMatch(/^cancelled /m)
  })
})
