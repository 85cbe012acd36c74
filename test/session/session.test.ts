import { describe, expect, test } from 'vitest'
import { assign, createActor, createMachine } from 'xstate'
import { formOf } from '../../src/auth/auth.ts'
import { createApi } from '../../src/auth/index.ts'
import { AuthgraphError } from '../../src/errors.ts'
import type { OAuthToken, Provider } from '../../src/index.ts'
import { Secret } from '../../src/secret.ts'
import { settledOf } from '../../src/session/create-session.ts'
import { type Session, viewOfSession } from '../../src/session/index.ts'
import type { Owners } from '../../src/session/session-store.ts'
import { errorWith } from '../support/error-with.ts'
import { foreignToken, HOUR, troubled, world } from './support/world.ts'

/** How a process tells others apart, which live. */
function owners(self: string): Owners {
  return { self, isGone: () => false, pidOf: () => 4711 }
}

/** An API that a session calls. It refuses some tokens, and notes all that it gets. */
function apiOf(session: Session, provider: Provider, refuses: (header: string) => unknown = () => true) {
  const seen: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const header = new Request(input, init).headers.get('authorization') ?? ''
    seen.push(header)
    return (await refuses(header)) ? new Response(null, { status: 401 }) : Response.json({ login: 'octocat' })
  }
  const api = createApi({ auth: session, provider, fetch })
  return { seen, call: () => api('/user') }
}

describe('a session', () => {
  test('logs in once, and hands out the token without a request', async () => {
    const { server, loggedIn, read, open } = world()
    const codes: string[] = []
    const session = await loggedIn({ onCodes: ({ userCode }) => void codes.push(userCode) })
    expect(codes).toEqual(['ABCD-EFGH'])
    expect(await read(session)).toBe('access-0-0')
    expect(await read(open())).toBe('access-0-0')
    expect(server.requests).toEqual(['/login/device/code', '/login/oauth/access_token'])
  })

  test('refreshes a token that is due, once for all who ask', async () => {
    const { time, server, loggedIn, read } = world()
    const session = await loggedIn()
    await time.advance(HOUR - 59_000)
    expect(await Promise.all([read(session), read(session), read(session)])).toEqual(
      Array(3).fill('access-0-1'),
    )
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  })

  test.each([0, 2])(
    'refreshes a token of %i s, which is due on arrival, once for each call',
    async (expiresIn) => {
      const { time, clock, server, loggedIn, read } = world({ expiresIn })
      const slow: typeof globalThis.fetch = async (input, init) => {
        if (server.requests.length > 9) throw new TypeError('without end')
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 1000))
        return server.fetch(input, init)
      }
      const session = await loggedIn({ fetch: slow })
      await time.advance(1000)
      expect([await read(session), await read(session)]).toEqual(['access-0-1', 'access-0-2'])
      expect(server.requests.slice(2)).toEqual(['refresh-0-0', 'refresh-0-1'])
    },
  )

  test('refreshes a token that is due on arrival once more if the clock was set back meanwhile', async () => {
    const { time, clock, setClock, server, loggedIn, read } = world({ expiresIn: 0 })
    const session = await loggedIn({
      async fetch(input, init) {
        if (server.requests.length > 9) throw new TypeError('without end')
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 1000))
        const response = await server.fetch(input, init)
        if (server.requests.length === 3) setClock(-HOUR)
        return response
      },
    })
    await time.advance(1000)
    expect(await read(session)).toBe('access-0-2')
    expect(server.requests).toHaveLength(4)
  })

  test('keeps a token that cannot be refreshed and was received while the clock was ahead', async () => {
    const { time, setClock, open, over, read } = world()
    setClock(HOUR)
    const session = open()
    await over(session.keep(foreignToken('access', { expiresIn: 3600 })))
    setClock(0)
    await time.advance(60_000)
    expect(await read(session)).toBe('access')
    const learned = formOf(session).learn?.(new Response(null, { status: 401 }), new Secret('Bearer access'))
    expect(learned).toBe(true)
    await expect(read(session)).rejects.toMatchObject({ code: 'login_required' })
  })

  test.each([
    ['DPoP', []],
    ['mac', []],
    ['Bearer', ['Bearer access']],
    ['', ['Bearer access']],
  ])('sends a token as a bearer token unless it has another type: "%s"', async (tokenType, expected) => {
    const { server, open, over } = world()
    const session = open()
    await over(session.keep(foreignToken('access', { tokenType })))
    const { seen, call } = apiOf(session, server.provider, () => false)
    const error = await over(call()).then(
      () => undefined,
      ({ code }) => code,
    )
    expect([error, seen]).toEqual([expected.length > 0 ? undefined : 'bad_option', expected])
  })

  test('hands out a token that is due and still good while it rests after a fault', async () => {
    const { time, server, loggedIn, read, stored } = world()
    const session = await loggedIn()
    await time.advance(HOUR - 30_000)
    server.faults.push('busy', 'busy')
    expect(await read(session)).toBe('access-0-0')
    const sent = server.requests.length
    expect(await read(session)).toBe('access-0-0')
    expect(server.requests).toHaveLength(sent)
    expect(await stored()).not.toHaveProperty('claim')
  })

  test('does not rest longer because the clock of the device is set back', async () => {
    const { time, setClock, server, loggedIn, read } = world()
    const session = await loggedIn()
    await time.advance(2 * HOUR)
    server.faults.push('refused', 'refused')
    await expect(read(session)).rejects.toMatchObject({ code: 'unreachable' })
    setClock(-HOUR)
    await time.advance(60_000)
    expect(await read(session)).toBe('access-0-1')
  })

  test('rejects at once if the token has expired and cannot be refreshed', async () => {
    const { time, server, open, over, read } = world()
    const session = open()
    await over(session.keep(foreignToken('access', { expiresIn: 60 })))
    await time.advance(60_000)
    for (const each of [session, open()])
      await expect(read(each)).rejects.toEqual(errorWith('login_required', 'cannot be refreshed'))
    expect(server.requests).toEqual([])
  })

  test.each([
    { other: 'refreshes', stored: { status: 'signedIn', generation: 1 }, end: 'signedIn' },
    { other: 'logs out', stored: { status: 'signedOut' }, end: 'signedOut' },
  ])(
    'a login that was stored in spite of an error is not stored again after another process $other',
    async (row) => {
      const { time, store, open, over, read, stored } = world({ expiresIn: 1 })
      const unlucky = troubled(store)
      const session = open({ store: unlucky.store })
      await time.settle()
      unlucky.trouble.misreports = 1
      await expect(over(session.login())).rejects.toMatchObject({ code: 'not_kept' })
      await time.advance(600)
      if (row.other === 'refreshes') expect(await read(open())).toBe('access-0-1')
      else await over(open().logout())
      await time.advance(1_000)
      expect(await stored()).toMatchObject(row.stored)
      expect(session.actor.getSnapshot().value).toBe(row.end)
    },
  )

  test('a claim of a session of another copy of this module, in the same process, is not taken over', async () => {
    const { server, store, clock, loggedIn, open, over, refreshing } = world()
    await loggedIn()
    const shared = { ...store, owners: owners('one') }
    const session = open({ store: shared })
    const copy = '../../src/session/create-session.ts?copy'
    const { createSession }: typeof import('../../src/session/index.ts') = await import(copy)
    const { provider, fetch } = server
    const other = createSession({ clientId: 'id', provider, fetch, store: shared, clock })
    const { token, release } = await refreshing(session)
    await expect(over(other.token())).rejects.toMatchObject({ code: 'busy' })
    release()
    expect((await token).reveal()).toBe('access-0-1')
    expect((await over(other.token())).reveal()).toBe('access-0-1')
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
    other.actor.stop()
  })

  test('stores the pair that arrives after it was stopped, whose claim holds until then', async () => {
    const { time, server, loggedIn, open, over, read, refreshing, stored } = world({ reuseWindow: 0 })
    await loggedIn()
    const stopped = open()
    const { release } = await refreshing(stopped)
    stopped.actor.stop()
    await expect(over(open().token())).rejects.toMatchObject({ code: 'busy' })
    release()
    await time.settle()
    expect(await stored()).toMatchObject({ generation: 1 })
    expect(await stored()).not.toHaveProperty('claim')
    expect(await read(open())).toBe('access-0-1')
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  })

  test('revokes the pair that arrives after it was stopped, and another process logged out', async () => {
    const { time, server, loggedIn, open, over, refreshing, stored } = world()
    const stopped = await loggedIn()
    const { release } = await refreshing(stopped)
    stopped.actor.stop()
    await over(open().logout())
    release()
    await time.settle()
    expect(server.revoked).toEqual(['refresh-0-0', 'refresh-0-1'])
    expect(await stored()).toMatchObject({ status: 'signedOut' })
  })

  test('returns the claim that it gets after it was stopped', async () => {
    const { time, store, loggedIn, open, stored } = world()
    await loggedIn()
    const slow = troubled(store)
    const session = open({ store: slow.store })
    await time.settle()
    await time.advance(HOUR)
    const release = slow.trouble.hold()
    session.token().catch(() => undefined)
    await time.settle()
    expect(await stored()).toHaveProperty('claim')
    session.actor.stop()
    release()
    await time.settle()
    expect(await stored()).not.toHaveProperty('claim')
  })

  test('frees the claim that it cannot return after it was stopped', async () => {
    const { time, store, loggedIn, open, read, refreshing, stored } = world()
    await loggedIn()
    const broken = troubled(store)
    const session = open({ store: broken.store })
    const { release } = await refreshing(session)
    broken.trouble.isBroken = true
    session.actor.stop()
    release()
    await time.settle()
    expect(await stored()).toHaveProperty('claim')
    expect(await read(open())).toBe('access-0-1')
  })

  test('rejects with cancelled if the call is aborted or the session stopped while it is busy, or was stopped before', async () => {
    const { time, loggedIn, open, over, refreshing } = world()
    await loggedIn()
    const session = open()
    const { token } = await refreshing(session)
    const given = new AbortController()
    const waiting = session.token({ signal: given.signal })
    given.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    session.actor.stop()
    await expect(over(token)).rejects.toMatchObject({ code: 'cancelled' })
    await expect(over(session.token())).rejects.toMatchObject({ code: 'cancelled' })
    const settled = open()
    await time.settle()
    settled.actor.stop()
    await expect(over(settled.login())).rejects.toMatchObject({ code: 'cancelled' })
  })
})

test('waiting for a session rejects with the error of a bug in it, unless the call was cancelled', async () => {
  const bug = new Error('a bug')
  const fail = assign(() => {
    throw bug
  })
  const actor = createActor(createMachine({ on: { need: { actions: fail } } })) as unknown as Session['actor']
  actor.start()
  const settled = settledOf(actor)
  actor.send({ type: 'need' })
  await expect(settled).rejects.toBe(bug)
  await expect(settledOf(actor, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
})

test.each<[string, object]>([
  ['store', { store: undefined }],
  ['store', { store: {} }],
  ['name', { name: '' }],
  ['name', { name: 1 }],
  ['minValidity', { minValidity: -1 }],
  ['minValidity', { minValidity: Number.NaN }],
])('a session takes no invalid %s: %j', (option, options) => {
  expect(() => world().open(options)).toThrow(errorWith('bad_option', option))
})

describe('the data of the caller', () => {
  const data = { data: { account: 'octocat' }, secret: { clientId: 'id' } }

  test('is stored with a login, stays through a refresh and an end, and goes with a logout', async () => {
    const { time, server, loggedIn, open, over, read, stored } = world()
    await loggedIn({ data })
    expect(await stored()).toMatchObject(data)
    await time.advance(HOUR)
    // A command that does not know the data.
    const session = open({ data: { data: 'another' } })
    await read(session)
    expect(await stored()).toMatchObject({ generation: 1, ...data })
    await time.advance(HOUR)
    for (const family of server.families) family.revoked = true
    await expect(read(session)).rejects.toMatchObject({ code: 'login_required', message: /ended/ })
    expect(await stored()).toEqual({ v: 1, status: 'ended', login: expect.any(String), ...data })
    await over(session.logout())
    expect(await stored()).toEqual({ v: 1, status: 'signedOut', login: expect.any(String) })
    await expect(read(session)).rejects.toThrow('not logged in')
  })

  test('is not in the record of a session without data', async () => {
    const { loggedIn, stored } = world()
    await loggedIn()
    expect(Object.keys(await stored()).join()).not.toMatch(/data|secret/)
  })
})

describe('a token that was received elsewhere', () => {
  const token = foreignToken('access-0-0')
  const other = foreignToken('other')

  test('replaces one that was stored in the same millisecond', async () => {
    const { open, over, read } = world()
    const session = open()
    await over(session.keep(token))
    await over(session.keep(other))
    expect([await read(session), await read(open())]).toEqual(['other', 'other'])
  })

  test('counts its lifetime from the time when it was received', async () => {
    const { time, server, loggedIn, open, over, read } = world()
    await loggedIn()
    const refreshToken = new Secret('refresh-0-0')
    const session = open()
    for (const more of [{ expiresIn: 3600 }, {}]) {
      await over(session.keep({ ...token, refreshToken, ...more, expiresAt: time.now + 61_000 }))
      expect(viewOfSession(session.actor.getSnapshot(), time.now).expiresAt).toBe(time.now + 61_000)
    }
    expect(await read(session)).toBe('access-0-0')
    await time.advance(61_000)
    expect(await read(session)).toBe('access-0-1')
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  })

  test('shows that a login has expired which cannot be refreshed', async () => {
    const { time, open, over } = world()
    async function kept(name: string, more: Partial<OAuthToken>) {
      const session = open({ name })
      await over(session.keep({ ...token, expiresIn: 60, ...more }))
      return () => viewOfSession(session.actor.getSnapshot(), time.now)
    }
    const expiring = await kept('expiring', {})
    const refreshable = await kept('refreshable', { refreshToken: new Secret('refresh') })
    await time.advance(59_999)
    expect(expiring()).toMatchObject({ status: 'signedIn', text: 'Logged in.', isUsable: true })
    await time.advance(1)
    const text = 'The login has expired. Log in again.'
    expect(expiring()).toMatchObject({ status: 'expired', text, isUsable: false })
    expect(refreshable()).toMatchObject({ status: 'signedIn', text: 'Logged in.', isUsable: false })
  })

  test('replaces a login that another process refreshes, also one of another service', async () => {
    const { time, server, loggedIn, open, over, read } = world()
    const refreshing = await loggedIn()
    await time.advance(HOUR)
    const release = server.holdRefresh()
    refreshing.token().catch(() => undefined)
    await time.settle()
    const provider = { ...server.provider, tokenEndpoint: 'https://other.example/token' }
    const session = open({ provider })
    await over(session.keep(other))
    release()
    await time.settle()
    expect(server.revoked).toEqual(['refresh-0-1'])
    expect(await read(open({ provider }))).toBe('other')
  })

  test('is in the error while the store cannot be written, and can still be replaced', async () => {
    const { store, open, over, read } = world()
    const broken = troubled(store)
    broken.trouble.isBroken = true
    const session = open({ store: broken.store })
    await expect(over(session.keep(token))).rejects.toMatchObject({
      code: 'not_kept',
      token: { scopes: ['repo'] },
    })
    expect(await read(session)).toBe('access-0-0')
    broken.trouble.isBroken = false
    await over(session.keep(other))
    expect(await read(open())).toBe('other')
  })

  test('must be a token', async () => {
    const { open, over } = world()
    const text = JSON.parse(JSON.stringify(token))
    await expect(over(open().keep(text))).rejects.toMatchObject({ code: 'bad_option' })
  })
})

describe('beside a refresh that another caller starts', () => {
  /** A session whose token has expired, while it still reads the store. */
  async function expired() {
    const made = world()
    await made.loggedIn()
    await made.time.advance(HOUR)
    return { ...made, session: made.open() }
  }

  test('a token that was received elsewhere is stored', async () => {
    const { session, over, stored, read } = await expired()
    const [token] = await over(Promise.all([session.token(), session.keep(foreignToken('other'))]))
    expect(token.reveal()).toBe('access-0-1')
    expect(await stored()).toMatchObject({ generation: 0, token: { accessToken: 'other' } })
    expect(await read(session)).toBe('other')
  })

  test('a login takes place, once for all who ask', async () => {
    const { session, server, over, read } = await expired()
    await over(Promise.all([session.token(), session.login(), session.login()]))
    expect(server.requests.filter((request) => request === '/login/device/code')).toHaveLength(2)
    expect(await read(session)).toBe('access-1-0')
  })
})

describe('the end of a session', () => {
  test('logout revokes the token that it removed although the store said that it failed', async () => {
    const { store, server, loggedIn, over, stored } = world()
    const unlucky = troubled(store)
    const session = await loggedIn({ store: unlucky.store })
    unlucky.trouble.misreports = 1
    expect(await over(session.logout())).toEqual({ revoked: true })
    expect(server.revoked).toEqual(['refresh-0-0'])
    expect(await stored()).toMatchObject({ status: 'signedOut' })
  })

  test('logout also revokes a login that came between its two attempts', async () => {
    const { store, server, loggedIn, open, over } = world()
    const { trouble, store: unlucky } = troubled(store)
    const session = await loggedIn({ store: unlucky })
    trouble.misreports = 1
    const release = trouble.hold()
    const loggingOut = session.logout()
    await over(open().login())
    release()
    expect(await over(loggingOut)).toEqual({ revoked: true })
    expect(server.revoked).toEqual(['refresh-1-0', 'refresh-0-0'])
  })

  test('logout without a login says so', async () => {
    const { open, over } = world()
    expect(await over(open().logout())).toEqual({ revoked: false, why: 'there was no login' })
  })

  test('logout that cannot reach the store rejects, and the login stays', async () => {
    const { store, loggedIn, over, stored } = world()
    const broken = troubled(store)
    const session = await loggedIn({ store: broken.store })
    broken.trouble.isBroken = true
    await expect(over(session.logout())).rejects.toThrow('disk full')
    expect(await stored()).toMatchObject({ status: 'signedIn' })
  })

  test('logout says why nothing was revoked', async () => {
    const { server, loggedIn, over } = world()
    const { revocationEndpoint: _, tokenDeletionUrl: __, ...provider } = server.provider
    const session = await loggedIn({ provider })
    expect(await over(session.logout())).toEqual({
      revoked: false,
      why: expect.stringContaining('no revocation'),
    })
  })

  test('logout says that the service could not be reached, in words for people', async () => {
    const { server, loggedIn, over } = world()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (String(input) === server.provider.revocationEndpoint) throw new TypeError('fetch failed')
      return server.fetch(input, init)
    }
    const session = await loggedIn({ fetch })
    const { why } = await over(session.logout())
    expect(why).toMatch(/^\S+ cannot be reached/)
  })
})

describe('a session as a form of authentication', () => {
  test('refreshes a token that an API refuses, once, and sends the request again', async () => {
    const { time, server, loggedIn, over } = world()
    const session = await loggedIn()
    await time.advance(120_000)
    const { seen, call } = apiOf(session, server.provider, (header) => header === 'Bearer access-0-0')
    expect(await over(call())).toEqual({ login: 'octocat' })
    expect(seen).toEqual(['Bearer access-0-0', 'Bearer access-0-1'])
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  })

  test('a token that an API refuses and that cannot be refreshed ends the login, for every process', async () => {
    const { server, open, over, read, stored } = world()
    const session = open()
    await over(session.keep(foreignToken('access')))
    const { seen, call } = apiOf(session, server.provider)
    for (let times = 0; times < 2; times += 1)
      await expect(over(call())).rejects.toMatchObject({ code: 'login_required' })
    expect(seen).toHaveLength(1)
    expect(await stored()).toMatchObject({ status: 'ended' })
    await expect(read(open())).rejects.toMatchObject({ code: 'login_required' })
  })

  test('a 401 for a token that was refreshed a moment ago goes to the caller', async () => {
    const { time, server, loggedIn, over, read } = world()
    const session = await loggedIn()
    await time.advance(HOUR)
    await read(session)
    const { seen, call } = apiOf(session, server.provider)
    await expect(over(call())).rejects.toMatchObject({ status: 401 })
    expect(seen).toHaveLength(1)
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  })

  test.each<[string, number, string | undefined, boolean]>([
    ['another status', 403, 'Bearer access-0-0', false],
    ['no header', 401, undefined, false],
    ['a token that is no longer in use', 401, 'Bearer older', true],
    ['the token in use', 401, 'bearer access-0-0', true],
  ])('tells of %s whether a retry may succeed', async (_, status, sent, expected) => {
    const { server, loggedIn } = world()
    const session = await loggedIn()
    const refused = new Response(null, { status })
    expect(formOf(session).learn?.(refused, sent === undefined ? sent : new Secret(sent))).toBe(expected)
    expect(session.actor.getSnapshot().value).toBe(
      sent?.endsWith('0-0') && expected ? 'claiming' : 'signedIn',
    )
    expect(server.requests).toHaveLength(2)
  })

  test('a 401 that arrives after the logout goes to the caller', async () => {
    const { server, loggedIn, over } = world()
    const session = await loggedIn()
    const { seen, call } = apiOf(session, server.provider, () => session.logout())
    await expect(over(call())).rejects.toMatchObject({ status: 401 })
    expect(seen).toHaveLength(1)
  })
})

test('hands out no token that an API refused while its refresh fails', async () => {
  const { server, loggedIn, over, read } = world()
  const session = await loggedIn()
  server.faults.push('invalid_client')
  const { seen, call } = apiOf(session, server.provider)
  for (const use of [call, () => read(session), call])
    await expect(over<unknown>(use())).rejects.toMatchObject({ error: 'invalid_client' })
  expect(seen).toHaveLength(1)
})

test('refreshes a refused token also after the clock of the device was set back', async () => {
  const { time, setClock, server, loggedIn, over, read } = world()
  const session = await loggedIn()
  await time.advance(HOUR)
  expect(await read(session)).toBe('access-0-1')
  await time.advance(HOUR / 2)
  const { call } = apiOf(session, server.provider, (header) => {
    // By its clock, the token is yet to be issued.
    setClock(-2 * HOUR)
    return header === 'Bearer access-0-1'
  })
  await over(call())
  expect(await read(session)).toBe('access-0-2')
})

test('a record of another service is refused, and nothing is sent', async () => {
  const { server, loggedIn, open, over } = world()
  await loggedIn()
  const evil = { ...server.provider, tokenEndpoint: 'https://evil.example/token' }
  const sent = server.requests.length
  await expect(over(open({ provider: evil }).token())).rejects.toMatchObject({ code: 'wrong_host' })
  expect(server.requests).toHaveLength(sent)
})

describe('the API of another host', () => {
  test.each(['https://evil.example', 'https://api.example:444', 'https://api.example.evil.example/v3'])(
    '%s gets no token, and nothing is refreshed',
    async (baseUrl) => {
      const { time, server, loggedIn, over } = world()
      const session = await loggedIn()
      await time.advance(HOUR)
      const sent = server.requests.length
      const { seen, call } = apiOf(session, { ...server.provider, baseUrl })
      await expect(over(call())).rejects.toEqual(errorWith('wrong_host', 'api.example'))
      expect([seen, server.requests.length]).toEqual([[], sent])
    },
  )

  test.each([
    { baseUrl: undefined },
    { baseUrl: 'https://one.example', userinfoEndpoint: 'https://api.example/user' },
  ])('is not known if the provider of the session has %o', async (more) => {
    const { server, loggedIn, over } = world()
    const { provider } = server
    const session = await loggedIn({ provider: { ...provider, ...more } })
    expect(await over(apiOf(session, provider, () => false).call())).toEqual({ login: 'octocat' })
  })
})

test.each(['access_denied', 'expired_token', 'device_flow_disabled'])(
  'a view shows a login that ended with %s, until the next one',
  async (error) => {
    const { time, server, open, over } = world()
    let fails = true
    const fetch: typeof globalThis.fetch = async (input, init) =>
      fails && String(input).endsWith('/access_token') ? Response.json({ error }) : server.fetch(input, init)
    const session = open({ fetch })
    const shown = () => viewOfSession(session.actor.getSnapshot(), time.now)
    const thrown: AuthgraphError = await over(session.login()).catch((error) => error)
    expect(shown()).toMatchObject({
      status: 'signedOut',
      error: { code: thrown.code, message: thrown.message },
    })
    fails = false
    const login = session.login()
    await time.settle()
    expect(shown().login).toMatchObject({ userCode: 'ABCD-EFGH' })
    await over(login)
    expect(shown()).not.toHaveProperty('error')
  },
)

test('no error and no view holds a secret', async () => {
  const { time, server, loggedIn, over } = world()
  const session = await loggedIn()
  await time.advance(HOUR)
  server.faults.push('refused', 'refused')
  const error = await over(session.token()).catch((error: AuthgraphError) => error)
  const shown = JSON.stringify([error, viewOfSession(session.actor.getSnapshot(), time.now), session])
  expect(shown).not.toMatch(/access-\d|refresh-\d/)
  expect(error).toBeInstanceOf(AuthgraphError)
})
