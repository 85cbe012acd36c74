import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { linesOfJson } from './support/command.ts'
import { CLIENT_ID } from './support/live-service.ts'
import { atIssuer, FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { loginTo, test, type World } from './support/world.ts'

/** Commands that start at the same time. */
const PROCESSES = Number(process.env.AUTHGRAPH_PROCESSES ?? 10)

const LOGIN = ['login', '--client-id', 'id', '--store', 'file']

const filesIn = (world: World) => world.files().filter(({ isFile }) => isFile)

describe('authgraph token', { concurrent: true }, () => {
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

  test('stores the refreshed token before a signal ends the command', async ({ world }) => {
    const { expire, refreshes, hold } = await loggedIn(world, RENEWABLE)
    expire()
    await world.run('token', { killWhen: [() => refreshes().length === 1, 'SIGINT', hold()] })
    await world.expect('token', { stdout: `${FRESH}\n` })
    expect(refreshes()).toHaveLength(1)
  })

  test.for([
    [
      403,
      'the service refused the request (POST HOST/login/oauth/access_token) with status 403\n  Try again. If',
    ],
    [
      200,
      'the token response (POST HOST/login/oauth/access_token) is not a JSON object\n  Check the connection and any proxy, then try again. If',
    ],
    [
      503,
      'the service failed (POST HOST/login/oauth/access_token) with status 503\n  The service is down or overloaded',
    ],
  ] as const)(
    'does not end a login whose refresh fails with a page of status %s',
    async ([status, why], { world }) => {
      const { expire, record, host } = await loggedIn(world, RENEWABLE, new Response('<html>', { status }))
      expire()
      const stderr = [`✗ The token of work could not be refreshed: ${why.replace('HOST', host)}`]
      await world.expect('token', { code: 1, stdout: '', stderr })
      const { value } = record()
      expect(value).toMatchObject({ status: 'signedIn', token: { refreshToken: 'ghr_refreshInTheClear' } })
      expect(value).not.toHaveProperty('claim')
    },
  )

  test.for([
    ['odd_code', 'The token of work could not be refreshed: the service refused'],
    [
      'invalid_client',
      ' with error code invalid_client\n  Run authgraph login --profile work --client-id ID with the client ID',
    ],
    ['invalid_grant', 'The login of work has expired or was revoked: run authgraph login --profile work'],
  ] as const)(
    'says why a token that an API refuses is not replaced after %s',
    async ([error, why], { world }) => {
      const user = new Response('{}', { status: 401 })
      const polls = [granted(TOKEN, RENEWABLE), Response.json({ error }, { status: 400 })]
      const { url } = await world.scripted({ polls, user })
      await world.login(url, '--profile work')
      await world.expect('api /user', { code: 1, stdout: '', stderr: [why] })
    },
  )

  test('says of a token without a refresh token only that it has expired', async ({ world }) => {
    const { expire } = await loggedIn(world, { expires_in: 28_800 })
    expire()
    const stderr = '✗ The login of work has expired: run authgraph login --profile work\n'
    await world.expect('token', { code: 1, stdout: '', stderr })
  })

  test('ends a login whose refresh is refused with a code; the next one needs no client ID', async ({
    world,
  }) => {
    const refusal = Response.json({ error: 'invalid_grant' }, { status: 400 })
    const { expire, record } = await loggedIn(world, RENEWABLE, refusal)
    expire()
    const stderr = ['The login of work has expired or was revoked: run authgraph login --profile work']
    await world.expect('token', { code: 1, stdout: '', stderr })
    const { value } = record()
    expect(value).toMatchObject({ status: 'ended', secret: { clientId: 'id' } })
    expect(value).not.toHaveProperty('token')
    await world.expect('status', { code: 1, stdout: ['The login of work has expired or was revoked'] })
    expect((await world.run('login --profile work')).stdout).not.toContain('no client ID')
    await world.run('login --profile work --no-wait')
    await world.expect('token', { code: 1, stderr: ['run authgraph login --resume --profile work\n'] })
    await world.expect('logout', { stdout: '✓ Logged out of work: the login had already ended.\n' })
  })
})

const refusal = (status: number, message: string) => Response.json({ message }, { status })

describe('authgraph status', { concurrent: true }, () => {
  test('shows the login but not the token, and exits with 1 if the service cannot be reached', async ({
    world,
  }) => {
    await world.expect('status', {
      code: 1,
      stderr: '✗ Not logged in: run authgraph login --client-id ID, or set AUTHGRAPH_TOKEN\n',
    })
    const { host, close } = await loggedIn(world, RENEWABLE)
    const shown = new RegExp(
      `^✓ work \\(current\\)\n {2}user {8}octocat\n {2}host {8}${host}\n {2}scopes {6}repo, gist\n` +
        ' {2}valid {7}until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, refreshed automatically\n {2}stored in {3}.*work.json',
    )
    await world.expect('status', { stdout: shown, never: [TOKEN] })
    const { stdout } = await world.expect('status --json', { never: [TOKEN] })
    const account = { profile: 'work', host, user: 'octocat', store: 'file' }
    expect(linesOfJson(stdout)).toMatchObject([{ ...account, current: true, tried: true, refreshable: true }])
    close()
    const lost =
      /^✗ work \(current\)\n.*cannot be reached \(ECONNREFUSED, [A-Z]+ \S+\)\n {2}Nothing accepts connections/
    await world.expect('status', { code: 1, stdout: lost })
  })

  test('shows the other logins if one record is damaged, and a new login replaces it', async ({ world }) => {
    const { url } = await loggedIn(world)
    writeFileSync(fileOf(world, 'home'), '{')
    writeFileSync(fileOf(world, '%zz'), 'of somebody else')
    const stdout = ['✓ work (current)', '✗ The saved login of home is damaged']
    await world.expect('status', { code: 1, stdout })
    await world.expect('status --profile work', {})
    await world.expect('token --profile work', {})
    // The damaged one may be the last login.
    await world.expect('token', {
      code: 1,
      stdout: '',
      stderr: ['authgraph logout --profile home, then log in'],
    })
    await world.login(url, '--profile home')
    await world.expect('status', {})
  })

  test('says how to replace a token that the service rejects', async ({ world }) => {
    const user = new Response('{}', { status: 401 })
    const { url } = await world.scripted({ polls: [granted(TOKEN)], user })
    await world.login(url, '--profile work')
    await world.expect('status', {
      code: 1,
      stdout: ['status 401\n  Run authgraph login --profile work.\n'],
      never: ['valid'],
    })
    const env = { AUTHGRAPH_TOKEN: 'gho_x', AUTHGRAPH_HOST: url }
    const stdout = ['status 401\n  Replace the token in AUTHGRAPH_TOKEN.\n']
    await world.expect('status', { code: 1, stdout }, { env })
    for (const more of ['', ' --paginate']) {
      const call = `api /user${more}`
      await world.expect(call, {
        code: 1,
        stderr: /^✗ .* 401.*\n {2}Run authgraph login --profile work\.\n$/,
      })
      const stderr = /^✗ .* 401.*\n {2}Replace the token in AUTHGRAPH_TOKEN\.\n$/
      await world.expect(call, { code: 1, stderr }, { env })
    }
    const other = await world.scripted({ user: new Response('{}', { status: 404 }) })
    const wrongHost = { code: 1, stdout: ['status 404\n  Check that AUTHGRAPH_HOST names the right host.\n'] }
    await world.expect('status', wrongHost, { env: { ...env, AUTHGRAPH_HOST: other.url } })
    const stderr = ['status 401\n  Check --secret.\n']
    const call = `api /user --auth personal --secret env:AUTHGRAPH_TOKEN --host ${url}`
    await world.expect(call, { code: 1, stderr }, { env })
  })

  test.for([
    [200, 'is not a JSON object\n  In a network with a login page, sign in there first.\n'],
    [
      302,
      'redirects to /sso: redirects are not followed\n  Check that AUTHGRAPH_HOST names the right host.\n',
    ],
    [405, 'status 405\n  Check that AUTHGRAPH_HOST names the right host.\n'],
  ] as const)('says what to check if a page has status %i', async ([status, text], { world }) => {
    const url = await world.serve((_, response) => {
      response.writeHead(status, { location: '/sso' }).end('<html>')
    })
    const env = { AUTHGRAPH_TOKEN: 'gho_x', AUTHGRAPH_HOST: url }
    await world.expect('status', { code: 1, stdout: [text] }, { env })
  })

  test('shows what the service says about a refusal, without the token, and what to do', async ({
    world,
  }) => {
    const headers: Record<string, string> = {}
    const { url } = await world.scripted({
      polls: [granted(TOKEN)],
      headers,
      user: refusal(403, `no ${TOKEN}`),
    })
    await world.login(url, '--profile work')
    const says = 'status 403\n  The service says: no ‹secret›\n  '
    const valid = [
      `${says}The token may still be valid: check its scopes, and the access rules of the service.\n`,
    ]
    await world.expect('status', { code: 1, stdout: valid, never: [TOKEN] })
    const date = new Date('2026-01-01T00:00:00Z')
    const reset = String(date.getTime() / 1000 + 600)
    Object.assign(headers, {
      date: date.toUTCString(),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': reset,
    })
    const often = [`${says}Too many requests: try again in 10 minutes.\n`]
    await world.expect('status', { code: 1, stdout: often })
    const other = await world.scripted({ polls: [granted(TOKEN)], user: refusal(404, 'Not Found') })
    await world.login(other.url, '--profile other')
    const lost = [
      'The service says: Not Found\n  The service may not have this path: the token may still be valid.\n',
    ]
    await world.expect('status --profile other', { code: 1, stdout: lost })
  })

  test('says of a token that is not a bearer token that it is stored but cannot be sent', async ({
    world,
  }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN, { token_type: 'mac' })] })
    const stdout = ['type        mac: authgraph stores it but cannot send it\n']
    await world.expect(loginTo(url), { stdout, stderr: '' })
    const events = linesOfJson((await world.login(url, '--json')).stdout)
    expect(events.at(-1)).toMatchObject({ event: 'authorized', warning: 'not_bearer' })
    const { host } = new URL(url)
    const words = `The token is not a bearer token, so it cannot be sent: print it with authgraph token --profile ${host}`
    const refused = { code: 1, stdout: '', stderr: `✗ ${words}\n` }
    const input = `protocol=http\nhost=${host}\n\n`
    await world.expect('status', { code: 1, stdout: [words] })
    await world.expect('api /user', refused)
    await world.expect('git-credential get', refused, { input })
    await world.expect('token', { stdout: `${TOKEN}\n` })
    // A service at these endpoints has no known API.
    const endpoints = ['--device-authorization-endpoint', `${url}/login/device/code`]
    await world.expect([...LOGIN, ...endpoints, '--token-endpoint', `${url}/login/oauth/access_token`], {})
    await world.expect('api /user', refused)
    expect(requests.filter(({ authorization }) => authorization)).toEqual([])
  })

  test('binds the token to a key with --dpop, and calls the API with proofs', async ({ world }) => {
    const { url, requests } = await world.scripted({ polls: [granted(TOKEN, { token_type: 'DPoP' })] })
    await world.expect([...loginTo(url), '--dpop'], {})
    await world.expect('api /user', {})
    await world.expect('status', {})
    const sent = requests
      .filter(({ authorization }) => authorization)
      .map(({ authorization }) => authorization)
    expect(new Set(sent)).toEqual(new Set([`DPoP ${TOKEN}`]))
    const stderr =
      /ignored DPoP: the token is not bound to the key\. To accept an unbound token, run .* without --dpop\n$/
    await world
      .scripted({ polls: [granted(TOKEN)] })
      .then(({ url }) => world.expect([...loginTo(url), '--dpop'], { code: 1, stderr }))
  })

  test('does not check a service without a known API, and api says what to do', async ({ world }) => {
    const { host } = new URL((await atIssuer(world)).url)
    await world.expect('status', { stdout: /^●[\s\S]*token not checked/ })
    expect(linesOfJson((await world.run('status --json')).stdout)).toMatchObject([{ tried: false }])
    const stderr =
      '✗ This service has no known API: send the request with another program, such as curl --oauth2-bearer ' +
      `"$(authgraph token --profile ${host})" URL\n`
    await world.expect('api /user', { code: 1, stderr })
  })
})

describe('authgraph logout', { concurrent: true }, () => {
  test('deletes the login on this machine, and says why the service did not revoke the token', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)], user: refusal(404, 'Not Found') })
    await world.login(url, '--profile work')
    const deleted =
      '✓ Logged out of work: the token is deleted from this machine.\n  The service may still accept it: it was not revoked'
    await world.expect('logout', {
      stdout: [`${deleted}, because the provider responded with status 404.\n`],
    })
    expect(filesIn(world)).toEqual([])
    for (const words of ['logout', 'logout --all']) await world.expect(words, { code: 1 })
    const stderr = '✗ No login named "foo"\n'
    await world.expect('logout --profile foo', { code: 1, stderr })
  })

  test('revokes the token at an embedded service', async ({ world }) => {
    const events: string[] = []
    const service = await world.live({ onEvent: ({ type }) => void events.push(type) })
    const login = [...loginTo(service.host), '--client-id', CLIENT_ID]
    await world.expect(login, {}, { onOutput: service.approver() })
    await world.expect('logout', { stdout: [': the token is revoked, and deleted from this machine.\n'] })
    expect(events.at(-1)).toBe('token.revoked')
  })

  test('deletes unfinished logins by name or with --all, without or with a saved login', async ({
    world,
  }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const begin = async (...names: string[]) => {
      for (const name of names) await world.login(url, `--profile ${name} --no-wait`)
    }
    const deleted = (name: string) => `✓ Deleted the unfinished login of ${name}.\n`
    await begin('one', 'other', 'work')
    const stderr = '✗ Not logged in: to delete unfinished logins, run authgraph logout --all\n'
    await world.expect('logout', { code: 1, stdout: '', stderr })
    await world.expect('logout --profile one', { stdout: deleted('one') })
    await world.expect('logout --all', { stdout: [deleted('other'), deleted('work')] })
    expect(filesIn(world)).toEqual([])
    await world.login(url, '--profile work')
    await begin('one', 'other', 'work')
    await world.expect('logout --profile one', { stdout: deleted('one') })
    const stdout = [deleted('other'), `${deleted('work')}✓ Logged out of work`]
    await world.expect('logout --all', { stdout })
    expect(filesIn(world)).toEqual([])
  })

  test.for([
    ['no JSON', undefined],
    ['with a token that is no header value', 'gho_\u001b[2J\u202etoken'],
  ] as const)(
    'removes a damaged record, %s, if it is the current login, by its name, or with --all',
    async ([, accessToken], { world }) => {
      const { record, url } = await loggedIn(world)
      const { value } = record()
      const token = { ...value.token, accessToken }
      const damaged = accessToken ? JSON.stringify({ value: { ...value, token } }) : '{'
      writeFileSync(fileOf(world), damaged)
      const stderr = [
        'The saved login of work is damaged',
        'run authgraph logout --profile work, then log in with the options that you first used\n',
      ]
      await world.expect('token', { code: 1, stdout: '', stderr })
      const removed = [
        '✓ Logged out of work: its damaged record is deleted.\n  The service may still accept the token.',
      ]
      for (const words of ['logout', 'logout --profile work']) {
        writeFileSync(fileOf(world), damaged)
        await world.expect(words, { stdout: removed, stderr: '' })
        expect(filesIn(world)).toEqual([])
      }
      writeFileSync(fileOf(world), damaged)
      // A broken file of the folder says nothing about which login is the current one.
      const file = join(world.folder, '.authgraph.json')
      writeFileSync(file, '{')
      const broken = { code: 1, stdout: '', stderr: [`${file} must`] }
      await world.expect('logout', broken, { cwd: world.folder })
      rmSync(file)
      await world.login(url, '--profile home')
      // Another one may be the current login.
      if (!accessToken) await world.expect('logout', { code: 1, stdout: '', stderr })
      await world.expect('logout --all', { stdout: /Logged out of home[\s\S]*Logged out of work/ })
      expect(filesIn(world)).toEqual([])
    },
  )

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
    change((value) => {
      value.data.store = 'keyring'
      value.data.since += 1e9
      value.sealed = ['nonce', 'text']
      delete value.token
    })
    const unused = ['! Another login, work, is the current one now. To use this login, add --profile home.\n']
    await world.expect([...loginTo(url), '--profile', 'home'], { stderr: unused })
    const stderr = [
      '✗ The system keyring cannot be used',
      'work.json\n  Start and unlock the keyring, and run',
    ]
    const again = 'or run authgraph login --profile work --store file'
    await world.expect('token', { code: 1, stderr: [again] })
    await world.expect('login --profile work --store file', { code: 1, stderr: ['add --client-id ID'] })
    await world.expect('logout --all', { code: 1, stdout: ['✓ Logged out of home'], stderr })
    expect(filesIn(world).map(({ name }) => name)).toEqual(['state/logins/work.json'])
  })
})
