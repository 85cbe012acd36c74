import { describe, expect, test } from 'vitest'
import { sealed } from '../../src/session/index.ts'
import type { Json } from '../../src/store/store.ts'
import { CLIENT_ID, CODES_PATH, HOST, TOKEN_PATH } from '../support/start-service.ts'
import { gate, SERVER, world } from './support/world.ts'

const HOUR = 3_600_000

const unknownClient = () => Response.json({ error: 'invalid_client' }, { status: 401 })

describe('a login at an MCP server', () => {
  test('shows one code with the server, the issuer and the page, and then calls without discovery', async () => {
    const { over, program, shown, approve, counts, server, time } = world()
    const { call } = program({ onCodes: (codes) => Promise.all([shown.push(codes), approve(codes)]) })
    const response = await over(call())
    expect([response.status, await response.json()]).toEqual([200, { scopes: ['tool:read'] }])
    expect(shown).toEqual([
      {
        server: SERVER,
        issuer: HOST,
        userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
        verificationUri: `${HOST}/login/device`,
        verificationUriComplete: expect.any(String),
        expiresAt: expect.any(Number),
      },
    ])
    const { documents } = counts
    expect((await over(program().call())).status).toBe(200)
    expect(counts).toMatchObject({ codes: 1, registrations: 1, documents, calls: 3 })
    expect(server.received[0]).toBeNull()
    expect(time.timers).toBe(0)
  })

  test('asks the issuer for a token of this server at every request', async () => {
    const { over, time, fetch, program, approve } = world()
    const resources: (string | null)[] = []
    const watched: typeof fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('client_id='))
        resources.push(new URLSearchParams(init.body).get('resource'))
      return fetch(input, init)
    }
    await over(program({ fetch: watched, onCodes: approve }).call())
    await time.advance(9 * HOUR)
    await over(program({ fetch: watched }).call())
    // Codes, one poll, one refresh.
    expect(resources).toEqual([SERVER, SERVER, SERVER])
  })

  test('refreshes an expired token once for ten calls, and one that the server refuses', async () => {
    const { loggedIn, over, counts, time, server } = world()
    const { call } = await loggedIn()
    const ten = () => over(Promise.all(Array.from({ length: 10 }, () => call())))
    const statuses = async () => (await ten()).map(({ status }) => status)
    await time.advance(9 * HOUR)
    expect(await statuses()).toEqual(Array(10).fill(200))
    expect(counts).toMatchObject({ codes: 1, refreshes: 1 })
    await time.advance(120_000)
    const { accepts } = server
    const refused = server.received.at(-1)
    server.accepts = (header) => (header === refused ? Promise.reject(new Error()) : accepts(header))
    expect(await statuses()).toEqual(Array(10).fill(200))
    expect(counts).toMatchObject({ codes: 1, refreshes: 2 })
  })

  test('steps up to the scopes of both logins, and revokes the token of the first', async () => {
    const { loggedIn, over, counts, server, service } = world()
    const { call } = await loggedIn()
    const [first = ''] = server.received.slice(-1)
    const response = await over(call('write'))
    expect(await response.json()).toEqual({ scopes: ['tool:read', 'tool:write'] })
    expect(counts).toMatchObject({ codes: 2, registrations: 1, revocations: 1 })
    expect((await service.whoIs(String(first).slice('Bearer '.length))).status).toBe(401)
  })

  test('steps up three times at most before a call succeeds, and not for a scope that it has asked for', async () => {
    const { loggedIn, over, counts, server } = world()
    const { call } = await loggedIn()
    let level = 0
    server.needs = () => {
      level += 1
      return [`level:${level}`]
    }
    expect((await over(call())).status).toBe(403)
    expect((await over(call())).status).toBe(403)
    expect(counts.codes).toBe(4)
    server.needs = () => []
    expect((await over(call())).status).toBe(200)
    server.needs = () => ['level:2', 'never']
    const { accepts } = server
    server.accepts = async (header) => ({ ...(await accepts(header)), scopes: [] }) as never
    expect((await over(call())).status).toBe(403)
    expect((await over(call())).status).toBe(403)
    expect(counts.codes).toBe(5)
  })

  test.each([true, false])(
    'shows no second code if the server refuses every token, with a refresh token: %s',
    async (isRefreshed) => {
      const { over, program, approve, counts, server, service } = world({ isRefreshed })
      server.accepts = () => Promise.reject(new Error())
      const { call } = program({ onCodes: approve })
      expect((await over(call())).status).toBe(401)
      expect((await over(call())).status).toBe(401)
      expect([counts.codes, counts.refreshes > 0]).toEqual([1, isRefreshed])
      expect(service.errors).toEqual([])
    },
  )

  test('logs out: the token is revoked, and the next call needs a login', async () => {
    const { loggedIn, over, counts, server, service, program, shown } = world()
    const { logout, status } = await loggedIn()
    const token = String(server.received.at(-1)).slice('Bearer '.length)
    expect(await over(logout())).toEqual({ revoked: true })
    expect((await service.whoIs(token)).status).toBe(401)
    expect(await over(status())).toEqual({ isLoggedIn: false, issuer: HOST, scopes: [] })
    await expect(over(program({ wait: 0 }).call())).rejects.toMatchObject({ code: 'login_pending' })
    expect([counts.codes, shown.length]).toEqual([2, 1])
  })

  test('deletes a login also without the client that it used, and says why it is not revoked', async () => {
    const { over, program, approve, counts } = world()
    await over(program({ onCodes: approve, clients: { [HOST]: { clientId: CLIENT_ID } } }).login())
    const { logout, status } = program()
    const why = 'the client of this login is not known'
    expect(await over(logout())).toEqual({ revoked: false, why })
    expect([await status(), counts.revocations]).toMatchObject([{ isLoggedIn: false }, 0])
  })

  test('tells what is stored, without a request', async () => {
    const { over, program, shown, counts } = world()
    const { status, session, logout, call } = program({ wait: 0 })
    expect(await over(status())).toEqual({ isLoggedIn: false, scopes: [] })
    expect(await over(session())).toBeUndefined()
    expect(await over(logout())).toEqual({ revoked: false, why: 'there was no login' })
    expect(counts.documents).toBe(0)
    await expect(over(call())).rejects.toThrow()
    const [codes] = shown
    expect(await over(status())).toEqual({ isLoggedIn: false, issuer: HOST, scopes: [], codes })
  })

  test('asks for a refresh token where the issuer offers that', async () => {
    const { over, program, at, sent } = world({ issuer: { scopes_supported: ['profile', 'offline_access'] } })
    const watched = at(CODES_PATH, (forward) => forward())
    await over(
      program({ fetch: watched, wait: 0 })
        .call()
        .catch(() => undefined),
    )
    expect(new URLSearchParams(String(sent[0]?.body)).get('scope')).toBe('tool:read offline_access')
  })

  test('returns a 403 that names no scope as it is', async () => {
    const { loggedIn, over, counts, server } = world()
    const { call } = await loggedIn()
    server.respond = () => new Response('', { status: 403 })
    expect((await over(call())).status).toBe(403)
    expect(counts.codes).toBe(1)
  })

  test('shows a second code at once if the user asks for a login', async () => {
    const { over, program, approve, counts, store } = world()
    await over(program({ onCodes: approve }).call())
    await store.update(`mcp ${SERVER} ${HOST}`, () => ({ result: undefined, value: null }))
    expect((await over(program().call())).status).toBe(401)
    await over(program({ onCodes: approve }).login())
    expect(counts.codes).toBe(2)
  })

  test('registers again, once, if the issuer has forgotten the client', async () => {
    const { over, program, approve, counts, at } = world()
    let forgotten = 1
    const forgetful = at(CODES_PATH, (forward) => (forgotten-- > 0 ? unknownClient() : forward()))
    expect((await over(program({ fetch: forgetful, onCodes: approve }).call())).status).toBe(200)
    expect(counts).toMatchObject({ registrations: 2, codes: 1 })
    forgotten = 9
    const never = program({ fetch: forgetful })
    await over(never.logout())
    await expect(over(never.call())).rejects.toMatchObject({ code: 'refused', error: 'invalid_client' })
    expect(counts.registrations).toBe(3)
  })

  test('registers again if the issuer refuses the client at a poll or a refresh', async () => {
    const { over, program, approve, counts, at, time } = world()
    let refused = 1
    const refusing = at(TOKEN_PATH, (forward) => (refused-- > 0 ? unknownClient() : forward()))
    const { call } = program({ fetch: refusing, onCodes: approve })
    await expect(over(call())).rejects.toMatchObject({ error: 'invalid_client' })
    await time.advance(61_000)
    expect((await over(call())).status).toBe(200)
    expect(counts).toMatchObject({ codes: 2, registrations: 2 })
    await time.advance(9 * HOUR)
    refused = 1
    expect((await over(call())).status).toBe(200)
  })

  test.each([
    [{ store: {} }, 'store must have a method "update"'],
    [{ wait: Number.NaN }, 'wait must be a number of seconds, 0 or more'],
    [{ onCode: () => {} }, 'unknown option "onCode"'],
  ])('cannot be made of %o', (options, message) => {
    expect(() => world().program(options as object)).toThrow(message)
  })

  test('that was given up before it began starts nothing', async () => {
    const { over, program, counts } = world()
    const signal = AbortSignal.abort(new Error('given up'))
    await expect(over(program().login({ signal }))).rejects.toThrow('given up')
    expect(counts).toMatchObject({ documents: 0, codes: 0 })
  })

  test('leaves requests elsewhere as they are, also at a path that only begins like the server', async () => {
    const { loggedIn, over, server } = world()
    const login = await loggedIn()
    await over(login.fetch(`${SERVER}2`, { method: 'POST', body: 'read' }))
    expect(server.received.at(-1)).toBeNull()
    await over(login.fetch(`${SERVER}/below?x=1`, { method: 'POST', body: 'read' }))
    expect(server.received.at(-1)).toMatch(/^Bearer /)
  })

  test('keeps the device code and the client as secret as tokens', async () => {
    const { over, program, store } = world()
    const key = new Uint8Array(32)
    const { call } = program({ store: sealed(store, key), wait: 0 })
    await expect(over(call())).rejects.toMatchObject({ code: 'login_pending' })
    const read = (name: string) => store.update(name, (value) => ({ result: value as object }))
    const records = await Promise.all([`mcp ${SERVER} login`, `mcp client ${HOST}`].map(read))
    for (const record of records) {
      expect(record).toHaveProperty('sealed')
      expect(record).not.toHaveProperty('secret')
    }
  })
})

describe('a login that takes longer than a request', () => {
  test('is reported before MCP clients give up, and continues with the same code', async () => {
    const { over, program, shown, counts, service, time, approve } = world()
    const began = time.now
    const error = await over(program().call()).catch((error) => error)
    expect(time.now - began).toBeLessThan(60_000)
    const [codes] = shown
    expect(error).toMatchObject({ code: 'login_pending', codes })
    for (const part of [SERVER, HOST, codes?.userCode]) expect(error.message).toContain(part)
    await time.advance(30_000)
    await approve({ userCode: codes?.userCode ?? '' })
    // A program that was started later.
    expect((await over(program().call())).status).toBe(200)
    expect(counts.codes).toBe(1)
    expect(service.errors).toEqual([])
  })

  test('that is stopped is reported at once, and starts no other', async () => {
    const { over, program, counts, time } = world()
    const { call, stop, logout } = program()
    const began = time.now
    const waiting = call().catch(({ code }) => code)
    await time.advance(2000)
    stop()
    expect(await over(waiting)).toBe('login_pending')
    expect(time.now - began).toBe(2000)
    await over(logout())
    expect((await over(call())).status).toBe(401)
    expect(counts.codes).toBe(1)
  })

  test('goes on for the other caller if two of them give up', async () => {
    const { over, program, shown, counts, time, approve } = world()
    const { call, login } = program()
    const abort = new AbortController()
    const { signal } = abort
    const [one, two, other] = [call('read', { signal }), login({ signal }), call()]
    for (const waiting of [one, two]) waiting.catch(() => undefined)
    await time.advance(5000)
    abort.abort(new Error('enough'))
    for (const waiting of [one, two]) await expect(over<unknown>(waiting)).rejects.toThrow('enough')
    await approve({ userCode: shown[0]?.userCode ?? '' })
    expect((await over(other)).status).toBe(200)
    expect(counts.codes).toBe(1)
  })

  test('that is denied ends ten callers with a typed error each, and asks nobody again for a minute', async () => {
    const { over, program, shown, counts, service, time } = world()
    const calls = Array.from({ length: 10 }, () => program().call())
    await time.advance(3000)
    await service.deny(shown[0]?.userCode ?? '')
    const ends = await over(Promise.allSettled(calls))
    expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(Array(10).fill('denied'))
    await expect(over(program().call())).rejects.toMatchObject({ code: 'denied' })
    expect(counts.codes).toBe(1)
    // Unless the user wants it.
    await expect(over(program({ wait: 0 }).login())).rejects.toMatchObject({ code: 'login_pending' })
    expect(counts.codes).toBe(2)
  })

  test('that was denied before the clock was set back is asked for again', async () => {
    const { over, program, shown, service, clock } = world()
    await expect(over(program({ wait: 0 }).call())).rejects.toMatchObject({ code: 'login_pending' })
    await service.deny(shown[0]?.userCode ?? '')
    await expect(over(program().call())).rejects.toMatchObject({ code: 'denied' })
    const back = program({ wait: 0, clock: { ...clock, now: () => clock.now() - HOUR } })
    await expect(over(back.call())).rejects.toMatchObject({ code: 'login_pending' })
  })

  test('that was finished before the clock was set back is asked for again if its token is rejected', async () => {
    const { loggedIn, over, program, counts, server, clock } = world({ isRefreshed: false })
    await loggedIn()
    server.accepts = () => Promise.reject(new Error())
    const back = program({ wait: 0, clock: { ...clock, now: () => clock.now() - HOUR } })
    await expect(over(back.call())).rejects.toMatchObject({ code: 'login_pending' })
    expect(counts.codes).toBe(2)
  })

  test.each([
    ['fails', () => new Response('', { status: 503 }), { code: 'refused' }],
    ['says so', () => Response.json({ error: 'expired_token' }, { status: 400 }), undefined],
  ])('whose code expires has the fault of the last poll as its cause if that %s', async (_, last, cause) => {
    const { over, program, at, time } = world()
    const began = time.now
    const poll = () => (time.now - began < 60_000 ? new Response('', { status: 503 }) : last())
    const { login } = program({ wait: 3600, fetch: at(TOKEN_PATH, poll) })
    const error = await over(login()).catch((error) => error)
    expect([error.code, error.cause?.code]).toEqual(['expired', cause?.code])
  })

  test('whose code expires meanwhile says so', async () => {
    const { over, program, counts, time } = world()
    const both = [program({ wait: 3600 }).call(), program({ wait: 3600 }).call()]
    for (const end of await over(Promise.allSettled(both)))
      expect(end).toMatchObject({ reason: { code: 'expired' } })
    await time.advance(61_000)
    await expect(over(program({ wait: 0 }).call())).rejects.toMatchObject({ code: 'login_pending' })
    expect(counts.codes).toBe(2)
  })

  test('waits no longer if the clock is set back', async () => {
    const { over, program, clock, time, shown, approve } = world()
    let back = 0
    const set = { ...clock, now: () => clock.now() - back }
    const first = program({ clock: set }).call()
    first.catch(() => undefined)
    await time.advance(7000)
    back = HOUR
    await expect(over(first)).rejects.toMatchObject({ code: 'login_pending' })
    await approve({ userCode: shown[0]?.userCode ?? '' })
    const began = time.now
    expect((await over(program({ clock: set }).call())).status).toBe(200)
    expect(time.now - began).toBeLessThan(20_000)
  })
})

describe('many programs with one store', () => {
  test('register once, show one code and poll in turn', async () => {
    const { over, program, shown, counts, time, approve } = world()
    const calls = Array.from({ length: 50 }, () => program().call())
    await time.advance(4000)
    expect(new Set(shown.map(({ userCode }) => userCode)).size).toBe(1)
    expect(shown).toHaveLength(50)
    await approve({ userCode: shown[0]?.userCode ?? '' })
    const responses = await over(Promise.all(calls))
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(counts).toMatchObject({ codes: 1, registrations: 1, polls: 1 })
  })

  test('keep the token if one of them reads its repeated response while another one finishes', async () => {
    const { over, program, at, store, approve, counts } = world()
    const { open: goOn, opened: waited } = gate()
    let isIssued = false
    const watched = (then: () => unknown) =>
      at(TOKEN_PATH, async (forward) => {
        const response = await forward()
        if (response.ok) await then()
        return response
      })
    const first = program({ fetch: watched(() => waited), onCodes: approve }).call()
    const second = program({
      fetch: watched(() => {
        isIssued = true
      }),
      store: {
        async update(key, change) {
          if (isIssued && key === `mcp ${SERVER}`) {
            goOn()
            await first
          }
          return store.update(key, change)
        },
      },
    }).call()
    for (const call of [second, first, program().call()]) expect((await over(call)).status).toBe(200)
    expect(counts).toMatchObject({ codes: 1, revocations: 0 })
  })

  test('leave no login if one of them logs out while another stores the token', async () => {
    const { over, program, at, store, approve, counts } = world()
    let isIssued = false
    const first = program({
      fetch: at(TOKEN_PATH, async (forward) => {
        const response = await forward()
        isIssued ||= response.ok
        return response
      }),
      onCodes: approve,
      store: {
        async update(key, change) {
          if (isIssued && key === `mcp ${SERVER} ${HOST}`) {
            isIssued = false
            await program().logout()
          }
          return store.update(key, change)
        },
      },
    })
    await over(first.call())
    expect(await over(program().status())).toMatchObject({ isLoggedIn: false })
    expect(counts.revocations).toBe(1)
  })

  test('use the login of the one that stepped up, and so does one with the old login in memory', async () => {
    const { loggedIn, over, counts, server } = world()
    const [one, other] = [await loggedIn(), await loggedIn()]
    await over(one.call('write'))
    expect((await over(other.call('write'))).status).toBe(200)
    expect((await over(other.call())).status).toBe(200)
    expect(counts.codes).toBe(2)
    expect(new Set(server.received.slice(-2)).size).toBe(1)
  })

  test('that step up to different scopes at once end with one login for both', async () => {
    const { loggedIn, over, counts, server, program, approve } = world()
    await loggedIn()
    server.needs = (tool) => [`tool:${tool}`]
    const calls = ['write', 'admin'].map((tool) => program({ onCodes: approve }).call(tool))
    const responses = await over(Promise.all(calls))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect((await over(program().call('write'))).status).toBe(200)
    expect((await over(program().call('admin'))).status).toBe(200)
    expect(counts.codes).toBe(3)
  })

  test('finish a login whose token one of them stored before it was killed', async () => {
    const { over, program, approve, at, store } = world()
    const key = `mcp ${SERVER} login`
    let value: Json | undefined
    const onCodes = async (codes: { readonly userCode: string }) => {
      value = await store.update(key, (json) => ({ result: json }))
      await approve(codes)
    }
    await over(program({ onCodes }).call())
    await store.update(key, () => ({ result: undefined, value }))
    const expired = at(TOKEN_PATH, () => Response.json({ error: 'expired_token' }, { status: 400 }))
    await over(program({ fetch: expired }).login())
    expect(await store.update(key, (json) => ({ result: json }))).toBeUndefined()
  })

  test('store no token that arrives after a logout: it is revoked', async () => {
    const { over, program, approve, counts, at, shown } = world()
    const other = program()
    const late = at(TOKEN_PATH, async (forward) => {
      const response = await forward()
      if (counts.polls === 1) await other.logout()
      return response
    })
    const onCodes = (codes: (typeof shown)[0]) => shown.push(codes) === 1 && approve(codes)
    await expect(over(program({ fetch: late, onCodes }).call())).rejects.toMatchObject({
      code: 'login_pending',
    })
    expect(counts).toMatchObject({ codes: 2, revocations: 1 })
    expect(await over(other.status())).toMatchObject({ isLoggedIn: false })
  })

  test.each([
    ['gets the same response late', true],
    ['reads the store late', false],
  ])('keep the token of the one that finished, if another %s', async (_, isResponseLate) => {
    const { over, program, approve, counts, at, store, service, server } = world()
    const [arrival, release] = [gate(), gate()]
    const hold = () => {
      arrival.open()
      return release.opened
    }
    let isIssued = false
    const slow = at(TOKEN_PATH, async (forward) => {
      const response = await forward()
      isIssued = true
      if (isResponseLate) await hold()
      return response
    })
    const slowStore: typeof store = {
      ...store,
      async update(key, change) {
        const result = await store.update(key, change)
        if (isIssued && key === `mcp ${SERVER} ${HOST}`) await hold()
        return result
      },
    }
    const late = program({ fetch: slow, store: slowStore, onCodes: approve }).call()
    await over(arrival.opened)
    const other = program()
    expect((await over(other.call())).status).toBe(200)
    release.open()
    expect((await over(late)).status).toBe(200)
    expect(counts).toMatchObject({ codes: 1, revocations: 0 })
    expect((await service.whoIs(String(server.received.at(-1)).slice('Bearer '.length))).status).toBe(200)
  })

  test('start a login in place of one that was killed while it did', async () => {
    const { over, program, counts, store } = world()
    const value = { v: 1, status: 'starting', owner: 'killed#1', nonce: 'n', at: 0 } as const
    await store.update(`mcp ${SERVER} login`, () => ({ result: undefined, value }))
    const owners = { self: 'me', isGone: (owner: string) => owner === 'killed', pidOf: () => 5 }
    const call = () => over(program({ wait: 0, store: { ...store, owners } }).call())
    await expect(call()).rejects.toMatchObject({ code: 'login_pending' })
    expect(counts.codes).toBe(1)
  })

  test('take over after a minute where nobody can tell whether that one was killed', async () => {
    const { over, program, store, time, clock, approve } = world()
    const claim = { v: 1, status: 'starting', owner: 'elsewhere#1', nonce: 'n' } as const
    // The second clock is hours ahead of that of the claim, or the claim is as old.
    for (const [at, busy] of [
      [clock.now(), 1],
      [clock.now() - HOUR, 0],
    ] as const) {
      const value = { ...claim, at }
      await store.update(`mcp ${SERVER} login`, () => ({ result: undefined, value }))
      const { call, logout } = program({ onCodes: approve })
      const began = time.now
      if (busy) await expect(over(call())).rejects.toMatchObject({ code: 'busy' })
      expect((await over(call())).status).toBe(200)
      const seconds = (time.now - began) / 1000
      expect(seconds).toBeGreaterThan(4)
      expect(seconds).toBeLessThan(busy ? 90 : 20)
      await over(logout())
    }
  })
})
