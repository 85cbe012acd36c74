import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect } from 'vitest'
import { processOwners } from '../../src/session/node/process-owners.ts'
import { linesOfJson } from './support/command.ts'
import { atIssuer, FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { loginTo, test, type World } from './support/world.ts'

type SavedRecord = ReturnType<Awaited<ReturnType<typeof loggedIn>>['record']>

/** Commands that start at the same time. */
const PROCESSES = Number(process.env.AUTHGRAPH_PROCESSES ?? 10)

describe('authgraph token', { concurrent: true }, () => {
  test('prints only the token of the last login', async ({ world }) => {
    await loggedIn(world)
    await world.expect('token', { stdout: `${TOKEN}\n`, stderr: '' })
    const stderr = ['No login named "home" (saved logins: work)']
    await world.expect('token --profile home', { code: 1, stderr })
  })

  test('refreshes an expired token once for concurrent commands', async ({ world }) => {
    const { expire, refreshes } = await loggedIn(world, RENEWABLE)
    await world.expect('token', { stdout: `${TOKEN}\n` })
    expire()
    const asked = await Promise.all(Array.from({ length: PROCESSES }, () => world.run('token')))
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
    const asked = await Promise.all(Array.from({ length: 5 }, () => world.run('token')))
    expect(asked.map(({ stdout }) => stdout)).toEqual(Array(5).fill(`${FRESH}\n`))
    expect(refreshes()).toHaveLength(1)
    expect(world.files().filter(({ name }) => name.includes('.lock'))).toEqual([])
  })

  test('stores the refreshed token before a signal ends the command', async ({ world }) => {
    const { expire, refreshes, hold } = await loggedIn(world, RENEWABLE)
    expire()
    await world.run('token', { killWhen: [() => refreshes().length === 1, 'SIGINT', hold()] })
    await world.expect('token', { stdout: `${FRESH}\n` })
    expect(refreshes()).toHaveLength(1)
  })

  test('says how to log in again if an expired token cannot be refreshed', async ({ world }) => {
    const { expire } = await loggedIn(world, { expires_in: 28_800 })
    expire()
    const stderr = ['The login of work has expired: run authgraph login --profile work']
    await world.expect('token', { code: 1, stdout: '', stderr })
  })
})

describe('authgraph token, where a refresh is refused', { concurrent: true }, () => {
  const refused = async (world: World, refusal: Response) => {
    const { expire, record } = await loggedIn(world, RENEWABLE, refusal)
    expire()
    return { ...(await world.run('token')), record: record().value }
  }

  test('without a code, the login has not ended', async ({ world }) => {
    const { code, stderr, record } = await refused(world, new Response('<html>', { status: 403 }))
    expect(code).toBe(1)
    expect(stderr).toContain('The service refused the request with status 403')
    expect(stderr).not.toContain('has expired')
    expect(record).toMatchObject({ status: 'signedIn', token: { refreshToken: 'ghr_refreshInTheClear' } })
    expect(record).not.toHaveProperty('claim')
  })

  test('with a code, the login has ended, until the next one, which needs no client ID', async ({
    world,
  }) => {
    const invalid = Response.json({ error: 'invalid_grant' }, { status: 400 })
    const { stderr, record } = await refused(world, invalid)
    expect(stderr).toContain('has expired')
    expect(record).toMatchObject({ status: 'ended' })
    expect(record).not.toHaveProperty('token')
    expect(record.secret).toEqual({ clientId: 'id' })
    await world.expect('status', { code: 1, stdout: ['The login of work has expired'] })
    expect((await world.run('login --profile work')).stdout).not.toContain('no client ID')
    await world.expect('logout', { stdout: '✓ Logged out of work: the login had already ended.\n' })
  })
})

describe('authgraph status', { concurrent: true }, () => {
  test('shows the user, the host, the scopes, the expiry and the store, but not the token', async ({
    world,
  }) => {
    const { host } = await loggedIn(world, RENEWABLE)
    const shown = new RegExp(
      `^✓ work \\(current\\)\n {2}user {8}octocat\n {2}host {8}${host}\n {2}scopes {6}repo, gist\n` +
        ' {2}valid {7}until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, refreshed automatically\n {2}stored in {3}.*work.json',
    )
    await world.expect('status', { stdout: shown, never: [TOKEN] })
    const { stdout } = await world.expect('status --json', { never: [TOKEN] })
    const account = { profile: 'work', host, user: 'octocat', store: 'file' }
    expect(linesOfJson(stdout)).toMatchObject([{ ...account, current: true, tried: true, refreshable: true }])
  })

  test('exits with 1 and advice if a service cannot be reached', async ({ world }) => {
    const { close } = await loggedIn(world)
    close()
    const stdout =
      /^✗ work \(current\)\n.*cannot be reached: ECONNREFUSED \([A-Z]+ \S+\)\n {2}Check the connection/
    await world.expect('status', { code: 1, stdout })
  })

  test('shows the other logins if one record is damaged, and a new login replaces it', async ({ world }) => {
    const { url } = await loggedIn(world)
    writeFileSync(fileOf(world, 'home'), '{')
    writeFileSync(fileOf(world, '%zz'), 'of somebody else')
    const stdout = ['✓ work (current)', '✗ The saved login of home cannot be read']
    await world.expect('status', { code: 1, stdout })
    await world.expect('status --profile work', {})
    await world.expect('token --profile work', {})
    // The damaged one may be the last login.
    await world.expect('token', { code: 1, stdout: '', stderr: ['authgraph login --profile home'] })
    await world.login(url, '--profile home')
    await world.expect('status', {})
  })

  test('treats a token that is no valid header value as damaged, and never prints it', async ({ world }) => {
    const { host, change } = await loggedIn(world)
    change((value) => {
      value.token.accessToken = 'gho_\u001b[2J\u202etoken'
    })
    const damaged = { code: 1, stdout: '', stderr: ['The saved login of work cannot be read'] }
    await world.expect('token', damaged)
    await world.expect('git-credential get', damaged, { input: `protocol=http\nhost=${host}\n` })
  })

  test('stores a token that is not a bearer token but does not send it', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN, { token_type: 'mac' })] })
    const stdout = ['type        mac: authgraph stores it but cannot send it\n']
    await world.expect(loginTo(url), { stdout, stderr: '' })
    const events = linesOfJson((await world.login(url, '--json')).stdout)
    expect(events.at(-1)).toMatchObject({ event: 'authorized', warning: 'not_bearer' })
    const words = 'The token is not a bearer token, so it cannot be sent: print it with authgraph token'
    const refused = { code: 1, stdout: '', stderr: `✗ ${words}\n` }
    const input = `protocol=http\nhost=${new URL(url).host}\n\n`
    await world.expect('status', { code: 1, stdout: [words] })
    await world.expect('api /user', refused)
    await world.expect('git-credential get', refused, { input })
    await world.expect('token', { stdout: `${TOKEN}\n` })
    expect(requests.filter(({ authorization }) => authorization)).toEqual([])
  })

  test('does not check a service without a known API, and api says what to do', async ({ world }) => {
    await atIssuer(world)
    await world.expect('status', { stdout: /^●[\s\S]*token not checked/ })
    expect(linesOfJson((await world.run('status --json')).stdout)).toMatchObject([{ tried: false }])
    await world.expect('api /user', { code: 2, stderr: ['This service has no known API'] })
  })

  test('exits with 1 if nobody is logged in', async ({ world }) => {
    await world.expect('status', { code: 1, stderr: '✗ Not logged in: run authgraph login\n' })
  })
})

describe('authgraph logout', { concurrent: true }, () => {
  test('deletes the login on this machine without a request to the service, and says so', async ({
    world,
  }) => {
    const { requests } = await loggedIn(world)
    const asked = requests.length
    const deleted =
      '✓ Logged out of work: the token is deleted from this machine.\n  The service still accepts it'
    await world.expect('logout', {
      stdout: [`${deleted}, because revoking it needs the client secret. Revoke it in your settings at `],
    })
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
    expect(requests).toHaveLength(asked)
    await world.expect('logout', { code: 1 })
  })

  test.for<[string, (record: SavedRecord) => unknown]>([
    ['no JSON', () => '{'],
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
    // Without its name, it stays.
    const stderr = ['authgraph logout --profile work to remove it']
    await world.expect('token', { code: 1, stderr })
    await world.expect('logout', { code: 1, stderr: damaged === '{' ? stderr : [] })
    const removed = ['✓ Logged out of work: its damaged record is deleted.']
    await world.expect('logout --profile work', { stdout: removed, stderr: '' })
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
    write()
    await world.login(url, '--profile home')
    await world.expect('logout --all', { stdout: /Logged out of home[\s\S]*Logged out of work/ })
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  test('keeps a good login that other users can read, and says so', async ({ world }) => {
    await loggedIn(world)
    const folder = dirname(fileOf(world))
    chmodSync(folder, 0o755)
    const stderr = `✗ Other users can open ${folder}: run chmod 700 on it\n`
    for (const words of ['token', 'logout', 'logout --profile work', 'logout --all'])
      await world.expect(words, { code: 1, stdout: '', stderr })
    chmodSync(folder, 0o700)
    await world.expect('token', { stdout: `${TOKEN}\n` })
  })

  test('--all goes on after a login that it cannot end', async ({ world }) => {
    const { url, change } = await loggedIn(world)
    await world.login(url, '--profile home')
    change((value) => {
      value.data.store = 'keyring'
      value.data.since += 1e9
      value.sealed = ['nonce', 'text']
      delete value.token
    })
    const stderr = ['✗ The system keyring cannot be used']
    await world.expect('logout --all', { code: 1, stdout: ['✓ Logged out of home'], stderr })
    expect(existsSync(fileOf(world))).toBe(true)
  })
})
