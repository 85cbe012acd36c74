import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CreateApiOptions } from '../../src/auth/index.ts'
import type { TokenRecord } from '../../src/index.ts'
import type { SessionOptions } from '../../src/session/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { rotatingProvider } from '../session/support/rotating-provider.ts'
import { HOUR, world } from '../session/support/world.ts'
import { run } from './keep-a-token/commands.ts'
import { refreshOnce } from './keep-a-token/refresh-once.ts'
import { Sessions } from './keep-a-token/server.ts'

/** What the code prints from now on. */
function printed() {
  const lines: unknown[] = []
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, 'write').mockImplementation((line) => lines.push(line) > 0)
    onTestFinished(() => spy.mockRestore())
  }
  return lines
}

test('a script logs in once, uses the stored login afterwards, and refreshes it', async () => {
  const lines = printed()
  const time = new VirtualTime()
  const server = rotatingProvider({ clock: time.clock() })
  const folder = join(mkdtempSync(join(tmpdir(), 'authgraph-guide-')), 'my-cli')
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
    new URL(input instanceof Request ? input.url : input).host === 'api.example'
      ? Response.json({ login: 'octocat' })
      : server.fetch(input, init)
  const { provider } = server
  const elsewhere = { provider, fetch }
  // The program of the guide, at this server and in this time.
  vi.doMock('authgraph/session', async (original) => {
    const real = await original<typeof import('../../src/session/index.ts')>()
    return {
      ...real,
      createSession: (options: SessionOptions) =>
        real.createSession({ ...options, ...elsewhere, clock: time.clock() }),
    }
  })
  vi.doMock('authgraph/session/node', async (original) => {
    const real = await original<typeof import('../../src/session/node/index.ts')>()
    return { ...real, fileStore: () => real.fileStore(folder) }
  })
  vi.doMock('authgraph/auth', async (original) => {
    const real = await original<typeof import('../../src/auth/index.ts')>()
    return { ...real, createApi: (options: CreateApiOptions) => real.createApi({ ...options, ...elsewhere }) }
  })
  onTestFinished(() => {
    for (const entry of ['session', 'session/node', 'auth']) vi.doUnmock(`authgraph/${entry}`)
    vi.resetModules()
  })
  async function start(): Promise<string> {
    vi.resetModules()
    const { session } = await import('./keep-a-token/session.ts')
    const { whoami } = await import('./keep-a-token/script.ts')
    let name: string | undefined
    whoami().then((login) => {
      name = login
    })
    // Files take real time, and the wait between polls virtual time.
    await vi.waitUntil(
      async () => {
        await time.advance(500)
        return name !== undefined
      },
      { interval: 1, timeout: 240_000 },
    )
    session.actor.stop()
    return name ?? ''
  }
  expect(await start()).toBe('octocat')
  expect(lines).toEqual(['Enter ABCD-EFGH at https://provider.example/device\n'])
  expect(await start()).toBe('octocat')
  await time.advance(HOUR)
  expect(await start()).toBe('octocat')
  expect(server.requests).toEqual(['/login/device/code', '/login/oauth/access_token', 'refresh-0-0'])
})

test('commands log in, print a valid token, log out, and say when to log in again', async () => {
  const lines = printed()
  const { time, server, open, over } = world()
  const command = (name: string, session = open()) => over(run(name, session))
  expect(await command('token')).toBe(1)
  expect(await command('login')).toBe(0)
  expect(await command('token')).toBe(0)
  await time.advance(HOUR)
  expect(await command('token')).toBe(0)
  expect(await command('logout')).toBe(0)
  const { revocationEndpoint: _, ...provider } = server.provider
  await command('login')
  expect(await command('logout', open({ provider }))).toBe(0)
  expect(await command('token')).toBe(1)
  expect(lines).toEqual([
    'Log in first: my-cli login\n',
    'Logged in.\n',
    'access-0-0\n',
    'access-0-1\n',
    'Logged out.\n',
    'Logged in.\n',
    expect.stringMatching(/^Logged out. The token was not revoked: .+\.\n$/),
    'Log in first: my-cli login\n',
  ])
})

test('a server keeps a session for each user, and shares the logins with its other instances', async () => {
  const { time, server, store, over } = world()
  const options = {
    clientId: 'id',
    provider: server.provider,
    fetch: server.fetch,
    store,
    clock: time.clock(),
    onCodes: () => undefined,
  }
  const [here, there] = [new Sessions(options), new Sessions(options)]
  const token = async (sessions: Sessions, userId: string) =>
    (await over(sessions.of(userId).token())).reveal()
  await over(here.of('ann').login())
  await over(here.of('bob').login())
  expect([await token(there, 'ann'), await token(there, 'bob')]).toEqual(['access-0-0', 'access-1-0'])
  await time.advance(HOUR)
  expect(await Promise.all([token(here, 'ann'), token(there, 'ann')])).toEqual(Array(2).fill('access-0-1'))
  const session = here.of('bob')
  expect(await over(here.end('bob'))).toEqual({ revoked: true })
  expect(session.actor.getSnapshot().status).toBe('stopped')
  await expect(token(here, 'bob')).rejects.toMatchObject({ code: 'login_required' })
  expect(await token(here, 'ann')).toBe('access-0-1')
  for (const userId of ['ann', 'bob']) for (const sessions of [here, there]) sessions.of(userId).actor.stop()
})

test('a single refresh saves the new token before it is returned', async () => {
  const { time, server, loggedIn } = world()
  await loggedIn()
  const saved: TokenRecord[] = []
  const record: TokenRecord = {
    v: 1,
    accessToken: 'access-0-0',
    tokenType: 'bearer',
    scopes: ['repo'],
    missingScopes: [],
    refreshToken: 'refresh-0-0',
  }
  const options = { clientId: 'id', provider: server.provider, fetch: server.fetch, clock: time.clock() }
  const refreshed = await refreshOnce(record, async (token) => void saved.push(token), options)
  expect(refreshed).toMatchObject({ accessToken: 'access-0-1', refreshToken: 'refresh-0-1' })
  expect(saved).toEqual([refreshed])
})
