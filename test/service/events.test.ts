import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import type { Policy, ServiceEvent } from '../../src/service/index.ts'
import { CLIENT_ID, HOST, startService, type TestOptions } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'

const PAGE = `${HOST}/login/device`
const APP = { clientId: expect.any(Secret), name: 'App' }
const OCTOCAT = { id: 7, login: 'octocat' }
const DEVICE = { address: '192.0.2.1', userAgent: 'tv/1' }
const BROWSER = { address: '198.51.100.9', userAgent: 'browser/2' }

/** A service whose device and whose browser send an address and a user agent. */
function start(options: TestOptions = {}) {
  const service = startService({ identify: () => ({ user: OCTOCAT }), ...options })
  const from = ({ address, userAgent }: typeof DEVICE) => ({ 'x-from': address, 'user-agent': userAgent })
  const browser = userAt((url, init) =>
    service.fetch(String(url), { ...init, headers: { ...(init?.headers as object), ...from(BROWSER) } }),
  )
  return {
    ...service,
    browser,
    ask: (fields: Record<string, string> = {}) => service.askForCodes(fields, from(DEVICE)),
    pollFrom: (deviceCode: string) => service.poll(deviceCode, {}, from(DEVICE)),
    /** Opens a code on the page. */
    view: async (userCode: string) => browser.send(await browser.open(PAGE), { user_code: userCode }),
    /** A login, and the event of its token. */
    async issued() {
      const token = await service.login()
      const event = service.told().find(({ type }) => type === 'token.issued')
      if (event?.type !== 'token.issued') throw new Error('no token was issued')
      return { token, event }
    },
  }
}

const typesOf = (events: readonly ServiceEvent[]) => events.map(({ type }) => type)

describe('a login', () => {
  test('emits events from the codes to the token, with both origins and one grant', async () => {
    const service = start()
    const at = service.clock.time
    const { body } = await service.ask({ scope: 'repo,gist' })
    const confirm = await service.view(body.user_code)
    await service.browser.send(confirm, { decision: 'approve' })
    await service.pollFrom(body.device_code)
    const grant = expect.stringMatching(/^[0-9a-f]{32}$/)
    const facts = { at, client: APP, grant }
    const scopes = ['repo', 'gist']
    expect(service.events).toEqual([
      { type: 'codes.issued', ...facts, scopes, expiresAt: at + 900_000, origin: DEVICE },
      { type: 'code.viewed', ...facts, user: OCTOCAT, device: DEVICE, origin: BROWSER },
      {
        type: 'decision',
        decision: 'approved',
        by: 'user',
        ...facts,
        scopes,
        user: OCTOCAT,
        device: DEVICE,
        origin: BROWSER,
      },
      { type: 'token.issued', ...facts, user: OCTOCAT, scopes, replayed: false, origin: DEVICE },
    ])
    expect(new Set(service.events.map((event) => 'grant' in event && event.grant)).size).toBe(1)
  })

  test.each<[string, Policy]>([
    ['linked', { typeCode: true }],
    ['opened', {}],
    ['stepUp', { assess: () => ({ stepUpAt: '/second-factor' }) }],
  ])(
    'that its user could not decide is an event as %s, once and with both origins',
    async (reason, policy) => {
      const service = start({ policy })
      const { body } = await service.ask()
      const [codes] = service.told()
      if (reason === 'opened') {
        const first = userAt((url, init) => service.fetch(String(url), init))
        await first.send(await first.open(PAGE), { user_code: body.user_code })
        service.told()
      }
      const link = reason === 'linked' ? `${PAGE}?user_code=${body.user_code}` : PAGE
      const { browser } = service
      const shown = await browser.send(await browser.open(link), { user_code: body.user_code })
      if (reason === 'stepUp') {
        expect(typesOf(service.told())).toEqual(['code.viewed'])
        await browser.send(shown, { decision: 'approve' })
      }
      expect(service.told()).toEqual([
        {
          type: 'code.refused',
          reason,
          at: service.clock.time,
          client: APP,
          grant: codes?.type === 'codes.issued' && codes.grant,
          user: OCTOCAT,
          device: DEVICE,
          origin: BROWSER,
        },
      ])
    },
  )

  test('that its user denies is told once, with the user', async () => {
    const service = start()
    const { body } = await service.ask()
    const confirm = await service.view(body.user_code)
    service.told()
    await service.browser.send(confirm, { decision: 'deny' })
    await service.browser.send(confirm, { decision: 'approve' })
    await service.pollFrom(body.device_code)
    expect(service.told()).toMatchObject([
      { type: 'decision', decision: 'denied', by: 'user', user: OCTOCAT, origin: BROWSER, device: DEVICE },
    ])
  })

  test('that the host decides has no origin but that of the device', async () => {
    const service = start()
    const [first, second] = [(await service.ask()).body, (await service.ask()).body]
    service.told()
    await service.approve(first.user_code, OCTOCAT)
    await service.deny(second.user_code)
    const facts = {
      type: 'decision',
      by: 'host',
      at: service.clock.time,
      client: APP,
      scopes: [],
      device: DEVICE,
    }
    const grant = expect.any(String)
    expect(service.told()).toEqual([
      { ...facts, grant, decision: 'approved', user: OCTOCAT },
      { ...facts, grant, decision: 'denied' },
    ])
  })

  test('is not told while nothing happens: waiting polls, wrong codes, and a token that is not issued', async () => {
    const service = start({ issueToken: () => Promise.reject(new Error('no key')) })
    const { body } = await service.ask()
    service.told()
    await service.pollFrom(body.device_code)
    await service.pollFrom('f'.repeat(40))
    await service.view('BBBB-BBBB')
    expect(service.told()).toEqual([])
    await service.approve(body.user_code, OCTOCAT)
    await service.pollFrom(body.device_code)
    expect(typesOf(service.told())).toEqual(['decision'])
  })

  test('does not name a client that is no longer registered', async () => {
    const { memory: store, clock, ask } = start()
    const { body } = await ask()
    const { approve, events } = start({ store, clock, clients: [{ clientId: 'another', name: 'Another' }] })
    await approve(body.user_code, OCTOCAT)
    expect(events).toMatchObject([{ type: 'decision' }])
    expect(events[0]).not.toHaveProperty('client')
  })
})

describe('refresh tokens', () => {
  const refreshTokens = { lifetime: 3600 }

  test('of one login share a family, from the first token to the theft', async () => {
    const service = start({ refreshTokens })
    const { token: first, event } = await service.issued()
    const { family } = event
    expect(family).toMatch(/^[0-9a-f]{32}$/)
    const facts = { at: service.clock.time, family, client: APP, user: OCTOCAT, origin: {} }
    const scopes = ['repo', 'gist']
    await service.refresh(first.refresh_token)
    await service.refresh(first.refresh_token)
    expect(service.told()).toEqual([
      { type: 'token.refreshed', ...facts, scopes, replayed: false },
      { type: 'token.refreshed', ...facts, scopes, replayed: true },
    ])
    service.wait(30)
    await service.refresh(first.refresh_token)
    await service.refresh(first.refresh_token)
    expect(service.told()).toEqual([{ type: 'reuse.detected', ...facts, at: service.clock.time }])
  })
})

describe('a revocation', () => {
  const refreshTokens = { lifetime: 3600 }
  const revoked = { type: 'token.revoked', by: 'host', at: Date.UTC(2026, 0, 1), user: OCTOCAT }

  test('by a client names its origin and the login, once', async () => {
    const service = start({ refreshTokens })
    const { token: login, event } = await service.issued()
    for (const token of [login.access_token, login.refresh_token, 'unknown'])
      await service.post('/login/oauth/revoke', { client_id: CLIENT_ID, token }, { 'x-from': '192.0.2.1' })
    const origin = { address: '192.0.2.1' }
    expect(service.told()).toEqual([{ ...revoked, by: 'client', client: APP, family: event.family, origin }])
  })

  test('of a token without a refresh token names its grant', async () => {
    const service = start()
    const { token, event } = await service.issued()
    await service.revoke({ token: token.access_token })
    await service.revoke({ token: token.access_token })
    expect(service.told()).toEqual([{ ...revoked, client: APP, grant: event.grant }])
  })

  test('by the host, of a login or of a user', async () => {
    const service = start({ refreshTokens })
    const { family = '' } = (await service.issued()).event
    await service.revoke({ family })
    await service.revoke({ family })
    await service.revoke({ user: OCTOCAT })
    expect(service.told()).toEqual([{ ...revoked, client: APP, family }, revoked])
  })
})

describe('a limit', () => {
  const once = { max: 1, window: 60 }

  type Service = ReturnType<typeof start>
  const wrong = { authorization: `Basic ${btoa('mona:wrong')}` }
  const guess = ({ authenticate }: Service) =>
    authenticate({ headers: new Headers(wrong), address: '192.0.2.1' }).catch(() => undefined)
  const secretly = { clients: [{ clientId: CLIENT_ID, name: 'App', clientSecret: 'right' }] }

  test.each<[limit: string, (service: Service, time: number) => Promise<unknown>, object, TestOptions?]>([
    ['codesRequests', ({ ask }) => ask(), { client: APP, origin: DEVICE, retryAfter: 60 }],
    ['grantsInNetwork', ({ ask }) => ask(), { client: APP, origin: DEVICE }],
    ['grantsInAll', ({ ask }) => ask(), { client: APP, origin: DEVICE }],
    ['wrongDeviceCodes', ({ pollFrom }, time) => pollFrom(`${time}`), { client: APP, origin: DEVICE }],
    ['unknownClients', ({ ask }, time) => ask({ client_id: `${time}` }), { origin: DEVICE }],
    ['wrongUserCodes', ({ view }) => view('BBBB-BBBB'), { user: OCTOCAT, origin: BROWSER }],
    ['wrongPasswords', guess, { origin: { address: '192.0.2.1' } }],
    ['wrongSecrets', ({ ask }) => ask({ client_secret: 'no' }), { client: APP, origin: DEVICE }, secretly],
  ])('that is exceeded emits an event with the origin: %s', async (limit, act, event, options) => {
    const service = start({ limits: { [limit]: once }, ...options })
    await act(service, 1)
    service.told()
    await act(service, 2)
    const facts = { type: 'limited', limit, at: service.clock.time, retryAfter: expect.any(Number) }
    expect(service.told()).toEqual([{ ...facts, ...event }])
  })

  test('of early polls is told once as slow_down with the new interval, then once as a limit', async () => {
    const service = start({ limits: { earlyPolls: { max: 2, window: 10 } } })
    const { body } = await service.ask()
    const [codes] = service.told()
    for (let time = 0; time < 6; time += 1) await service.pollFrom(body.device_code)
    const facts = { type: 'limited', at: service.clock.time, client: APP, origin: DEVICE }
    const grant = codes?.type === 'codes.issued' && codes.grant
    expect(service.told()).toEqual([
      { ...facts, limit: 'interval', retryAfter: 10, grant },
      { ...facts, limit: 'earlyPolls', retryAfter: 10 },
    ])
  })

  test('of refreshes names the login', async () => {
    const service = start({ refreshTokens: { lifetime: 3600 }, limits: { refreshes: once } })
    const first = await service.login()
    const { body } = await service.refresh(first.refresh_token)
    service.told()
    await service.refresh(body.refresh_token)
    expect(service.told()).toMatchObject([
      { type: 'limited', limit: 'refreshes', client: APP, family: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ])
  })
})

test('no event contains a secret', async () => {
  const service = start({ refreshTokens: { lifetime: 3600 } })
  const secrets = [CLIENT_ID]
  const { body } = await service.ask({ scope: 'repo' })
  await service.browser.send(await service.view(body.user_code), { decision: 'approve' })
  const first = (await service.pollFrom(body.device_code)).body
  const second = (await service.refresh(first.refresh_token)).body
  service.wait(60)
  await service.refresh(first.refresh_token)
  for (const { access_token, refresh_token } of [first, second])
    secrets.push(access_token, refresh_token, access_token.slice(4), refresh_token.slice(-40))
  secrets.push(body.device_code, body.user_code, body.user_code.replace('-', ''))
  const types = [
    'codes.issued',
    'code.viewed',
    'decision',
    'token.issued',
    'token.refreshed',
    'reuse.detected',
  ]
  expect(typesOf(service.events)).toEqual(types)
  for (const text of [
    JSON.stringify(service.events),
    inspect(service.events, { depth: 9, showHidden: true }),
    String(service.events),
  ])
    for (const secret of secrets) expect(text).not.toContain(secret)
})

test('a service without a listener takes the same requests', async () => {
  const service = startService({ onEvent: undefined } as object)
  await service.revoke({ token: (await service.login()).access_token })
  expect([service.errors, service.events]).toEqual([[], []])
})

const failure = new Error('of the listener')

test.each([
  ['rejects', 'Promise.reject(failure)'],
  ['throws', '(() => { throw failure })()'],
])('a listener of another realm that %s fails no request, and the host learns of it', async (_, code) => {
  const service = startService({ onEvent: () => runInNewContext(code, { failure }) })
  expect((await service.askForCodes()).status).toBe(200)
  expect(service.errors).toEqual([failure])
})
