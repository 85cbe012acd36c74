import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { openBrowser } from '../../src/terminal/open-browser.ts'
import { linesOfJson } from './support/command.ts'
import { CLIENT_ID } from './support/live-service.ts'
import { DENIED, granted, PENDING } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

const TOKEN = 'gho_tokenInTheClear0123456789'

describe('authgraph login', { concurrent: true, timeout: 60_000 }, () => {
  test('stores the token in a file that only the user can read, and no secret in the profile', async ({
    world,
  }) => {
    const service = await world.live()
    const { code, stdout, stderr } = await world.run(
      [
        'login',
        '--host',
        service.host,
        '--client-id',
        CLIENT_ID,
        '--scope',
        'repo',
        '--scope',
        'gist,user',
        '--store',
        'file',
      ],
      { onOutput: service.approver() },
    )
    const name = new URL(service.host).host
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Open http:\/\/\S+ and enter the code [A-Z-]{9}$/m)
    expect(stdout).toContain(`✓ Logged in to ${name} as octocat`)
    expect(stdout).toContain('scopes      repo, gist, user')
    expect(stdout).not.toContain('\u001b')
    const [token = 'none'] = service.issued
    expect(stdout).not.toContain(token)
    for (const { isFile, mode } of world.files()) expect(mode).toBe(isFile ? 0o600 : 0o700)
    const holding = world.files().filter(({ text }) => text.includes(token) || text.includes(CLIENT_ID))
    expect(holding.map((file) => file.name)).toEqual([`state/logins/${encodeURIComponent(name)}.json`])
    expect(world.files().filter(({ name }) => name.startsWith('state/unfinished/'))).toEqual([])
  })

  test('reuses the client id, address, scopes and store of the previous login', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN)] })
    const first = [
      'login',
      '--profile',
      'work',
      '--host',
      url,
      '--client-id',
      'id',
      '--scope',
      'repo',
      '--store',
      'file',
    ]
    expect((await world.run(first)).code).toBe(0)
    expect((await world.run(['login', '--profile', 'work'])).code).toBe(0)
    const [one, other] = requests.filter(({ path }) => path === '/login/device/code')
    expect(other?.fields).toEqual(one?.fields)
    expect(Object.fromEntries(one?.fields ?? [])).toEqual({ client_id: 'id', scope: 'repo' })
  })

  test('does not send a client id to another service', async ({ world }) => {
    const [one, other] = await Promise.all([world.scripted({ polls: [granted(TOKEN)] }), world.scripted()])
    const login = (url: string, ...more: string[]) =>
      world.run(['login', '--profile', 'work', '--host', url, '--store', 'file', ...more])
    expect((await login(one.url, '--client-id', 'id')).code).toBe(0)
    const { code, stdout } = await login(other.url)
    expect(code).toBe(2)
    expect(stdout).toContain('no client id')
    expect(other.requests).toEqual([])
  })

  test('stores the token after the reader of its output has gone', async ({ world }) => {
    const service = await world.live()
    const login = ['login', '--host', service.host, '--client-id', CLIENT_ID, '--store', 'file']
    const { code, stderr } = await world.run(login, { onOutput: service.approver(), isCut: true })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect((await world.run(['token'])).stdout).toBe(`${service.issued[0]}\n`)
  })

  test.for([
    ['stores a token', granted(TOKEN), 0],
    ['reports a denial', DENIED, 4],
  ] as const)('%s although its progress cannot be deleted', async ([, response, expected], { world }) => {
    const name = 'state/unfinished/work.json'
    const url = await world.serve((request, reply) => {
      const codes = { device_code: 'd', user_code: 'ABCD', verification_uri: `${url}/activate`, interval: 1 }
      if (request.url === '/login/device/code') return reply.end(JSON.stringify({ ...codes, expires_in: 60 }))
      if (request.url === '/login/oauth/access_token') {
        rmSync(join(world.folder, name))
        mkdirSync(join(world.folder, name))
      }
      return reply.end(JSON.stringify(response))
    })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--profile', 'work']
    const { code, stderr } = await world.run(login)
    expect({ code, stderr }).toEqual({ code: expected, stderr: '' })
    const { stdout } = await world.run(['token', '--profile', 'work'])
    expect(stdout).toBe(expected === 0 ? `${TOKEN}\n` : '')
  })

  test('--resume --no-wait shows the code before it polls, and says that the login is saved', async ({
    world,
  }) => {
    const { url, requests } = await world.scripted({ hang: '/login/oauth/access_token' })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--no-wait']
    expect((await world.run(login)).code).toBe(75)
    const polls = () => requests.some(({ path }) => path === '/login/oauth/access_token')
    const { code, stdout } = await world.run(['login', '--resume', '--no-wait'], {
      killWhen: [polls, 'SIGINT', () => undefined],
    })
    expect(code).toBe(130)
    expect(stdout).toMatch(/enter the code WDJB-MJHT[\s\S]*Login saved/)
  })

  test('ends on a signal while it asks for the user, with the token stored', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN)], hang: '/user' })
    const asks = () => requests.some(({ path }) => path === '/user')
    const { signal } = await world.run(['login', '--host', url, '--client-id', 'id', '--store', 'file'], {
      killWhen: [asks, 'SIGINT', () => undefined],
    })
    expect(signal).toBe('SIGINT')
    expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
  })

  test('ignores a signal while it asks for the user if the token is not stored', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN)], hang: '/user' })
    const asks = () => requests.some(({ path }) => path === '/user')
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'none', '--print']
    const { code, stdout } = await world.run(login, { killWhen: [asks, 'SIGINT', () => undefined] })
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${TOKEN}\n` })
  })

  test('prints the token before it asks for the user', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN)], hang: '/user' })
    const asks = () => requests.some(({ path }) => path === '/user')
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'none', '--print', '--json']
    const { signal, stdout } = await world.run(login, { killWhen: [asks, 'SIGKILL', () => undefined] })
    expect(signal).toBe('SIGKILL')
    expect(linesOfJson(stdout).at(-1)).toEqual({ event: 'token', token: TOKEN })
  })

  test('stops if its progress cannot be saved', async ({ world }) => {
    const { url } = await world.scripted()
    mkdirSync(join(world.folder, 'state'))
    writeFileSync(join(world.folder, 'state', 'unfinished'), '')
    const { code, stdout, stderr } = await world.run([
      'login',
      '--host',
      url,
      '--client-id',
      'id',
      '--store',
      'file',
    ])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/✗ .*unfinished.* cannot be used/)
  })

  test('prints a command that resumes, also for --store none and for a name with brackets', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [PENDING, granted(TOKEN)] })
    const login = ['login', '--host', url, '--client-id', 'id', '--no-wait', '--profile', '[::1]:80']
    const saved = await world.run([...login, '--store', 'none', '--print'])
    const [, command = ''] = /Resume with {2}authgraph (.*)/.exec(saved.stderr) ?? []
    expect(command).toBe("login --resume --profile '[::1]:80' --print")
    const { code, stdout } = await world.run(command.replaceAll("'", '').split(' '))
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${TOKEN}\n` })
  })

  test('removes the records of expired codes', async ({ world }) => {
    const { url } = await world.scripted({ codes: { expires_in: 1 } })
    const login = (name: string) =>
      world.run([
        'login',
        '--host',
        url,
        '--client-id',
        'id',
        '--store',
        'file',
        '--profile',
        name,
        '--no-wait',
      ])
    await login('one')
    await login('other')
    await vi.waitFor(async () => {
      await world.run(['login', '--resume'])
      expect(world.files().filter(({ name }) => name.startsWith('state/unfinished/'))).toEqual([])
    }, 20_000)
  })

  test('exits with 4 and advice after a denial', async ({ world }) => {
    const service = await world.live()
    const { code, stdout } = await world.run(
      ['login', '--host', service.host, '--client-id', CLIENT_ID, '--store', 'file'],
      { onOutput: service.denier() },
    )
    expect(code).toBe(4)
    expect(stdout).toContain('✗ the user denied the authorization\n  No token was issued.')
    expect(stdout.match(/denied/g)).toHaveLength(1)
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  test('exits with 3 after the code expires, and leaves no record', async ({ world }) => {
    const { url } = await world.scripted({ codes: { expires_in: 1 } })
    const { code, stdout } = await world.run(['login', '--host', url, '--store', 'file'], {
      env: { AUTHGRAPH_CLIENT_ID: 'id' },
    })
    expect(code).toBe(3)
    expect(stdout).toContain('Run the command again to get a new code.')
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  test.for<[status: number, body: object, sentences: RegExp[]]>([
    [
      404,
      { error: 'device_flow_disabled' },
      [/^✗ the service refused: device_flow_disabled \(enable the .*\)\n$/m],
    ],
    [
      200,
      { error: 'too\u001b[2J_odd', error_description: 'Your plan\u202e\r\nhas no \u001b[31mdevices.' },
      [
        /^✗ the service refused the request with status 200 and error code too\?\[2J_odd$/m,
        /^ {2}The service says: Your plan has no \[31mdevices\.\n$/m,
      ],
    ],
    [
      404,
      {},
      [/^✗ the service refused the request with status 404$/m, /^ {2}.*--device-authorization-endpoint and/m],
    ],
    [415, {}, [/^✗ the service refused the request with status 415$/m, /accepts neither a form nor JSON/]],
    [400, {}, [/^✗ the service refused the request with status 400$/m, /use --encoding json/]],
    [429, {}, [/Too many requests: try again in 30 s\.$/m]],
    [
      503,
      { error: 'temporarily_unavailable' },
      [
        /^✗ the service failed with status 503 and error code temporarily_unavailable$/m,
        /^ {2}The service is down or overloaded: try again in 30 s\.$/m,
      ],
    ],
  ])('explains a refusal with %i and %j, once', async ([status, body, sentences], { world }) => {
    const url = await world.serve((_request, response) => {
      response.writeHead(status, { 'retry-after': '30' }).end(JSON.stringify(body))
    })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file']
    const { code, stdout } = await world.run(login)
    expect(code).toBe(1)
    for (const sentence of sentences) expect(stdout).toMatch(sentence)
    expect(stdout).not.toContain('Something went wrong')
    expect(stdout.match(/✗/g)).toHaveLength(1)
  })

  test('--json includes the description of a refusal by the service', async ({ world }) => {
    const refusal = { error: 'odd', error_description: 'Because.' }
    const { url } = await world.scripted({ polls: [refusal] })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--json']
    const { stdout } = await world.run(login)
    expect(linesOfJson(stdout).at(-1)).toMatchObject({
      event: 'failed',
      code: 'refused',
      error: 'odd',
      description: 'Because.',
    })
  })

  test('prints no control characters that a service sends', async ({ world }) => {
    const evil = '\u001b[2J\u009b31m\u202e\r\n'
    const { url } = await world.scripted({
      polls: [granted(TOKEN, { scope: `repo${evil},gist` })],
      user: { login: `octo${evil}cat` },
    })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file']
    const users = await world.run(login)
    const programs = await world.run([...login, '--json'])
    expect(users.stdout).toContain('as octo[2J31mcat\n')
    for (const { stdout } of [users, programs])
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(linesOfJson(programs.stdout).at(-1)).toMatchObject({ event: 'authorized', user: `octo${evil}cat` })
  })

  test.for([['--print'], ['--print', '--json']])(
    '%j does not print a token with control characters',
    async (print, { world }) => {
      const { url } = await world.scripted({ polls: [granted('gho_\u001b[2J\u202etoken')] })
      const login = ['login', '--host', url, '--client-id', 'id', '--store', 'none', ...print]
      const { code, stdout, stderr } = await world.run(login)
      expect(code).toBe(1)
      expect(stdout + stderr).toContain('access_token')
      for (const part of ['gho_', '\u001b', '\u202e']) expect(stdout + stderr).not.toContain(part)
    },
  )

  test('--json prints one event per line and no secret', async ({ world }) => {
    const service = await world.live()
    const { code, stdout } = await world.run(
      [
        'login',
        '--host',
        service.host,
        '--client-id',
        CLIENT_ID,
        '--store',
        'file',
        '--json',
        '--profile',
        'work',
      ],
      { onOutput: service.approver() },
    )
    const events = linesOfJson(stdout)
    expect(code).toBe(0)
    expect(events[0]).toMatchObject({ event: 'state', status: 'requested', activity: 'requesting' })
    expect(events[1]).toMatchObject({ event: 'codes', userCode: expect.any(String), interval: 1 })
    expect(events.at(-1)).toEqual({
      event: 'authorized',
      profile: 'work',
      host: new URL(service.host).host,
      user: 'octocat',
      scopes: [],
      missingScopes: [],
      store: 'file',
    })
    expect(stdout).not.toContain(service.issued[0])
    expect(stdout).not.toContain(CLIENT_ID)
  })

  test('--json prints failures as events', async ({ world }) => {
    const { url } = await world.scripted({ polls: [DENIED] })
    const { code, stdout } = await world.run([
      'login',
      '--host',
      url,
      '--client-id',
      'id',
      '--store',
      'file',
      '--json',
    ])
    expect(code).toBe(4)
    expect(linesOfJson(stdout).at(-1)).toMatchObject({
      event: 'failed',
      code: 'denied',
      advice: expect.any(String),
    })
  })

  test('counts the lifetime of a token by its own clock, whatever the service says', async ({ world }) => {
    const url = await world.serve((request, response) => {
      response.setHeader('date', 'Thu, 01 Jan 2026 00:00:00 GMT')
      response.setHeader('content-type', 'application/json')
      const body = request.url?.endsWith('/code')
        ? { device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'https://example.com', interval: 1 }
        : granted(TOKEN, { expires_in: 3_600, refresh_token: 'ghr_refreshInTheClear' })
      response.end(JSON.stringify(body))
    })
    const before = Date.now()
    const login = [
      'login',
      '--host',
      url,
      '--client-id',
      'id',
      '--store',
      'file',
      '--profile',
      'work',
      '--json',
    ]
    const { expiresAt } = linesOfJson((await world.run(login)).stdout).at(-1)
    expect(expiresAt).toBeGreaterThanOrEqual(before + 3_600_000)
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000)
    const { value } = JSON.parse(readFileSync(join(world.folder, 'state', 'logins', 'work.json'), 'utf8'))
    expect(value.sentAt).toBeGreaterThanOrEqual(before)
  })

  test('--store none --print prints only the token to standard output and stores nothing', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const { code, stdout, stderr } = await world.run([
      'login',
      '--host',
      url,
      '--client-id',
      'id',
      '--store',
      'none',
      '--print',
    ])
    expect(code).toBe(0)
    expect(stdout).toBe(`${TOKEN}\n`)
    expect(stderr).toContain('✓ Logged in')
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  test.for([
    [['--store', 'none'], 2, 'add --print'],
    [[], 1, '--store file           a plain-text file'],
    [['--store', 'file', '--client-id', ''], 2, 'AUTHGRAPH_CLIENT_ID'],
  ] as const)('refuses %j before it sends a request', async ([args, expected, sentence], { world }) => {
    const { url, requests } = await world.scripted()
    const { code, stdout } = await world.run(['login', '--host', url, '--client-id', 'id', ...args])
    expect(code).toBe(expected)
    expect(stdout).toContain(sentence)
    expect(requests).toEqual([])
  })

  test('--no-wait shows the code and exits with 75; --resume continues, and polls once with --no-wait', async ({
    world,
  }) => {
    const service = await world.live()
    const first = await world.run([
      'login',
      '--host',
      service.host,
      '--client-id',
      CLIENT_ID,
      '--scope',
      'repo',
      '--store',
      'file',
      '--no-wait',
      '--json',
    ])
    expect(first.code).toBe(75)
    const { userCode } = linesOfJson(first.stdout).find(({ event }) => event === 'codes')
    const saved = linesOfJson(first.stdout).at(-1)
    expect(saved).toMatchObject({
      event: 'saved',
      resume: expect.stringMatching(/^authgraph login --resume --profile /),
    })
    expect(world.files().some(({ name }) => name.startsWith('state/unfinished/'))).toBe(true)

    const asked = await world.run(['login', '--resume', '--no-wait'])
    expect(asked.code).toBe(75)
    expect(asked.stdout).toContain(`enter the code ${userCode}`)
    expect(asked.stdout).toContain('pending')

    await service.approve(userCode, 'octocat')
    const resumed = await world.run(saved.resume.split(' ').slice(1))
    expect(resumed.code).toBe(0)
    expect(resumed.stdout).toContain('scopes      repo')
    expect(
      world.files().filter(({ name, isFile }) => isFile && name.startsWith('state/unfinished/')),
    ).toEqual([])
    const again = await world.run(['login', '--resume'])
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('there is no unfinished login')
  })

  test('resumes a killed login with the same code', async ({ world }) => {
    const service = await world.live()
    const killed = await world.run(
      ['login', '--host', service.host, '--client-id', CLIENT_ID, '--store', 'file'],
      { onOutput: (text, kill) => text.includes('pending') && kill('SIGKILL') },
    )
    expect(killed.code).toBeNull()
    const resumed = await world.run(['login', '--resume'], { onOutput: service.approver() })
    expect(resumed.code).toBe(0)
    expect(resumed.stdout).toContain(/[A-Z]{4}-[A-Z]{4}/.exec(killed.stdout)?.[0])
  })

  test.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('saves the login on %s and exits with %i', async ([signal, expected], { world }) => {
    const { url } = await world.scripted()
    const { code, stdout } = await world.run(
      ['login', '--host', url, '--client-id', 'id', '--store', 'file'],
      { onOutput: (text, kill) => text.includes('requested') && kill(signal) },
    )
    expect(code).toBe(expected)
    expect(stdout).toMatch(/Resume with {2}authgraph login --resume --profile localhost:\d+\n$/)
    expect(world.files().some(({ text }) => text.includes('device-code-in-the-clear'))).toBe(true)
  })

  test('finds the endpoints of an OAuth server by --issuer', async ({ world }) => {
    const service = await world.live({ dialect: 'rfc8628' })
    const { url } = service
    const document: Record<string, string> = {
      issuer: 'https://login.example.com',
      device_authorization_endpoint: `${url}/login/device/code`,
      token_endpoint: `${url}/login/oauth/access_token`,
    }
    const issuer = await world.scripted({ user: document })
    const login = ['login', '--issuer', issuer.url, '--client-id', CLIENT_ID, '--store', 'file']
    expect((await world.run(login)).stdout).toContain('the metadata belongs to another issuer')
    document.issuer = issuer.url
    const { code, stdout } = await world.run(login, { onOutput: service.approver() })
    expect(stdout).toContain('✓ Logged in to localhost:')
    expect(code).toBe(0)
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
    const login = ['login', '--client-id', 'id', '--scope', 'a b', '--store', 'file', '--profile', 'work']
    const { code, stdout, stderr } = await world.run([...login, ...endpoints])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`✓ Logged in to ${new URL(url).host}\n`)
    expect(received.map(({ path, type }) => [path, type])).toEqual([
      ['/codes', 'application/x-www-form-urlencoded'],
      ['/codes', 'application/json'],
      ['/poll', 'application/json'],
    ])
    expect(received[1]?.fields).toEqual({ client_id: 'id', scope: 'a b' })
    expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
    expect((await world.run(['status'])).stdout).toContain('this service has no known API')

    received.length = 0
    expect((await world.run(['login', '--profile', 'work', '--encoding', 'json'])).code).toBe(0)
    expect((await world.run(['login', '--profile', 'work'])).code).toBe(0)
    expect(received.map(({ path, type }) => [path, type])).toEqual(
      ['/codes', '/poll', '/codes', '/poll'].map((path) => [path, 'application/json']),
    )
  })

  test('does not send a client id to another token endpoint', async ({ world }) => {
    const [one, other] = await Promise.all([jsonServer(world), jsonServer(world)])
    const login = ['login', '--store', 'file', '--profile', 'work']
    expect((await world.run([...login, '--client-id', 'id', ...one.endpoints])).code).toBe(0)
    const mixed = [...one.endpoints.slice(0, 3), other.endpoints[3] ?? '']
    one.received.length = 0
    expect(await world.run([...login, ...mixed])).toMatchObject({ code: 2 })
    expect([...one.received, ...other.received]).toEqual([])
  })

  test('says how to log in to a server with other paths or without metadata', async ({ world }) => {
    const { url, endpoints } = await jsonServer(world)
    const login = (...args: string[]) => world.run(['login', '--client-id', 'id', '--store', 'file', ...args])
    const [issuer, host, one] = await Promise.all([
      login('--issuer', url),
      login('--host', url),
      login(...endpoints.slice(0, 2)),
    ])
    expect(issuer.stdout).toContain(
      '✗ the issuer publishes no metadata: configure its two endpoints instead\n',
    )
    for (const { code, stdout } of [issuer, host]) {
      expect(code).toBe(1)
      expect(stdout).toContain('use --device-authorization-endpoint and --token-endpoint.')
    }
    expect(one).toMatchObject({ code: 2, stdout: expect.stringContaining('✗ set both') })
  })

  test('asks for a client id before it checks the keyring', async ({ world }) => {
    const { code, stdout } = await world.run(['login'])
    expect(code).toBe(2)
    expect(stdout).toContain('--client-id')
    expect(stdout).not.toContain('keyring')
  })

  test('--open opens the complete address, unless its host differs from the one shown', async ({ world }) => {
    const opened = join(world.folder, 'opened')
    const folder = join(world.folder, 'bin')
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf '%s' "$*" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`,
    )
    chmodSync(join(folder, 'xdg-open'), 0o755)
    const open = async (codes: object) => {
      const { url } = await world.scripted({ codes })
      const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--open', '--no-wait']
      return world.run(login, { env: { PATH: `${folder}:${world.env.PATH}`, DISPLAY: ':0' } })
    }
    const opens = (address: string) => vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(address))
    const whole = 'https://example.com/login/device?user_code=WDJB-MJHT'
    expect((await open({})).stdout).toContain(`Opening ${whole}\n`)
    await opens(whole)
    const elsewhere = 'https://evil.example/login/device?user_code=WDJB-MJHT'
    const { stdout } = await open({ verification_uri_complete: elsewhere })
    expect(stdout).toContain('Opening https://example.com/login/device\n')
    await opens('https://example.com/login/device')
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd', '--version'])
      expect(() => openBrowser(address)).toThrow(TypeError)
  })

  test('a damaged response does not end a waiting login', async ({ world }) => {
    const { url } = await world.scripted({ polls: [{}, PENDING, granted(TOKEN)] })
    const { code, stdout } = await world.run(
      ['login', '--host', url, '--client-id', 'id', '--store', 'file'],
      {},
    )
    expect(stdout).toContain('No usable response yet; trying again. [the poll response')
    expect(code).toBe(0)
  })
})
