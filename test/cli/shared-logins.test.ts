import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
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

describe('authgraph api', { timeout: 60_000 }, () => {
  test('refreshes a token that the API refuses, and sends the request again', async ({ world }) => {
    const sent: (string | undefined)[] = []
    const url = await world.serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      const { authorization } = request.headers
      if (request.url === '/login/device/code')
        return response.end(
          JSON.stringify({ device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: url, interval: 1 }),
        )
      if (request.url === '/login/oauth/access_token')
        return response.end(JSON.stringify(granted(body.includes('refresh') ? FRESH : TOKEN, RENEWABLE)))
      sent.push(authorization)
      response.writeHead(authorization === `Bearer ${FRESH}` ? 200 : 401).end(request.url)
    })
    const login = ['login', '--host', url, '--client-id', 'id', '--store', 'file']
    expect((await world.run(login)).code).toBe(0)
    sent.length = 0
    expect(await world.run(['api', '/things'])).toEqual({ code: 0, stdout: '/things', stderr: '' })
    expect(sent).toEqual([`Bearer ${TOKEN}`, `Bearer ${FRESH}`])
    expect((await world.run(['token'])).stdout).toBe(`${FRESH}\n`)
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
      stdout: expect.stringContaining('The service still accepts it.'),
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

  function writeEarlier(folder: string, host: string, { store, token }: { store: string; token?: object }) {
    const write = (path: string, value: object) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(folder, path), JSON.stringify(value))
    }
    write('profiles/work.json', { v: 1, address: { host }, scopes: ['repo'], store, since: 1 })
    if (token) write('state/tokens/work.json', token)
  }

  test('in a file is moved, and refreshed once', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(FRESH, RENEWABLE)] })
    const token = earlier({ expiresAt: Date.now() - 1, refreshToken: 'ghr_refreshInTheClear' })
    writeEarlier(world.folder, url, { store: 'file', token })
    const asked = await Promise.all([world.run(['token']), world.run(['token'])])
    expect(asked.map(({ stdout }) => stdout)).toEqual([`${FRESH}\n`, `${FRESH}\n`])
    expect(requests).toHaveLength(1)
    expect(filesWithToken(world)).toEqual(['state/logins/work.json'])
    expect(world.files().filter(({ isFile }) => isFile)).toHaveLength(1)
  })

  describe.skipIf(!hasKeyring)('in the keyring', () => {
    let keyring: Awaited<ReturnType<typeof startKeyring>>
    beforeAll(async () => {
      keyring = await startKeyring()
    })
    afterAll(() => keyring.stop())

    const keep = async () => {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', keyring.env.DBUS_SESSION_BUS_ADDRESS)
      const { AsyncEntry } = await import('@napi-rs/keyring')
      const entry = new AsyncEntry('authgraph', 'work', { linux: { store: 'secret-service' } })
      await entry.setPassword(JSON.stringify(earlier({})))
      vi.unstubAllEnvs()
      return entry
    }

    test('is moved, but not to the profile of a folder that somebody else may have written', async ({
      world,
    }) => {
      const entry = await keep()
      const evil = await world.scripted()
      writeEarlier(world.folder, evil.url, { store: 'keyring' })
      const strange = await world.run(['status'], { env: keyring.env })
      expect(strange).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody is logged in') })
      expect(evil.requests).toEqual([])

      const own = { ...keyring.env, AUTHGRAPH_CONFIG_DIR: '' }
      writeEarlier(join(world.folder, '.config', 'authgraph'), evil.url, { store: 'keyring' })
      expect((await world.run(['token'], { env: own })).stdout).toBe(`${TOKEN}\n`)
      expect(await entry.getPassword()).toBeNull()
      expect((await world.run(['token'], { env: own })).stdout).toBe(`${TOKEN}\n`)
      expect(filesWithToken(world)).toEqual([])
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
