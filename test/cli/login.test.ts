import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { linesOfJson } from './support/command.ts'
import { CLIENT_ID } from './support/live-service.ts'
import { fileOf } from './support/logged-in.ts'
import { DENIED, granted, PENDING } from './support/scripted-http.ts'
import { type Ended, loginTo, test, type World } from './support/world.ts'

const TOKEN = 'gho_tokenInTheClear0123456789'
const WORK = ['--profile', 'work']
const POLLS = '/login/oauth/access_token'

const filesIn = (world: World, folder = '') =>
  world.files().filter(({ name, isFile }) => isFile && name.startsWith(folder))
const unfinishedIn = (world: World) => filesIn(world, 'state/unfinished/')

describe('authgraph login', { concurrent: true }, () => {
  test('stores the token in a file that only the user can read, and no secret in the profile', async ({
    world,
  }) => {
    const service = await world.live()
    const scopes = ['--client-id', CLIENT_ID, '--scopes', 'repo', '--scopes', 'gist,user']
    const { host } = new URL(service.host)
    const { stdout } = await world.expect(
      [...loginTo(service.host), ...scopes],
      { stdout: [`✓ Logged in to ${host} as octocat`, 'scopes      repo, gist, user'], stderr: '' },
      { onOutput: service.approver() },
    )
    expect(stdout).toMatch(/^Open http:\/\/\S+ and enter the code [A-Z-]{9}$/m)
    const [token = 'none'] = service.issued
    for (const secret of [token, '\u001b']) expect(stdout).not.toContain(secret)
    for (const { isFile, mode } of world.files()) expect(mode).toBe(isFile ? 0o600 : 0o700)
    const holding = filesIn(world).filter(({ text }) => text.includes(token) || text.includes(CLIENT_ID))
    expect(holding.map(({ name }) => name)).toEqual([`state/logins/${encodeURIComponent(host)}.json`])
    expect(unfinishedIn(world)).toEqual([])
  })

  test('reuses the client ID, address, scopes and store of the previous login', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN)] })
    expect((await world.login(url, '--profile work --scopes repo')).code).toBe(0)
    await world.expect('login --profile work', {})
    const [one, other] = requests.filter(({ path }) => path === '/login/device/code')
    expect(other?.fields).toEqual(one?.fields)
    expect(Object.fromEntries(one?.fields ?? [])).toEqual({ client_id: 'id', scope: 'repo' })
  })

  test('does not send a client ID to another service, or to another token endpoint', async ({ world }) => {
    const [one, other] = await Promise.all([jsonServer(world), jsonServer(world)])
    const login = ['login', '--store', 'file', ...WORK]
    await world.expect([...login, '--client-id', 'id', ...one.endpoints], {})
    one.received.length = 0
    await world.expect([...login, '--host', other.url], {
      code: 2,
      stderr: [`No client ID for ${new URL(other.url).host}: `],
    })
    const mixed = [...one.endpoints.slice(0, 3), other.endpoints[3] ?? '']
    await world.expect([...login, ...mixed], { code: 2 })
    expect([...one.received, ...other.received]).toEqual([])
  })

  test.for([
    ['stores a token', granted(TOKEN), 0, ''],
    ['reports a denial', DENIED, 4, /^✗ The user denied/],
  ] as const)('%s although its progress cannot be deleted', async ([, response, code, stderr], { world }) => {
    const name = join(world.folder, 'state/unfinished/work.json')
    const onRequest = (path: string) => {
      if (path !== POLLS) return
      rmSync(name)
      mkdirSync(name)
    }
    const { url } = await world.scripted({ polls: [response], onRequest })
    await world.expect([...loginTo(url), ...WORK], { code, stderr })
    expect((await world.run('token --profile work')).stdout).toBe(code === 0 ? `${TOKEN}\n` : '')
  })

  test('--resume --no-wait shows the code before it polls, and says that the login is saved', async ({
    world,
  }) => {
    const { url, wasAsked } = await world.scripted({ hang: POLLS })
    await world.expect([...loginTo(url), '--no-wait'], { code: 75 })
    const { host } = new URL(url)
    const stderr = `✗ The login of ${host} is not finished: run authgraph login --resume --profile ${host}\n`
    for (const words of ['status', `token --profile ${host}`])
      await world.expect(words, { code: 1, stdout: '', stderr })
    const shown = { code: 130, stdout: /enter the code WDJB-MJHT[\s\S]*Login saved/ }
    await world.expect('login --resume --no-wait', shown, { killWhen: [() => wasAsked(POLLS), 'SIGINT'] })
  })

  test.for([
    ['ends on a signal, with the token stored', [], 'SIGINT', { code: null }, [TOKEN]],
    [
      'ignores a signal if the token is not stored',
      ['--store', 'none', '--print'],
      'SIGINT',
      { stdout: `${TOKEN}\n`, stderr: ['✓ Logged in'] },
      [],
    ],
    [
      'has printed the token',
      ['--store', 'none', '--print', '--json'],
      'SIGKILL',
      { code: null, stdout: [`{"event":"token","token":"${TOKEN}"}\n`] },
      [],
    ],
  ] as const)('while it asks for the user, it %s', async ([, options, signal, ended, stored], { world }) => {
    const { url, wasAsked } = await world.scripted({ polls: [granted(TOKEN)], hang: '/user' })
    await world.expect([...loginTo(url), ...options], ended as Ended, {
      killWhen: [() => wasAsked('/user'), signal],
    })
    expect((await world.run('token')).stdout).toBe(stored.map((token) => `${token}\n`).join(''))
  })

  test('stops if its progress cannot be saved', async ({ world }) => {
    const { url } = await world.scripted()
    mkdirSync(join(world.folder, 'state'))
    writeFileSync(join(world.folder, 'state', 'unfinished'), '')
    await world.expect(loginTo(url), { code: 1, stdout: '', stderr: /✗ Cannot use .*unfinished/ })
  })

  test('prints a command that resumes, also for --store none and for a name with brackets', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [PENDING, granted(TOKEN)] })
    const saved = await world.login(url, '--no-wait --open --profile [::1]:80 --store none --print')
    expect(saved.stderr).toContain('No browser available')
    const [, command = ''] = /Resume with {2}authgraph (.*)/.exec(saved.stderr) ?? []
    expect(command).toBe("login --resume --profile '[::1]:80' --print")
    await world.expect(command.replaceAll("'", ''), { stdout: `${TOKEN}\n` })
  })

  test.for([
    [{ codes: { expires_in: 1 } }, 3, 'The code expired before the user decided'],
    [{ polls: [DENIED] }, 4, 'The user denied the request'],
  ] as const)(
    'says how to start again after a resumed login that ends with %j',
    async ([script, code, why], { world }) => {
      const { url } = await world.scripted(script)
      await world.login(url, '--no-wait')
      await world.expect('status', { code: 1 })
      const stderr = [
        `✗ ${why}\n  To start again, run authgraph login with the options that you first used.\n`,
      ]
      await world.expect('login --resume', { code, stderr })
    },
  )

  test('removes the records of expired codes, and exits with 3 when its own expires', async ({ world }) => {
    const { url } = await world.scripted({ codes: { expires_in: 1 } })
    for (const name of ['one', 'other']) await world.login(url, `--profile ${name} --no-wait`)
    const stderr = [
      '✗ The code expired before the user decided\n  Run the command again to get a new code.\n',
    ]
    await world.expect(loginTo(url), { code: 3, stderr })
    // Those of the others have expired before this one starts.
    await world.expect(loginTo(url), { code: 3, stderr })
    await world.expect('login --resume', {
      code: 1,
      stderr: ['to resume: run authgraph login --client-id ID\n'],
    })
    const ofOne =
      '✗ There is no unfinished login of one to resume: run authgraph login --profile one with the options that you first used\n'
    await world.expect('login --resume --profile one', { code: 1, stderr: ofOne })
    expect(filesIn(world)).toEqual([])
  })

  test('explains a refusal once, without control characters', async ({ world }) => {
    const error = 'too\u001b[2J_odd'
    const body = JSON.stringify({ error, error_description: 'Your plan\u202e\r\nhas no \u001b[31mdevices.' })
    const url = await world.serve((_request, response) => void response.end(body))
    const { stderr } = await world.expect(loginTo(url), { code: 1 })
    expect(stderr).toContain('/login/device/code) with status 200 and error code too?[2J_odd\n')
    expect(stderr).toMatch(/^ {2}The service says: Your plan has no \[31mdevices\.\n$/m)
    expect(stderr.match(/✗/g)).toHaveLength(1)
  })

  test('prints no control characters that a service sends', async ({ world }) => {
    const evil = '\u001b[2J\u009b31m\u202e\r\n'
    const { url } = await world.scripted({
      polls: [granted(TOKEN, { scope: `repo${evil},gist` })],
      user: { login: `octo${evil}cat` },
    })
    const users = await world.login(url)
    const programs = await world.login(url, '--json')
    expect(users.stdout).toContain('as octo[2J31mcat\n')
    for (const { stdout } of [users, programs])
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(linesOfJson(programs.stdout).at(-1)).toMatchObject({ event: 'authorized', user: `octo${evil}cat` })
  })

  test('does not print a token with control characters', async ({ world }) => {
    const { url } = await world.scripted({ polls: [granted('gho_\u001b[2J\u202etoken')] })
    const never = ['gho_', '\u001b', '\u202e']
    const ended = { code: 1, stderr: ['access_token'], never }
    await world.expect([...loginTo(url), '--store', 'none', '--print'], ended)
  })

  test('says that a login is complete although the service does not say who the user is', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)], user: new Response('', { status: 401 }) })
    const unknown = '  user        unknown: the service refused the request (GET '
    await world.expect(loginTo(url), { stdout: ['✓ Logged in to ', unknown], stderr: '' })
  })

  test('counts the lifetime of a token by its own clock, whatever the service says', async ({ world }) => {
    const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
    const { url } = await world.scripted({ headers, polls: [granted(TOKEN, { expires_in: 3_600 })] })
    const before = Date.now()
    const { stdout } = await world.expect([...loginTo(url), '--json', ...WORK], { never: [TOKEN, '"id"'] })
    const lifetime = linesOfJson(stdout).at(-1).expiresAt - 3_600_000
    expect(lifetime >= before && lifetime <= Date.now()).toBe(true)
    expect(JSON.parse(readFileSync(fileOf(world), 'utf8')).value.sentAt).toBeGreaterThanOrEqual(before)
  })

  test('without a keyring, fails before it sends a request', async ({ world }) => {
    const { url, requests } = await world.scripted()
    await world.expect([...loginTo(url), '--store', 'keyring'], { code: 1, stderr: ['--store file'] })
    expect(requests).toEqual([])
  })

  test('--no-wait shows the code and exits with 75; --resume continues, and polls once with --no-wait', async ({
    world,
  }) => {
    const service = await world.live()
    const login = [...loginTo(service.host), '--client-id', CLIENT_ID, '--scopes', 'repo', '--no-wait']
    const first = linesOfJson((await world.expect([...login, '--json'], { code: 75 })).stdout)
    const { userCode } = first.find(({ event }) => event === 'codes')
    const { event, resume } = first.at(-1)
    expect([event, resume]).toEqual(['saved', expect.stringMatching(/^authgraph login --resume --profile /)])
    expect(unfinishedIn(world)).toHaveLength(1)
    const stdout = [`enter the code ${userCode}`, 'pending']
    await world.expect('login --resume --no-wait', { code: 75, stdout })
    await service.approve(userCode, 'octocat')
    await world.expect(resume.split(' ').slice(1), { stdout: ['scopes      repo'] })
    expect(unfinishedIn(world)).toEqual([])
  })

  test.for([
    ['not JSON', () => '{', ['status', 'token', 'switch --profile work']],
    ['without its code', (text: string) => text.replace('"deviceCode"', '"code"'), ['status']],
    ['from another service', (text: string) => text.replace('/access_token"', '/token"'), []],
  ] as const)('says how to replace an unfinished login that is %s', async ([, damage, more], { world }) => {
    const { url } = await world.scripted()
    await world.login(url, '--no-wait --profile work')
    const path = join(world.folder, 'state', 'unfinished', 'work.json')
    writeFileSync(path, damage(readFileSync(path, 'utf8')))
    const again = 'to start again, run authgraph login --profile work with the options that you first used'
    const stderr =
      `✗ The unfinished login of work is damaged or from another version: ${again}; ` +
      'to delete it, run authgraph logout --profile work\n'
    for (const words of ['login --resume', ...more])
      await world.expect(words, { code: 1, stdout: '', stderr })
    await world.expect('logout --profile work', { stdout: '✓ Deleted the unfinished login of work.\n' })
    expect(unfinishedIn(world)).toEqual([])
  })

  test('leaves the unfinished login that replaced it, and says that it is not saved itself', async ({
    world,
  }) => {
    const first = await world.scripted()
    const other = await world.scripted({ codes: { device_code: 'other-code' } })
    const polls = () => first.requests.filter(({ path }) => path === POLLS).length
    let polled = Number.POSITIVE_INFINITY
    const stopped = world.expect(
      [...loginTo(first.url), ...WORK],
      {
        code: 143,
        stdout: /Stopped\. This login is not saved: another login of work has/,
        never: ['Resume'],
      },
      { killWhen: [() => polls() > polled + 1, 'SIGTERM'] },
    )
    await expect.poll(polls, { timeout: 20_000 }).toBeGreaterThan(0)
    const stderr = '! This login will replace the unfinished one of work\n'
    await world.expect([...loginTo(other.url), ...WORK, '--no-wait'], { code: 75, stderr })
    polled = polls()
    await stopped
    expect(unfinishedIn(world).map(({ text }) => text.includes('other-code'))).toEqual([true])
  })

  test('does not say that it replaces an unfinished login if it cannot be recorded', async ({ world }) => {
    const { url } = await world.scripted()
    const login = [...loginTo(url), ...WORK, '--no-wait']
    await world.expect(login, { code: 75 })
    const stderr = /^✗ Cannot write \/nowhere\/x /
    await world.expect([...login, '--record', '/nowhere/x'], { code: 1, stderr })
    expect(unfinishedIn(world)).toHaveLength(1)
  })

  test('resumes a killed login with the same code', async ({ world }) => {
    const service = await world.live()
    const killed = await world.login(service.host, `--client-id ${CLIENT_ID}`, {
      onOutput: (text, kill) => text.includes('pending') && kill('SIGKILL'),
    })
    expect(killed.code).toBeNull()
    const code = /[A-Z]{4}-[A-Z]{4}/.exec(killed.stdout)?.[0] ?? 'none'
    await world.expect('login --resume', { stdout: [code] }, { onOutput: service.approver() })
  })

  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('saves the login on %s and exits with %i', async ([signal, code], { world }) => {
    const { url } = await world.scripted()
    await world.expect(
      loginTo(url),
      { code, stdout: /Resume with {2}authgraph login --resume --profile localhost:\d+\n$/ },
      { onOutput: (text, kill) => text.includes('requested') && kill(signal) },
    )
    expect(filesIn(world).some(({ text }) => text.includes('device-code-in-the-clear'))).toBe(true)
  })

  /** A server with other paths, without metadata, that accepts only JSON. */
  async function jsonServer(world: World) {
    const received: { path: string; type: string; fields: object }[] = []
    const url = await world.serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { url: path = '', headers } = request
      const type = headers['content-type'] ?? ''
      received.push({ path, type, fields: type === 'application/json' ? JSON.parse(body) : {} })
      if (type !== 'application/json') return response.writeHead(415).end()
      const codes = { device_code: 'd', user_code: 'ABCD', verification_uri: `${url}/activate`, interval: 1 }
      if (path === '/codes') return response.end(JSON.stringify({ ...codes, expires_in: 60 }))
      return path === '/poll' ? response.end(JSON.stringify(granted(TOKEN))) : response.writeHead(404).end()
    })
    const endpoints = ['--device-authorization-endpoint', `${url}/codes`, '--token-endpoint', `${url}/poll`]
    return { url, received, endpoints }
  }

  test('logs in by endpoints to a server without metadata that accepts only JSON', async ({ world }) => {
    const { url, received, endpoints } = await jsonServer(world)
    const login = ['login', '--client-id', 'id', '--scopes', 'a b', '--store', 'file', ...WORK]
    const stdout = [`✓ Logged in to ${new URL(url).host}\n`]
    await world.expect([...login, ...endpoints], { stdout, stderr: '' })
    expect(received.map(({ path, type }) => [path, type])).toEqual([
      ['/codes', 'application/x-www-form-urlencoded'],
      ['/codes', 'application/json'],
      ['/poll', 'application/json'],
    ])
    expect(received[1]?.fields).toEqual({ client_id: 'id', scope: 'a b' })
    await world.expect('token', { stdout: `${TOKEN}\n` })
    expect((await world.run('status')).stdout).toContain('this service has no known API')
    received.length = 0
    await world.expect('login --profile work --encoding json', {})
    await world.expect('login --profile work', {})
    expect(received.map(({ path, type }) => [path, type])).toEqual(
      ['/codes', '/poll', '/codes', '/poll'].map((path) => [path, 'application/json']),
    )
  })

  test.for([
    [' closed the connection before the response was complete (ECONNRESET, ', 'Try again.'],
    [' cannot be decompressed (Z_DATA_ERROR, ', 'The response is not in the format that its header', 'gzip'],
  ] as const)('says that a service or its response%s', async ([what, why, packing], { world }) => {
    const url = await world.serve((_request, response) => {
      if (packing) return response.writeHead(200, { 'content-encoding': packing }).end('not packed')
      return response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')
    })
    const stderr = [`${what}POST /login/device/code)\n  ${why}`]
    await world.expect(loginTo(url), { code: 1, stdout: '', stderr })
  })

  test('says how to log in to a server with other paths or without metadata', async ({ world }) => {
    const { url } = await jsonServer(world)
    const login = ['login', '--client-id', 'id', '--store', 'file']
    const none = ` publishes no metadata (status 415)\n`
    const advice = 'use --device-authorization-endpoint and --token-endpoint.'
    await world.expect([...login, '--issuer', url], {
      code: 1,
      stderr: [none, `${advice} In a network with a login page, sign in there first.\n`],
    })
    await world.expect([...login, '--host', url], { code: 1, stderr: [advice] })
    const check = ['check', '--client-id', 'id', '--issuer', url]
    await world.expect(check, { code: 1, stderr: [none, advice], never: ['--host'] })
    const given = ['--device-authorization-endpoint', `${url}/none`, '--token-endpoint', `${url}/none`]
    const both = 'Check the client ID. Check --device-authorization-endpoint and --token-endpoint.\n'
    await world.expect([...login, ...given], { code: 1, stderr: [both] })
    const failing = await world.serve((_request, response) => void response.writeHead(500).end())
    const down = 'oauth-authorization-server) with status 500\n  The service is down or overloaded: try again'
    await world.expect([...login, '--issuer', failing], { code: 1, stderr: [down], never: ['Is this'] })
  })

  test.for([
    [[], 415, 'The service accepts neither a form nor JSON. Check the address'],
    [['--encoding', 'json'], 415, 'The service does not accept JSON: run the command again without --enc'],
    [
      [],
      400,
      'Check the client ID and the scopes. If the server reads only JSON, use --encoding json. If the port',
    ],
    [['--encoding', 'json'], 400, 'Check the client ID and the scopes. If the port serves https, use'],
  ] as const)('with %j and status %i advises: %s', async ([encoding, status, advice], { world }) => {
    const url = await world.serve((_request, response) => void response.writeHead(status).end())
    await world.expect([...loginTo(url), ...encoding], { code: 1, stderr: [`status ${status}\n  ${advice}`] })
  })
})
