import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { processOwners } from '../../src/session/node/process-owners.ts'
import { linesOfJson } from './support/command.ts'
import { hasKeyring, startKeyring } from './support/keyring.ts'
import { FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

/** A command that is refreshing an expired token, until the service responds. */
async function refreshing(world: World) {
  const login = await loggedIn(world, RENEWABLE)
  login.expire()
  const release = login.hold()
  const ended = world.run(['token'])
  await vi.waitFor(() => expect(login.refreshes()).toHaveLength(1), 30_000)
  return { ...login, release, ended }
}

/** The files that hold a token in plain text. */
const filesWithToken = (world: World) =>
  world.files().flatMap(({ name, text }) => (/gh[our]_/.test(text) ? [name] : []))

describe('while a command refreshes a token', { concurrent: true, timeout: 60_000 }, () => {
  test('a logout wins, and the token does not come back', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    const logout = await world.run(['logout'])
    expect(logout).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ Logged out of work') })
    release()
    expect(await ended).toMatchObject({ code: 1, stdout: '' })
    expect(filesWithToken(world)).toEqual([])
    expect((await world.run(['token'])).stderr).toContain('nobody is logged in')
  })

  test('a login to another service with the same name wins', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    const other = await world.scripted({ polls: [granted('gho_other0123456789')] })
    const login = ['login', '--host', other.url, '--client-id', 'b', '--store', 'file', '--profile', 'work']
    expect((await world.run(login)).code).toBe(0)
    release()
    expect(await ended).toMatchObject({ code: 1, stdout: '' })
    expect((await world.run(['token'])).stdout).toBe('gho_other0123456789\n')
    expect(other.requests.filter(({ path }) => path === '/login/oauth/access_token')).toHaveLength(1)
  })

  test('a token that cannot be stored is printed, and the command says so', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    const folder = dirname(fileOf(world))
    renameSync(folder, `${folder}.old`)
    writeFileSync(folder, '')
    release()
    expect(await ended).toEqual({
      code: 0,
      stdout: `${FRESH}\n`,
      stderr: expect.stringContaining('could not be stored'),
    })
  })
})

describe('while logins cannot be stored', { concurrent: true, timeout: 60_000 }, () => {
  /** Puts a file in place of their folder. */
  function breakFolder(world: World) {
    const folder = dirname(fileOf(world))
    renameSync(folder, `${folder}.old`)
    writeFileSync(folder, '')
    return () => {
      rmSync(folder)
      renameSync(`${folder}.old`, folder)
    }
  }

  test('api ends, and reports the lost token too, if the API cannot be reached', async ({ world }) => {
    const login = await loggedIn(world, RENEWABLE)
    login.expire()
    const release = login.hold()
    const ended = world.run(['api', '/user'])
    await vi.waitFor(() => expect(login.refreshes()).toHaveLength(1), 30_000)
    breakFolder(world)
    release()
    login.hold()
    const calls = () => login.requests.filter(({ authorization }) => authorization === `Bearer ${FRESH}`)
    await vi.waitFor(() => expect(calls()).toHaveLength(1), 30_000)
    login.close()
    const { code, stdout, stderr } = await ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('cannot be reached')
    expect(stderr).toContain('the new one could not be stored')
  })

  test.for([
    ['stores it once that is possible', [], true],
    ['prints it with --print, and does not call it lost', ['--print'], false],
    ['prints it with --print --json', ['--print', '--json'], false],
    ['calls it lost without --print', [], false],
  ] as const)('login waits with the token, and %s', async ([, more, isBack], { world }) => {
    const { url, requests, hold } = await world.scripted({ polls: [granted(TOKEN, RENEWABLE)] })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file', '--profile', 'work']
    const ended = world.run([...login, ...more])
    await vi.waitFor(() => expect(requests).toHaveLength(1), 30_000)
    const release = hold()
    await vi.waitFor(() => expect(requests).toHaveLength(2), 30_000)
    const restore = breakFolder(world)
    release()
    if (isBack) setTimeout(restore, 1_000)
    const { code, stdout, stderr } = await ended
    expect(code).toBe(isBack ? 0 : 1)
    if (isBack) expect((await world.run(['token'])).stdout).toBe(`${TOKEN}\n`)
    else expect(stdout + stderr).toContain(`could not be stored${more.length > 0 ? '' : ', and is lost'}: `)
    if (more.length === 1) expect(stdout).toBe(`${TOKEN}\n`)
    if (more.length === 2) expect(linesOfJson(stdout)).toContainEqual({ event: 'token', token: TOKEN })
  })
})

describe('a login that another process renews', { concurrent: true, timeout: 60_000 }, () => {
  test('names the process that does not finish', async ({ world }) => {
    const { change, expire } = await loggedIn(world, RENEWABLE)
    expire()
    change((value) => {
      value.claim = { owner: `${processOwners().self}#other`, since: Date.now() }
    })
    const [shown, events, token] = await Promise.all([
      world.run(['status']),
      world.run(['status', '--json']),
      world.run(['token']),
    ])
    expect(shown).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`held by     process ${process.pid}`),
    })
    expect(linesOfJson(events.stdout)).toMatchObject([{ heldBy: process.pid, error: { code: 'busy' } }])
    expect(token).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`process ${process.pid}`),
    })
  })
})

describe('a profile that points to another service', { concurrent: true, timeout: 60_000 }, () => {
  test('does not get the token, and can be removed', async ({ world }) => {
    const { change } = await loggedIn(world, RENEWABLE)
    const evil = await world.scripted()
    change((value) => {
      value.profile.address.host = evil.url
    })
    const { host } = new URL(evil.url)
    const asked = await Promise.all([
      world.run(['token']),
      world.run(['api', '/user']),
      world.run(['git-credential', 'get'], { input: `protocol=http\nhost=${host}\n` }),
    ])
    for (const ended of asked) {
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expect(ended.stderr).toContain('belongs to another service than its profile says')
      expect(ended.stderr).toContain('run authgraph logout --profile work')
    }
    expect((await world.run(['status'])).code).toBe(1)
    expect((await world.run(['logout', '--profile', 'work'])).code).toBe(0)
    expect(evil.requests).toEqual([])
    expect(filesWithToken(world)).toEqual([])
  })
})

describe('authgraph logout, at a service that revokes tokens', { concurrent: true, timeout: 60_000 }, () => {
  async function atIssuer(world: World) {
    const document: Record<string, string> = {}
    const issuer = await world.scripted({ polls: [granted(TOKEN, RENEWABLE)], user: document })
    Object.assign(document, {
      issuer: issuer.url,
      device_authorization_endpoint: `${issuer.url}/login/device/code`,
      token_endpoint: `${issuer.url}/login/oauth/access_token`,
      revocation_endpoint: `${issuer.url}/revoke`,
    })
    const login = ['login', '--issuer', issuer.url, '--client-id', 'id', '--store', 'file']
    expect((await world.run(login)).code).toBe(0)
    return issuer
  }

  test('revokes the token, and asks for no metadata again', async ({ world }) => {
    const { requests } = await atIssuer(world)
    const before = requests.length
    expect((await world.run(['logout'])).stdout).toContain(
      'the token is revoked, and deleted from this machine',
    )
    expect(requests.slice(before).map(({ path }) => path)).toEqual(['/revoke'])
    expect(requests.at(-1)?.fields.get('token')).toBe('ghr_refreshInTheClear')
  })

  test('deletes the token if the service cannot be reached', async ({ world }) => {
    const { close } = await atIssuer(world)
    close()
    expect(await world.run(['logout'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/The service still accepts it \(.*ECONNREFUSED\)\.\n/),
    })
    expect(filesWithToken(world)).toEqual([])
  })
})

describe('a login of an earlier version', { concurrent: true, timeout: 60_000 }, () => {
  const earlier = (more: object) => ({
    v: 1,
    clientId: 'id',
    token: { accessToken: TOKEN, tokenType: 'bearer', scopes: ['repo'], missingScopes: [], ...more },
  })

  interface Earlier {
    readonly store: string
    readonly token?: object
    readonly name?: string
  }

  function writeEarlier(folder: string, address: object, { store, token, name = 'work' }: Earlier) {
    const write = (path: string, value: object) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, path), JSON.stringify(value))
    }
    write(`profiles/${encodeURIComponent(name)}.json`, { v: 1, address, scopes: ['repo'], store, since: 1 })
    if (token) write(`state/tokens/${encodeURIComponent(name)}.json`, token)
  }

  test('in a file is moved, and refreshed once', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(FRESH, RENEWABLE)] })
    const token = earlier({ expiresAt: Date.now() - 1, refreshToken: 'ghr_refreshInTheClear' })
    writeEarlier(world.folder, { host: url }, { store: 'file', token })
    const asked = await Promise.all([world.run(['token']), world.run(['token'])])
    expect(asked.map(({ stdout }) => stdout)).toEqual([`${FRESH}\n`, `${FRESH}\n`])
    expect(requests).toHaveLength(1)
    expect(filesWithToken(world)).toEqual(['state/logins/work.json'])
    expect(world.files().filter(({ isFile }) => isFile)).toHaveLength(1)
  })

  test('of an issuer stays, without a request', async ({ world }) => {
    const { url, requests } = await world.scripted()
    writeEarlier(world.folder, { issuer: url }, { store: 'file', token: earlier({}) })
    expect(await world.run(['token'])).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody') })
    expect(requests).toEqual([])
    expect(filesWithToken(world)).toEqual(['state/tokens/work.json'])
  })

  test('stays until a command uses logins', async ({ world }) => {
    writeEarlier(world.folder, { host: 'github.com' }, { store: 'file', token: earlier({}) })
    expect((await world.run(['completion', 'bash'])).code).toBe(0)
    expect((await world.run(['token', '--help'])).code).toBe(0)
    expect(filesWithToken(world)).toEqual(['state/tokens/work.json'])
    expect((await world.run(['status', '--names'])).stdout).toBe('work\n')
    expect(filesWithToken(world)).toEqual(['state/logins/work.json'])
  })

  describe.skipIf(!hasKeyring)('in the keyring', () => {
    let keyring: Awaited<ReturnType<typeof startKeyring>>
    beforeAll(async () => {
      keyring = await startKeyring()
    })
    afterAll(() => keyring.stop())

    const keep = async (name: string) => {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', keyring.env.DBUS_SESSION_BUS_ADDRESS)
      const { AsyncEntry } = await import('@napi-rs/keyring')
      const entry = new AsyncEntry('authgraph', name, { linux: { store: 'secret-service' } })
      await entry.setPassword(JSON.stringify(earlier({})))
      vi.unstubAllEnvs()
      return entry
    }

    test('is moved if it has the name of its host, but not from a folder that somebody else may have written', async ({
      world,
    }) => {
      const { url } = await world.scripted()
      const name = new URL(url).host
      const entry = await keep(name)
      const planted = { store: 'keyring', name }
      const config = join(world.folder, '.config')
      const own = { ...keyring.env, AUTHGRAPH_CONFIG_DIR: '' }
      writeEarlier(world.folder, { host: url }, planted)
      writeEarlier(join(config, 'authgraph'), { host: url }, planted)
      for (const env of [keyring.env, { ...own, XDG_CONFIG_HOME: config }])
        expect((await world.run(['status'], { env })).stderr).toContain('nobody is logged in')

      expect((await world.run(['token'], { env: own })).stdout).toBe(`${TOKEN}\n`)
      expect(await entry.getPassword()).toBeNull()
      expect((await world.run(['token'], { env: own })).stdout).toBe(`${TOKEN}\n`)
      expect(filesWithToken(world)).toEqual([])
    })

    test.for([
      ['another host', (url: string) => ({ host: url })],
      ['another scheme', () => ({ host: 'http://git.example.com' })],
      [
        'another token endpoint',
        (url: string) => ({
          deviceAuthorizationEndpoint: 'https://git.example.com/codes',
          tokenEndpoint: `${url}/token`,
        }),
      ],
    ] as const)('is not moved to a profile with %s', async ([, addressAt], { world }) => {
      const entry = await keep('git.example.com')
      const { url } = await world.scripted()
      const planted = { store: 'keyring', name: 'git.example.com' }
      writeEarlier(join(world.folder, '.config', 'authgraph'), addressAt(url), planted)
      const env = { ...keyring.env, AUTHGRAPH_CONFIG_DIR: '' }
      expect((await world.run(['status'], { env })).stderr).toContain('nobody is logged in')
      expect(await entry.getPassword()).not.toBeNull()
    })
  })
})

describe.skipIf(!hasKeyring)('a login in the keyring', { timeout: 60_000 }, () => {
  let keyring: Awaited<ReturnType<typeof startKeyring>>
  beforeAll(async () => {
    keyring = await startKeyring()
  })
  afterAll(() => keyring.stop())

  test('takes over one from a file: reuses the client id, and leaves no token in plain text', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const login = ['login', '--host', url, '--profile', 'work', '--store']
    expect((await world.run([...login, 'file', '--client-id', 'id'])).code).toBe(0)
    const { env } = keyring
    expect((await world.run([...login, 'keyring'], { env })).code).toBe(0)
    expect(filesWithToken(world)).toEqual([])
    expect((await world.run(['token'], { env })).stdout).toBe(`${TOKEN}\n`)
  })

  test('opens only beside its own profile, and not in a locked keyring', async ({ world }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const { env } = keyring
    const login = ['login', '--host', url, '--profile', 'work', '--client-id', 'id']
    expect((await world.run(login, { env })).code).toBe(0)
    const evil = await world.scripted()
    const file = world.files().find(({ name }) => name === 'state/logins/work.json')
    writeFileSync(fileOf(world), file?.text.replace(url, evil.url) ?? '')
    const strange = await world.run(['token'], { env })
    expect(strange).toMatchObject({ code: 1, stdout: '' })
    expect(strange.stderr).toContain('the saved login of work cannot be read')
    expect(evil.requests).toEqual([])

    writeFileSync(fileOf(world), file?.text ?? '')
    keyring.lock()
    const locked = await world.run(['token'], { env })
    expect(locked).toMatchObject({ code: 1, stdout: '' })
    expect(locked.stderr).toContain('the system keyring cannot be used')
    expect(locked.stderr).toContain('Unlock it')
  })
})
