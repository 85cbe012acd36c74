import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { describe, expect, type onTestFinished, test } from 'vitest'
import { type CheckReport, createSandbox } from '../../src/testing/index.ts'

const command = resolve(import.meta.dirname, '../../dist/src/cli/main.cjs')

const CLIENT_ID = 'client-id-in-the-clear'

/** A service on loopback and the commands that decide for its user. */
async function serve(atEnd: typeof onTestFinished) {
  const sandbox = createSandbox({
    time: 'real',
    interval: 1,
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    refreshTokens: { lifetime: 3600 },
  })
  const user = createServer(async ({ url = '' }, response) => {
    const [, decision, code] = url.split('/')
    const done = await (decision === 'approve' ? sandbox.approve(code) : sandbox.deny(code))
    response.end(done)
  })
  await new Promise<void>((resolve) => user.listen(0, '127.0.0.1', resolve))
  const { port } = user.address() as AddressInfo
  const url = await sandbox.listen()
  atEnd(async () => {
    user.close()
    await sandbox.close()
  })
  const by = (decision: string) =>
    `'${process.execPath}' -e 'fetch(process.argv[1] + process.argv[2])' http://127.0.0.1:${port}/${decision}/ CODE`
  return { sandbox, url, approve: by('approve'), deny: by('deny') }
}

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, 'check', ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

describe.concurrent('authgraph check', () => {
  test('checks a service with commands that approve and deny', async ({ onTestFinished }) => {
    const { url, approve, deny } = await serve(onTestFinished)
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const junit = join(folder, 'check.xml')
    const decisions = ['--approve', approve, '--deny', deny]
    const { code, stdout, stderr } = await run(
      ...[url, '--client-id', CLIENT_ID, '--scope', 'repo,gist', '--resource', `${url}/user`],
      ...['--json', '--junit', junit, ...decisions],
    )
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const report: CheckReport = JSON.parse(stdout)
    expect(report).toMatchObject({ failed: 0, dialect: 'github' })
    const skipped = report.results.filter(({ outcome }) => outcome === 'not applicable').map(({ id }) => id)
    // On a slow machine, the next poll after the command is no longer early.
    expect(skipped.filter((id) => id !== 'early-decision')).toEqual(['foreign-device-code', 'expired'])
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toContain(
      `tests="${report.results.length}" failures="0" errors="0" skipped="${skipped.length}"`,
    )
    expect(xml.match(/<testcase /g)).toHaveLength(report.results.length)
  })

  test('does not fail the service if a command fails', async ({ onTestFinished }) => {
    const { url, approve } = await serve(onTestFinished)
    const { code, stdout } = await run(url, '--client-id', CLIENT_ID, '--approve', approve, '--deny', 'false')
    expect(code).toBe(0)
    expect(stdout).toContain('nobody denied: the command ended with exit code 1')
  })

  test('asks the user at the terminal', async ({ onTestFinished }) => {
    const { sandbox, url } = await serve(onTestFinished)
    const terminal = spawn(process.execPath, [command, 'check', url], {
      cols: 100,
      env: { ...process.env, NO_COLOR: '', AUTHGRAPH_CLIENT_ID: CLIENT_ID },
    })
    let shown = ''
    let handled = 0
    terminal.onData(async (data) => {
      shown += data
      const [question, code, word] =
        /Code {2}(\S+)\s+Then (approve|deny) the request and press Enter here\./.exec(shown.slice(handled)) ??
        []
      if (question === undefined) return
      handled = shown.length
      await (word === 'approve' ? sandbox.approve(code) : sandbox.deny(code))
      terminal.write('\r')
    })
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve))
    expect(exitCode).toBe(0)
    const text = plain(shown)
    expect(text).toContain('  ✓ the poll after the denial gets access_denied')
    expect(text).toContain('  – the device code of another client')
    expect(text).toContain('0 failed')
    expect(text).not.toContain(CLIENT_ID)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  test('stops on Ctrl-C while it waits and while it asks', async ({ onTestFinished }) => {
    const { url } = await serve(onTestFinished)
    for (const at of ['the device code response is application/json', 'press Enter here.']) {
      const terminal = spawn(process.execPath, [command, 'check', url, '--client-id', CLIENT_ID], {
        cols: 100,
      })
      let shown = ''
      terminal.onData((data) => {
        const before = shown
        shown += data
        if (shown.includes(at) && !before.includes(at)) terminal.write('\u0003')
      })
      const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve))
      expect(exitCode).toBe(130)
      expect(shown).not.toContain('passed,')
    }
  })

  test.for([
    ['its address', (url: string) => [url]],
    ['its metadata', (url: string) => ['--issuer', url]],
    [
      'its endpoints',
      (url: string) => [
        ...['--device-authorization-endpoint', `${url}/login/device/code`],
        ...['--token-endpoint', `${url}/login/oauth/access_token`],
      ],
    ],
  ] as const)(
    'finds a service by %s and shows failures without secrets',
    async ([, words], { onTestFinished, expect }) => {
      const { sandbox, url } = await serve(onTestFinished)
      sandbox.inject('html', { on: 'codes', times: 2 })
      const { code, stdout } = await run(...words(url), '--client-id', CLIENT_ID)
      expect(code).toBe(1)
      expect(stdout).toContain('✗ the device code response has device_code')
      expect(stdout).toContain(`POST ${url}/login/device/code`)
      expect(stdout).toContain('client_id=[client_id]')
      expect(stdout).toContain('Sign in to continue.')
      expect(stdout).not.toContain(CLIENT_ID)
      expect(stdout).toMatch(/0 passed, 1 failed, 0 advised, \d+ not applicable \(2 requests\)/)
    },
  )

  test.each([
    [['http://127.0.0.1:1'], "required option '--client-id"],
    [['--client-id', 'id'], 'no service: give its address'],
    [['localhost', '--client-id', 'id'], 'is not an absolute URL'],
    [['https://example.com', '--client-id', 'id'], 'on another machine: add --yes-remote'],
    [['--issuer', 'https://example.com', '--client-id', 'id'], 'on another machine: add --yes-remote'],
    [['http://127.0.0.1:1', '--client-id', 'id', '--page-origin', 'localhost'], 'Expected an address'],
    [['http://127.0.0.1:1', '--client-id', 'id', '--token-endpoint', 'http://127.0.0.1:1'], 'set both'],
    [['http://127.0.0.1:1', '--client-id', 'id', '--approve', "approve 'CODE"], 'a quote that is not closed'],
    [['http://127.0.0.1:1', '--client-id', 'id', '--deny', "sh -c 'deny CODE'"], 'a separate word'],
  ])('%j is a usage error', async (args, sentence) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
    expect(stderr).toContain('See: authgraph check --help')
  })
})

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control sequences.
  return text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]|\r/g, '')
}
