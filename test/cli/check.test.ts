import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect } from 'vitest'
import { requirementsFrom } from '../../src/check/requirements.ts'
import { type CheckReport, createSandbox, type Fault } from '../../src/testing/index.ts'
import { test, type World } from './support/world.ts'

const CLIENT_ID = 'client-id-in-the-clear'
const GUIDE = resolve(import.meta.dirname, '../../docs/guides/check-a-service.md')

/** A service, and the commands that decide for its user. */
async function served(world: World) {
  const sandbox = createSandbox({
    time: 'real',
    interval: 1,
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    refreshTokens: { lifetime: 3600 },
  })
  const user = await world.serve(async ({ url = '' }, response) => {
    response.end(await sandbox.deny(url.slice(1)))
  })
  const url = await sandbox.listen()
  world.onEnd(() => sandbox.close())
  const file = join(world.folder, 'decide.mjs')
  const [, script = ''] = /```js\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? []
  writeFileSync(file, script)
  const approve = `'${process.execPath}' '${file}' approve`
  const deny = `'${process.execPath}' -e 'fetch(process.argv[1] + process.argv[2])' ${user}/ CODE`
  return { sandbox, url, approve, deny }
}

const check = (url: string, ...more: string[]) => ['check', url, '--client-id', CLIENT_ID, ...more]

describe('authgraph check', { concurrent: true }, () => {
  test('checks a service with commands that approve and deny', async ({ world }) => {
    const { url, approve, deny } = await served(world)
    const junit = join(world.folder, 'check.xml')
    const options = ['--scopes', 'repo,gist', '--resource', `${url}/user`, '--json', '--junit', junit]
    const { stdout } = await world.expect(check(url, ...options, '--approve', approve, '--deny', deny), {
      stderr: ['    --approve: You approved the request\n'],
    })
    const report: CheckReport = JSON.parse(stdout)
    expect(report).toMatchObject({ failed: 0, dialect: 'github' })
    const skipped = report.results.filter(({ outcome }) => outcome === 'not applicable').map(({ id }) => id)
    // On a slow machine, the next poll after the command is no longer early.
    expect(skipped.filter((id) => id !== 'early-decision')).toEqual([
      'foreign-device-code',
      'expired',
      ...(['jwks', 'introspection-anonymous', 'dpop-algorithms'] as const).flatMap(requirementsFrom),
    ])
    const xml = readFileSync(junit, 'utf8')
    const counts = `failures="0" errors="0" skipped="${skipped.length}"`
    expect(xml).toContain(`tests="${report.results.length}" ${counts}`)
    expect(xml.match(/<testcase /g)).toHaveLength(report.results.length)
  })

  test('fails if a command fails, and says which requirement it could not check', async ({ world }) => {
    const { url, approve } = await served(world)
    const words = check(url, '--approve', approve, '--deny', 'false')
    const [requirement, reason] = [
      'the poll after the denial gets access_denied',
      'nobody denied: --deny ended with exit code 1',
    ]
    const stdout = [`✗ ${requirement} (${reason})\n`, `    ${reason}\n`, ' 1 failed']
    const ended = await world.expect(words, { code: 1, stdout })
    expect(ended.stdout.match(/Refused polls/g)).toHaveLength(1)
  })

  test('lists at the end what it could not check', { timeout: 60_000 }, async ({ world }) => {
    const { url } = await served(world)
    const reason = 'nobody approved: --approve ended with exit code 1'
    const options = ['--approve', 'false', '--other-client-id', 'unknown']
    const ended = await world.expect(check(url, ...options), { code: 1, stdout: [' 26 not checked'] })
    const other = 'the second client gets no codes: incorrect_client_credentials'
    const list = ['Not checked', reason, 'nobody denied: set --deny', other].join('\n  ● ')
    expect(ended.stdout).toContain(`  ${list}\n\n`)
  })

  test.for([
    [[], 'Nobody can approve a login: set --approve, or use a terminal without --json'],
    [['--approve', 'true', '--other-client-id', CLIENT_ID], 'The second client is the first: give another'],
    [['--approve', '/nowhere CODE'], '"/nowhere" in --approve is not an executable program: check its name'],
    [
      ['--approve', 'true', '--deny', '/tmp CODE'],
      '"/tmp" in --deny is not an executable program: check its',
    ],
  ] as const)('refuses %j before any request', async ([options, error], { world }) => {
    const { sandbox, url } = await served(world)
    await world.expect(check(url, ...options), { code: 2, stderr: [error] })
    expect(sandbox.requests).toEqual([])
  })

  test('says before the check that the report cannot be written', async ({ world }) => {
    const { sandbox, url, approve } = await served(world)
    const file = join(world.folder, 'missing', 'check.xml')
    const stderr = `✗ Cannot write ${file} (no such file or directory): name another file with --junit\n`
    await world.expect(check(url, '--approve', approve, '--junit', file), { code: 1, stdout: '', stderr })
    expect(sandbox.requests).toEqual([])
  })

  test('asks the user at the terminal', async ({ world }) => {
    const { sandbox, url } = await served(world)
    const env = { AUTHGRAPH_CLIENT_ID: CLIENT_ID }
    const terminal = world.open(['check', url], { columns: 100, env })
    const question = 'Code {2}(\\S+)\\s+Then (approve|deny) the request and press Enter here\\.'
    for (let asked = 1; ; asked += 1) {
      const shown = await Promise.race([
        terminal.shows(new RegExp(`(${question}[^]*){${asked}}`)),
        terminal.exit,
      ])
      if (typeof shown === 'number') break
      const [, code, word] = [...shown.matchAll(new RegExp(question, 'g'))].at(-1) ?? []
      await (word === 'approve' ? sandbox.approve(code) : sandbox.deny(code))
      terminal.press('\r')
    }
    expect(await terminal.exit).toBe(0)
    const text = terminal.screen()
    expect(text).toContain('  ✓ the poll after the denial gets access_denied')
    expect(text).toContain('  – the device code of another client')
    expect(text).toContain('0 failed')
    for (const part of ['Open  \u001b[0;4mhttp', 'Code  \u001b[0;1m'])
      expect(terminal.colored()).toContain(part)
    expect(text).not.toContain(CLIENT_ID)
  })

  test.for([/response is application\/json/, /press Enter here/])(
    'stops on Ctrl-C at %s',
    async (shown, { world }) => {
      const { url } = await served(world)
      const terminal = world.open(check(url), { columns: 100 })
      await terminal.shows(shown)
      terminal.press('\u0003')
      expect(await terminal.exit).toBe(130)
      expect(terminal.screen()).toMatch(/● Stopped: [1-9]\d* passed, 0 failed, .* not checked/)
    },
  )

  test('stops on SIGTERM, also during a command, with the failures so far', async ({ world }) => {
    const { sandbox, url } = await served(world)
    sandbox.inject('html', { on: 'poll' })
    const junit = join(world.folder, 'check.xml')
    writeFileSync(junit, 'of an earlier check')
    const approve = `'${process.execPath}' -e 'fs.writeFileSync(process.argv[1], ""); setTimeout(() => {}, 99_999)'`
    const started = join(world.folder, 'started')
    const options = ['--approve', `${approve} '${started}'`, '--junit', junit]
    const stderr = /^\n {2}Failed\n {2}✗ a poll before .*\n[\s\S]*\n {2}● Stopped: \d+ passed, [1-9] failed, /
    await world.expect(
      check(url, ...options),
      { code: 143, stderr },
      {
        killWhen: [() => existsSync(started), 'SIGTERM'],
      },
    )
    expect(readFileSync(junit, 'utf8')).toBe('of an earlier check')
  })

  test('says first that the service is gone in the middle of the check', async ({ world }) => {
    const { sandbox, url, approve } = await served(world)
    sandbox.inject('drop', { on: 'poll', times: 99 })
    const stdout = /Polls\n {2}✗ 127.0.0.1:\d+ cannot be reached.*\n {4}a poll before/
    await world.expect(check(url, '--approve', approve), { code: 1, stdout })
  })

  test.for<[Fault, error: string]>([
    [{ status: 404 }, 'with status 404\n  Check the client ID. Check the address, or'],
    [{ status: 500 }, '✗ The service failed (POST 127.0.0.1:'],
    [{ status: 400 }, 'with status 400\n  Check the client ID and the scopes.\n'],
    [{ error: 'invalid_client' }, 'with error code invalid_client: check the client ID\n'],
    ['html', ') is not a JSON object\n  Check the address, or'],
  ])(
    'reports no requirement if the service responds with %j to the first request',
    async ([fault, error], { world }) => {
      const { sandbox, url, approve } = await served(world)
      sandbox.inject(fault, { times: 2 })
      const never = ['Device codes', 'failed,', CLIENT_ID]
      const junit = join(world.folder, 'check.xml')
      const options = ['--approve', approve, '--junit', junit]
      await world.expect(check(url, ...options), { code: 1, stderr: [error], never })
      expect(existsSync(junit)).toBe(false)
    },
  )

  test('shows that it waits if the service limits the rate', async ({ world }) => {
    let received = 0
    const url = await world.serve((_, response) => {
      received += 1
      response.writeHead(received === 1 ? 429 : 404, { 'retry-after': '1' }).end()
    })
    const stderr = /^ {4}waiting: status 429, retry-after: 1\n[\s\S]*with status 404/
    await world.expect(check(url, '--approve', 'true'), { code: 1, stderr })
  })

  test('says that the service cannot be reached, and uses a proxy', async ({ world }) => {
    const stderr =
      /^✗ localhost:2 cannot be reached \(ECONNREFUSED, POST \/login\/device\/code\)\n {2}Nothing accepts connections/
    await world.expect(check('http://localhost:2', '--approve', 'true'), { code: 1, stderr })
    const env = { HTTPS_PROXY: 'http://127.0.0.1:1' }
    const proxied = { code: 1, stderr: ['the proxy 127.0.0.1:1 cannot be reached'] }
    await world.expect(check('https://localhost:8443', '--approve', 'true'), proxied, { env })
  })

  const endpoints = (url: string) =>
    `--device-authorization-endpoint ${url}/login/device/code --token-endpoint ${url}/login/oauth/access_token`
  test.for([
    ['its address', (url: string) => url],
    ['its metadata', (url: string) => `--issuer ${url}`],
    ['its endpoints', endpoints],
  ] as const)('finds a service by %s and shows failures without secrets', async ([, words], { world }) => {
    const { sandbox, url } = await served(world)
    sandbox.inject({ body: '{"verification_uri":""}' }, { on: 'codes', times: 2 })
    const shown = [
      '✗ the device code response has device_code',
      `POST ${url}/login/device/code`,
      'client_id=[client_id]',
      '0 passed, 1 failed, 0 advised, ',
    ]
    const ended = { code: 1, stdout: shown, never: [CLIENT_ID] }
    await world.expect(`check ${words(url)} --client-id ${CLIENT_ID} --approve true`, ended)
  })
})
