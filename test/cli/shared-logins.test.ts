import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { processOwners } from '../../src/session/node/process-owners.ts'
import { canMount, fill, mountSmallDisk } from '../support/small-disk.ts'
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

/** Puts a file in place of the folder of the logins. */
function breakFolder(world: World) {
  const folder = dirname(fileOf(world))
  renameSync(folder, `${folder}.old`)
  writeFileSync(folder, '')
  return () => {
    rmSync(folder)
    renameSync(`${folder}.old`, folder)
  }
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

  test('a token that cannot be stored at first is stored before the command ends', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    const restore = breakFolder(world)
    release()
    setTimeout(restore, 1_500)
    expect(await ended).toEqual({ code: 0, stdout: `${FRESH}\n`, stderr: '' })
    expect((await world.run(['token'])).stdout).toBe(`${FRESH}\n`)
  })

  test('a token that cannot be stored is printed, and the command says so', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    breakFolder(world)
    release()
    expect(await ended).toEqual({
      code: 0,
      stdout: `${FRESH}\n`,
      stderr: expect.stringContaining('could not be stored'),
    })
  })
})

describe('while logins cannot be stored', { concurrent: true, timeout: 60_000 }, () => {
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

/** A login at a service that revokes tokens. */
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

describe('authgraph logout, at a service that revokes tokens', { concurrent: true, timeout: 60_000 }, () => {
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

describe.skipIf(!canMount)('authgraph logout, on a full disk (mounted by root)', { timeout: 60_000 }, () => {
  test('revokes the token, and deletes it', async ({ world }) => {
    const { path, unmount } = mountSmallDisk()
    world.onEnd(unmount)
    world.env.AUTHGRAPH_CONFIG_DIR = path
    const { requests } = await atIssuer(world)
    fill(path)
    const { code, stdout, stderr } = await world.run(['logout'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('the token is revoked, and deleted from this machine')
    expect(requests.at(-1)?.path).toBe('/revoke')
    expect(readdirSync(join(path, 'state', 'logins'))).toEqual([])
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
