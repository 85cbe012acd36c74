import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { processOwners } from '../../src/session/node/shared-files.ts'
import { linesOfJson } from './support/command.ts'
import { hasKeyring, startKeyring } from './support/keyring.ts'
import { atIssuer, FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

/** A command that is refreshing an expired token, until the service responds. */
async function refreshing(world: World) {
  const login = await loggedIn(world, RENEWABLE)
  login.expire()
  const release = login.hold()
  const ended = world.run('token')
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

describe('while a command refreshes a token', { concurrent: true }, () => {
  test('a login to another service with the same name wins', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    const other = await world.scripted({ polls: [granted('gho_other0123456789')] })
    expect((await world.login(other.url, '--client-id b --profile work')).code).toBe(0)
    release()
    expect(await ended).toMatchObject({ code: 1, stdout: '' })
    await world.expect('token', { stdout: 'gho_other0123456789\n' })
    expect(other.requests.filter(({ path }) => path === '/login/oauth/access_token')).toHaveLength(1)
  })

  test('a token that cannot be stored is printed, and the command says so', async ({ world }) => {
    const { release, ended } = await refreshing(world)
    breakFolder(world)
    release()
    expect(await ended).toEqual({
      code: 0,
      stdout: `${FRESH}\n`,
      stderr: '✗ The new token could not be stored: run authgraph login --profile work\n',
    })
  })

  test('one that does not finish is named', async ({ world }) => {
    const { change, expire } = await loggedIn(world, RENEWABLE)
    expire()
    change((value) => {
      value.claim = { owner: `${processOwners().self}#other`, nonce: 'another' }
    })
    const holder = `process ${process.pid}`
    const [, events] = await Promise.all([
      world.expect('status', { code: 1, stdout: [`held by     ${holder}`] }),
      world.run('status --json'),
      world.expect('token', { code: 1, stdout: '', stderr: [`P${holder.slice(1)}`] }),
    ])
    expect(linesOfJson(events.stdout)).toMatchObject([{ heldBy: process.pid, error: { code: 'busy' } }])
  })
})

describe('while logins cannot be stored', { concurrent: true }, () => {
  test.for([
    ['stores it once that is possible', [], true],
    ['prints it with --print, and does not call it lost', ['--print'], false],
    ['prints it with --print --json', ['--print', '--json'], false],
    ['calls it lost without --print', [], false],
  ] as const)('login waits with the token, and %s', async ([, more, isBack], { world }) => {
    const { url, requests, hold } = await world.scripted({ polls: [granted(TOKEN, RENEWABLE)] })
    const ended = world.login(url, ['--profile', 'work', ...more])
    await vi.waitFor(() => expect(requests).toHaveLength(1), 30_000)
    const release = hold()
    await vi.waitFor(() => expect(requests).toHaveLength(2), 30_000)
    const restore = breakFolder(world)
    release()
    if (isBack) setTimeout(restore, 1_000)
    const { code, stdout, stderr } = await ended
    expect(code).toBe(isBack ? 0 : 1)
    if (isBack) await world.expect('token', { stdout: `${TOKEN}\n` })
    else expect(stdout + stderr).toContain(`could not be stored${more.length > 0 ? '' : ', and is lost'}: `)
    if (more.length === 1) expect(stdout).toBe(`${TOKEN}\n`)
    if (more.length === 2) expect(linesOfJson(stdout)).toContainEqual({ event: 'token', token: TOKEN })
  })
})

test('a profile that points to another service does not get the token, and can be removed', async ({
  world,
}) => {
  const { change } = await loggedIn(world, RENEWABLE)
  const evil = await world.scripted()
  change((value) => {
    value.data.address.host = evil.url
  })
  const input = `protocol=http\nhost=${new URL(evil.url).host}\n`
  const stderr = [
    'belongs to a different service from the one in its profile',
    'run authgraph logout --profile work',
  ]
  for (const words of ['token', 'api /user', 'git-credential get'])
    await world.expect(words, { code: 1, stdout: '', stderr }, { input })
  await world.expect('status', { code: 1 })
  await world.expect('logout --profile work', {})
  expect(evil.requests).toEqual([])
  expect(filesWithToken(world)).toEqual([])
})

/** A login at a service that revokes tokens. */
const atRevokingIssuer = (world: World) =>
  atIssuer(world, (url) => ({ revocation_endpoint: `${url}/revoke` }))

const REVOKED = 'the token is revoked, and deleted from this machine'

test('logout revokes the token without metadata, and deletes it if the service cannot be reached', async ({
  world,
}) => {
  const { requests } = await atRevokingIssuer(world)
  const before = requests.length
  await world.expect('logout', { stdout: [REVOKED] })
  expect(requests.slice(before).map(({ path }) => path)).toEqual(['/revoke'])
  expect(requests.at(-1)?.fields.get('token')).toBe('ghr_refreshInTheClear')
  const { close } = await atRevokingIssuer(world)
  close()
  const stdout =
    /The service may still accept it: it was not revoked, because .*\(ECONNREFUSED, POST \/revoke\)\.\n$/
  await world.expect('logout', { stdout })
  expect(filesWithToken(world)).toEqual([])
})

describe.skipIf(!hasKeyring)('a login in the keyring', () => {
  let keyring: Awaited<ReturnType<typeof startKeyring>>
  beforeAll(async () => {
    keyring = await startKeyring()
  })
  afterAll(() => keyring.stop())

  test('takes over one from a file: reuses the client ID, and leaves no token in plain text', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    expect((await world.login(url, '--profile work')).code).toBe(0)
    const { env } = keyring
    await world.expect(`login --host ${url} --profile work --store keyring`, {}, { env })
    expect(filesWithToken(world)).toEqual([])
    await world.expect('token', { stdout: `${TOKEN}\n` }, { env })
  })

  test('opens only beside its own profile, and not in a locked keyring', async ({ world }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const { env } = keyring
    await world.expect(`login --host ${url} --profile work --client-id id`, {}, { env })
    const evil = await world.scripted()
    const kept = readFileSync(fileOf(world), 'utf8')
    writeFileSync(fileOf(world), kept.replace(url, evil.url))
    const unread = ['The saved login of work is damaged']
    await world.expect('token', { code: 1, stdout: '', stderr: unread }, { env })
    expect(evil.requests).toEqual([])
    writeFileSync(fileOf(world), kept)
    keyring.lock()
    const locked = [
      'The system keyring cannot be used',
      '\n  Start and unlock the keyring, or run authgraph login --profile work --store file --client-id ID.\n',
    ]
    await world.expect('token', { code: 1, stdout: '', stderr: locked }, { env })
  })
})
