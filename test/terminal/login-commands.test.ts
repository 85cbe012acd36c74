import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type LoginCommandsOptions, loginCommands, rfc8628 } from '../../src/terminal/index.ts'
import { linesOfJson } from '../cli/support/command.ts'
import { liveService } from '../cli/support/live-service.ts'
import { granted, type Script, scriptedHttp } from '../cli/support/scripted-http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { output } from './support/output.ts'

const TOKEN = 'token-in-the-clear-0123456789'
const OCTOCAT = { id: 1, login: 'octocat' }

// Not by an address in the environment: D-Bus reads that once per process, in which other files have a keyring.
vi.mock('@napi-rs/keyring', () => ({
  AsyncEntry: class {
    constructor() {
      throw new Error('there is none')
    }
  },
}))

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', folder)
  vi.stubEnv('NO_COLOR', '1')
  vi.stubEnv('CI', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Takes the place of a stream of the process. `onText` is called with all of its text so far. */
function captured(name: 'stdout' | 'stderr', onText?: (text: string) => void) {
  const { stream, text } = output({ columns: undefined, onText })
  vi.spyOn(process, name, 'get').mockReturnValue(stream as never)
  return text
}

const at = (url: string) =>
  rfc8628({
    deviceAuthorizationEndpoint: `${url}/login/device/code`,
    tokenEndpoint: `${url}/login/oauth/access_token`,
    revocationEndpoint: `${url}/login/oauth/revoke`,
    baseUrl: url,
  })

/** Returns a function that runs one line of the command `acme` at a service, with streams of its own like a process. */
function acme(url: string, more: Partial<LoginCommandsOptions> = {}) {
  return async (line: string, onText?: (text: string) => void, signal?: AbortSignal) => {
    const stdout = captured('stdout', onText)
    const stderr = captured('stderr')
    const commands = loginCommands({ name: 'acme', clientId: 'id', provider: at(url), ...more })
    const code = await commands.run(line === '' ? [] : line.split(' '), { signal })
    if (code !== 2) commands.session.actor.stop()
    return { code, stdout: stdout(), stderr: stderr() }
  }
}

async function live(options: Parameters<typeof liveService>[0] = {}) {
  const clients = [{ clientId: 'id', name: 'Acme' }]
  const service = await liveService({ clients, dialect: 'rfc8628', ...options })
  onTestFinished(() => service.close())
  return { ...service, run: acme(service.url), where: new URL(service.url).host }
}

async function scripted(script: Script) {
  const service = await scriptedHttp(script)
  onTestFinished(() => service.close())
  return { ...service, run: acme(service.url) }
}

const file = () => join(folder, 'acme', 'default.json')
const NOBODY = { code: 1, stdout: '', stderr: '✗ Not logged in: run acme login\n' }

test('logs in, says who it is, prints the token and the status, and logs out', async () => {
  const { run, approver, issued, where } = await live({ refreshTokens: { lifetime: 3600 } })
  const login = await run('login -s repo --scopes gist,user', approver())
  expect(login).toMatchObject({ code: 0, stderr: '' })
  const facts = ` {2}scopes {6}repo, gist, user\n {2}valid {7}until .*, refreshed automatically\n {2}stored in {3}${file()} \\(plain text\\)\n`
  expect(login.stdout).toMatch(new RegExp(`\n✓ Logged in to ${where} as octocat\n.*${facts}`))
  expect(login.stdout).toMatch(
    /^! The token will be in plain text, in a file that only you can read: the system keyring/,
  )
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(await run('whoami')).toEqual({ code: 0, stdout: 'octocat\n', stderr: '' })
  expect(await run('token')).toEqual({ code: 0, stdout: `${issued[0]}\n`, stderr: '' })
  const status = await run('status')
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(status.stdout).toMatch(
    new RegExp(`^✓ ${where}\n {2}user {8}octocat\n {2}host {8}${where}\n${facts}$`),
  )
  const event = JSON.parse((await run('status --json')).stdout)
  expect(event).toMatchObject({
    host: where,
    user: 'octocat',
    scopes: ['repo', 'gist', 'user'],
    refreshable: true,
    stored: true,
  })
  expect(login.stdout + status.stdout).not.toContain(issued[0])
  expect(await run('logout')).toEqual({
    code: 0,
    stdout: `✓ Logged out of ${where}: the token is revoked, and deleted from this machine.\n`,
    stderr: '',
  })
  expect(readFileSync(file(), 'utf8')).not.toContain(issued[0])
  for (const command of ['logout', 'whoami', 'token', 'status', 'status --json'])
    expect(await run(command)).toEqual(NOBODY)
})

test.each([
  ['denies', 4, 900],
  ['lets the code expire', 3, 1],
])('login prints one error if the user %s, and exits with %i', async (decision, code, expiresIn) => {
  const { run, denier } = await live({ expiresIn })
  const ended = await run('login', decision === 'denies' ? denier() : undefined)
  expect(ended).toMatchObject({ code, stdout: expect.not.stringContaining('✗') })
  expect(ended.stderr.match(/✗/g)).toHaveLength(1)
  expect(await run('whoami')).toEqual(NOBODY)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s cancels the code, and login exits with %i', async (signal, code) => {
  const { run } = await live()
  const stop = (text: string) =>
    /enter the code/.test(text) && process.listenerCount(signal) > 0 && process.emit(signal, signal)
  expect(await run('login', stop)).toMatchObject({ code, stderr: '● The authorization was cancelled\n' })
  expect(process.listenerCount(signal)).toBe(0)
})

test('an abort signal cancels a login before it requests a code', async () => {
  const { run, requests } = await scripted({})
  expect(await run('login', undefined, AbortSignal.abort())).toMatchObject({ code: 130 })
  expect(requests).toEqual([])
})

test('login prints one JSON object per line, and no secret', async () => {
  const { run, approver, issued } = await live()
  const { code, stdout } = await run('login --json', approver())
  expect(code).toBe(0)
  const events = linesOfJson(stdout)
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['notice', 'codes', 'state']))
  expect(events.at(-1)).toMatchObject({ event: 'authorized', user: 'octocat', missingScopes: [] })
  expect(stdout).not.toContain(issued[0])
})

test('a login succeeds at a service that does not say as whom, and whoami does not', async () => {
  const { run } = await scripted({ polls: [granted(TOKEN)], user: {} })
  expect(await run('login')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Logged in to localhost'),
  })
  expect(await run('whoami')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^● Logged in to .*, which does not say as whom\.\n$/),
  })
  expect(await run('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('not reported') })
})

test.each(['<html>', '[]', 'null'])(
  'status and whoami fail if the service responds to them with %s',
  async (body) => {
    const { run, url } = await scripted({ polls: [granted(TOKEN)], user: new Response(body) })
    expect(await run('login')).toMatchObject({ code: 0 })
    const message = `✗ The response (GET ${new URL(url).host}/user) is not a JSON object\n`
    expect(await run('whoami')).toEqual({ code: 1, stdout: '', stderr: message })
    const stdout = expect.stringMatching(
      /^✗ localhost:\d+\n {2}The response \(GET .*\) is not a JSON object\n/,
    )
    expect(await run('status')).toMatchObject({ code: 1, stdout })
  },
)

test('whoami asks the userinfo endpoint of the provider, also at another origin than the API', async () => {
  const user = { sub: '1234', preferred_username: 'mona' }
  const { run: _, url, requests } = await scripted({ polls: [granted(TOKEN)], user })
  const other = url.replace('localhost', '127.0.0.1')
  const run = acme(url, { provider: { ...at(url), userinfoEndpoint: `${other}/userinfo` } })
  await run('login')
  expect(await run('whoami')).toEqual({ code: 0, stdout: 'mona\n', stderr: '' })
  expect(requests.at(-1)).toMatchObject({ path: '/userinfo', authorization: `Bearer ${TOKEN}` })
})

test('a second logout of the same process says that nobody is logged in', async () => {
  const { url, approver } = await live()
  captured('stdout', approver())
  const stderr = captured('stderr')
  const commands = loginCommands({ name: 'acme', clientId: 'id', provider: at(url) })
  expect([await commands.login(), await commands.logout(), stderr()]).toEqual([0, 0, ''])
  expect(await commands.logout()).toBe(1)
  expect(stderr()).toBe(NOBODY.stderr)
  commands.session.actor.stop()
})

test('a login that the service has ended is no longer used', async () => {
  const { run, approver, revoke } = await live()
  await run('login', approver())
  await revoke({ user: OCTOCAT })
  const ended = { code: 1, stdout: '', stderr: '✗ The login has ended: run acme login\n' }
  for (const command of ['status', 'whoami', 'token']) expect(await run(command)).toEqual(ended)
  expect(await run('logout')).toMatchObject({ code: 0, stdout: expect.stringContaining('already ended') })
  expect(await run('whoami')).toEqual(NOBODY)
})

test('status shows a login while its service cannot be reached', async () => {
  const { run, close } = await scripted({ polls: [granted(TOKEN)] })
  await run('login')
  close()
  expect(await run('status')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^✗ localhost:.*\n.*cannot be reached[\s\S]*stored in/),
  })
})

test.each([
  ['logn', /^✗ Unknown command "logn": did you mean "login"\?\n {2}See: acme --help\n$/],
  ['lgoin', /^✗ Unknown command "lgoin": did you mean "login"\?\n/],
  ['deploy', /^✗ Unknown command "deploy": the known ones are login, logout, whoami, token, status\n/],
  [TOKEN, /^✗ Unknown command: the known ones are login, logout, whoami, token, status\n/],
  ['login --scope repo', /^✗ Unknown option of login "--scope": did you mean "--scopes"\?\n/],
  ['logout --scopes repo', /^✗ Unknown option of logout "--scopes": the known ones are --help\n/],
  [`token --${TOKEN}`, /^✗ Unknown option of token: the known ones are --help\n/],
  [`token --access=${TOKEN}`, /^✗ Unknown option of token "--access": the known ones are --help\n/],
  [`whoami ${TOKEN}`, /^✗ The command whoami takes no argument\n/],
  ['login --scopes', /^✗ --scopes of login needs a value\n/],
  [`status --json=${TOKEN}`, /^✗ --json of status takes no value\n/],
])('refuses "%s" with exit code 2, and quotes no value', async (line, stderr) => {
  const ended = await acme('http://localhost:1')(line)
  expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) })
  expect(ended.stderr).not.toContain(TOKEN)
})

test.each(['', 'help', '--help', '-h', 'login --help'])('prints the help for "%s"', async (line) => {
  const { code, stdout } = await acme('http://localhost:1')(line)
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Commands:\n {2}acme login {3}log in with a code[\s\S]*\n {2}129 {2}cancelled \(SIGHUP\)\n {2}130 {2}cancelled \(Ctrl-C\)\n {2}143 {2}cancelled \(SIGTERM\)\n$/,
  )
})

test('names itself as the command that the user runs', () => {
  for (const name of ['', '../acme', 'a b'])
    expect(() => loginCommands({ name, clientId: 'id' })).toThrow('name must be that of your command')
})

test('says in one sentence that an option is missing or unknown, and still prints its help', async () => {
  const missing = { clientId: process.env.NO_SUCH_VARIABLE as string }
  const run = acme('http://localhost:1', missing)
  const stderr = '✗ clientId is missing: pass the client ID of your app; is its environment variable set?\n'
  for (const command of ['login', 'logout', 'whoami', 'token', 'status'])
    expect(await run(command)).toEqual({ code: 2, stdout: '', stderr })
  const help = captured('stdout')
  expect(await loginCommands({ name: 'acme', ...missing }).run([])).toBe(0)
  expect(help()).toMatch(/^Commands:/)
  const wrong: readonly (readonly [object, string])[] = [
    [{ scope: ['repo'] }, '✗ Unknown option "scope": did you mean "scopes"?\n'],
    [{ text: {} }, '✗ Unknown option "text": did you mean "texts"?\n'],
    [{ onCodes: () => undefined }, '✗ Unknown option "onCodes": the known ones are '],
    [{ store: 'tokens.json' }, '✗ store must have a method "update"'],
  ]
  for (const [options, stderr] of wrong)
    expect(await acme('http://localhost:1', options)('whoami')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(stderr),
    })
})

test('a login that cannot be stored fails before a code is requested', async () => {
  const { run, requests } = await scripted({})
  writeFileSync(join(folder, 'acme'), '')
  expect(await run('login')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^✗ .*acme.*\n$/),
  })
  expect(requests).toEqual([])
})
