import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { processOwners } from '../../src/session/node/process-owners.ts'
import { linesOfJson } from './support/command.ts'
import { FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

type SavedRecord = ReturnType<Awaited<ReturnType<typeof loggedIn>>['record']>

/** Commands that start at the same time. */
const PROCESSES = Number(process.env.AUTHGRAPH_PROCESSES ?? 10)

describe('authgraph token', { concurrent: true, timeout: 60_000 }, () => {
  test('prints only the token of the last login', async ({ world }) => {
    await loggedIn(world)
    expect(await world.run(['token'])).toEqual({ code: 0, stdout: `${TOKEN}\n`, stderr: '' })
    expect((await world.run(['token', '--profile', 'home'])).stderr).toContain(
      'no login named home (saved logins: work)',
    )
  })

  test('refreshes an expired token once for concurrent commands', async ({ world }) => {
    const { expire, refreshes } = await loggedIn(world, RENEWABLE)
    expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
    expire()
    const asked = await Promise.all(Array.from({ length: PROCESSES }, () => world.run(['token'])))
    expect(asked).toEqual(Array(PROCESSES).fill({ code: 0, stdout: `${FRESH}\n`, stderr: '' }))
    expect(refreshes()).toHaveLength(1)
    expect(Object.fromEntries(refreshes()[0]?.fields ?? [])).toEqual({
      client_id: 'id',
      grant_type: 'refresh_token',
      refresh_token: 'ghr_refreshInTheClear',
    })
  })

  test('refreshes it once after a killed command left a lock with a future date', async ({ world }) => {
    const { expire, refreshes } = await loggedIn(world, RENEWABLE)
    expire()
    const lock = `${fileOf(world)}.lock`
    const [host] = processOwners().self.split('/')
    const owner = [host, spawnSync(process.execPath, ['--version']).pid, 1].join('/')
    writeFileSync(lock, JSON.stringify({ owner, nonce: 'of the dead' }))
    utimesSync(lock, new Date('2100-01-01'), new Date('2100-01-01'))
    const asked = await Promise.all(Array.from({ length: 5 }, () => world.run(['token'])))
    expect(asked.map(({ stdout }) => stdout)).toEqual(Array(5).fill(`${FRESH}\n`))
    expect(refreshes()).toHaveLength(1)
    expect(world.files().filter(({ name }) => name.includes('.lock'))).toEqual([])
  })

  test('stores the refreshed token before a signal ends the command, and leaves no lock', async ({
    world,
  }) => {
    const { expire, refreshes, hold } = await loggedIn(world, RENEWABLE)
    expire()
    const release = hold()
    await world.run(['token'], {
      killWhen: [() => refreshes().length === 1, 'SIGINT', release],
    })
    expect((await world.run(['token'])).stdout).toBe(`${FRESH}\n`)
    expect(refreshes()).toHaveLength(1)
  })

  test('says how to log in again if an expired token cannot be refreshed', async ({ world }) => {
    const { expire } = await loggedIn(world, { expires_in: 28_800 })
    expire()
    const { code, stdout, stderr } = await world.run(['token'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('the login of work has expired: run authgraph login --profile work')
  })
})

describe('authgraph token, where a refresh is refused', { concurrent: true, timeout: 60_000 }, () => {
  const refused = async (world: World, refusal: Response) => {
    const { expire, record } = await loggedIn(world, RENEWABLE, refusal)
    expire()
    return { ...(await world.run(['token'])), record: record().value }
  }

  test.for([
    ['since the service is busy', 429, '{ "error": "too_many_requests" }', 'too_many_requests'],
    ['by a page of a proxy', 403, '<html>', 'the service refused the request with status 403'],
    ['since the service is down', 503, '', 'the service failed with status 503'],
    ['by the login page of a network', 200, '<html>', 'status 200'],
  ] as const)('%s, the login has not ended', async ([_, status, body, words], { world }) => {
    const { code, stderr, record } = await refused(world, new Response(body, { status }))
    expect(code).toBe(1)
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('has expired')
    expect(record).toMatchObject({ status: 'signedIn', token: { refreshToken: 'ghr_refreshInTheClear' } })
    expect(record).not.toHaveProperty('claim')
  })

  test('with a code, the login has ended, until the next one, which needs no client id', async ({
    world,
  }) => {
    const invalid = Response.json({ error: 'invalid_grant' }, { status: 400 })
    const { stderr, record } = await refused(world, invalid)
    expect(stderr).toContain('has expired')
    expect(record).toMatchObject({ status: 'ended' })
    expect(record.token).toEqual({ clientId: 'id' })
    expect((await world.run(['status'])).stdout).toContain('the login of work has expired')
    const again = await world.run(['login', '--profile', 'work'])
    expect(again.stdout).not.toContain('no client id')
    const { stdout } = await world.run(['logout'])
    expect(stdout).toBe('✓ Logged out of work: the login had already ended.\n')
  })
})

describe('authgraph status', { concurrent: true, timeout: 60_000 }, () => {
  test('shows the user, the host, the scopes, the expiry and the store, but not the token', async ({
    world,
  }) => {
    const { host } = await loggedIn(world, RENEWABLE)
    const { code, stdout } = await world.run(['status'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      new RegExp(
        `^✓ work \\(current\\)\n {2}user {8}octocat\n {2}host {8}${host}\n {2}scopes {6}repo, gist\n` +
          ' {2}valid {7}until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, refreshed automatically\n {2}stored in {3}.*work.json',
      ),
    )
    const json = await world.run(['status', '--json'])
    expect(linesOfJson(json.stdout)).toEqual([
      expect.objectContaining({
        profile: 'work',
        current: true,
        tried: true,
        host,
        user: 'octocat',
        store: 'file',
        renewable: true,
      }),
    ])
    expect(stdout + json.stdout).not.toContain(TOKEN)
  })

  test('exits with 1 and advice if a service cannot be reached', async ({ world }) => {
    const { close } = await loggedIn(world)
    close()
    const { code, stdout } = await world.run(['status'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^✗ work \(current\)\n.*cannot be reached: ECONNREFUSED\n {2}Check the connection/)
  })

  test('shows the other logins if one record is damaged, and a new login replaces it', async ({ world }) => {
    const { url } = await loggedIn(world)
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--profile', 'home']
    writeFileSync(fileOf(world, 'home'), '{')
    writeFileSync(fileOf(world, '%zz'), 'of somebody else')
    const { code, stdout } = await world.run(['status'])
    expect(code).toBe(1)
    expect(stdout).toContain('✓ work (current)')
    expect(stdout).toContain('✗ the saved login of home cannot be read')
    expect((await world.run(['status', '--profile', 'work'])).code).toBe(0)
    expect((await world.run(['token', '--profile', 'work'])).code).toBe(0)
    // The damaged one may be the last login.
    const unnamed = await world.run(['token'])
    expect(unnamed).toMatchObject({ code: 1, stdout: '' })
    expect(unnamed.stderr).toContain('authgraph login --profile home')
    expect((await world.run(login)).code).toBe(0)
    expect((await world.run(['status'])).code).toBe(0)
  })

  test('replaces a damaged token by a new login, which needs only the client id', async ({ world }) => {
    const { url, change } = await loggedIn(world)
    change((value) => {
      value.token = {}
    })
    expect((await world.run(['token'])).stderr).toContain('authgraph login --profile work')
    const again = ['login', '--profile', 'work', '--host', url]
    expect((await world.run(again)).stdout).toContain('no client id')
    expect((await world.run([...again, '--client-id', 'id'])).code).toBe(0)
    expect((await world.run(['token'])).code).toBe(0)
  })

  test('treats a token that is not a valid header value as damaged and never prints it', async ({
    world,
  }) => {
    const { host, change } = await loggedIn(world)
    change((value) => {
      value.token.accessToken = 'gho_\u001b[2J\u202etoken'
    })
    const git = { input: `protocol=http\nhost=${host}\n` }
    for (const asked of [world.run(['token']), world.run(['git-credential', 'get'], git)]) {
      const { code, stdout, stderr } = await asked
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('the saved login of work cannot be read')
    }
  })

  test('stores a token that is not a bearer token but does not send it', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN, { token_type: 'mac' })] })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file']
    const shown = await world.run(login)
    const events = await world.run([...login, '--json'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('type        mac: authgraph stores it but cannot send it\n')
    expect(linesOfJson(events.stdout).at(-1)).toMatchObject({ event: 'authorized', warning: 'not_bearer' })
    const words = 'the token is not a bearer token, so it cannot be sent: print it with authgraph token'
    expect(await world.run(['status'])).toMatchObject({ code: 1, stdout: expect.stringContaining(words) })
    expect(await world.run(['api', '/user'])).toMatchObject({ code: 1, stderr: `✗ ${words}\n` })
    const input = `protocol=http\nhost=${new URL(url).host}\n\n`
    const asked = await world.run(['git-credential', 'get'], { input })
    expect(asked).toEqual({ code: 1, stdout: '', stderr: `✗ ${words}\n` })
    expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
    expect(requests.filter(({ authorization }) => authorization)).toEqual([])
  })

  test.for(['state', 'state/logins'])('reports a file in place of the folder %s', async (name, { world }) => {
    mkdirSync(dirname(join(world.folder, name)), { recursive: true })
    writeFileSync(join(world.folder, name), '')
    const login = ['login', '--host', 'localhost:9', '--client-id', 'id', '--store', 'file']
    const { code, stdout, stderr } = await world.run(login)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(
      /^✗ .* cannot be used \(ENOTDIR\): set AUTHGRAPH_CONFIG_DIR to use another folder\n$/,
    )
  })

  test('does not check a service without a known API, and api says what to do', async ({ world }) => {
    const document: Record<string, string> = {}
    const issuer = await world.scripted({ polls: [granted(TOKEN)], user: document })
    Object.assign(document, {
      issuer: issuer.url,
      device_authorization_endpoint: `${issuer.url}/login/device/code`,
      token_endpoint: `${issuer.url}/login/oauth/access_token`,
    })
    const login = ['login', '--issuer', issuer.url, '--client-id', 'id', '--store', 'file']
    expect((await world.run(login)).code).toBe(0)
    const { code, stdout } = await world.run(['status'])
    expect({ code, first: stdout[0] }).toEqual({ code: 0, first: '●' })
    expect(stdout).toContain('token not checked')
    expect(linesOfJson((await world.run(['status', '--json'])).stdout)).toMatchObject([{ tried: false }])
    expect(await world.run(['api', '/user'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this service has no known API'),
    })
  })

  test('exits with 1 if nobody is logged in', async ({ world }) => {
    const { code, stderr } = await world.run(['status'])
    expect(code).toBe(1)
    expect(stderr).toBe('✗ nobody is logged in: run authgraph login\n')
  })
})

describe('authgraph logout', { concurrent: true, timeout: 60_000 }, () => {
  test('deletes the login on this machine without a request to the service, and says so', async ({
    world,
  }) => {
    const { requests } = await loggedIn(world)
    const asked = requests.length
    const { code, stdout } = await world.run(['logout'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      '✓ Logged out of work: the token is deleted from this machine.\n  The service still accepts it (GitHub revokes',
    )
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
    expect(requests).toHaveLength(asked)
    expect((await world.run(['logout'])).code).toBe(1)
  })

  test.for<[string, (record: SavedRecord) => unknown]>([
    ['no JSON', () => '{'],
    ['of another version', () => ({ v: 2 })],
    ['with a damaged time', (record) => ({ value: { ...record.value, sentAt: 'x' } })],
    [
      'with a damaged token',
      ({ value }) => ({ value: { ...value, token: { ...value.token, accessToken: 'gho_\u001b[2J' } } }),
    ],
  ])('removes a record that is damaged, %s, by its name, and with --all', async ([, damage], { world }) => {
    const { record, url } = await loggedIn(world)
    const damaged = damage(record())
    const file = fileOf(world)
    const write = () => writeFileSync(file, typeof damaged === 'string' ? damaged : JSON.stringify(damaged))
    write()
    expect(await world.run(['token'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('authgraph logout --profile work to remove it'),
    })
    const { code, stdout, stderr } = await world.run(['logout', '--profile', 'work'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('✓ Logged out of work: its damaged record is deleted.')
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
    write()
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--profile', 'home']
    expect((await world.run(login)).code).toBe(0)
    expect((await world.run(['logout', '--all'])).stdout).toMatch(
      /Logged out of home[\s\S]*Logged out of work/,
    )
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  test('does not remove a damaged record without its name', async ({ world }) => {
    await loggedIn(world)
    writeFileSync(fileOf(world), '{')
    expect(await world.run(['logout'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('authgraph logout --profile work'),
    })
    expect(existsSync(fileOf(world))).toBe(true)
  })

  test('keeps a good login that other users can read, and says so', async ({ world }) => {
    await loggedIn(world)
    const folder = dirname(fileOf(world))
    chmodSync(folder, 0o755)
    const words = `✗ other users can open ${folder}: run chmod 700 on it\n`
    for (const args of [['token'], ['logout'], ['logout', '--profile', 'work'], ['logout', '--all']])
      expect(await world.run(args)).toEqual({ code: 1, stdout: '', stderr: words })
    chmodSync(folder, 0o700)
    expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
  })

  test('--all goes on after a login that it cannot end', async ({ world }) => {
    const { url, change } = await loggedIn(world)
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--profile', 'home']
    expect((await world.run(login)).code).toBe(0)
    change((value) => {
      value.profile.store = 'keyring'
      value.profile.since += 1e9
      value.sealed = ['nonce', 'text']
      delete value.token
    })
    const { code, stdout, stderr } = await world.run(['logout', '--all'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('✓ Logged out of home') })
    expect(stderr).toContain('✗ the system keyring cannot be used')
    expect(existsSync(fileOf(world))).toBe(true)
  })
})
