import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Identity, memoryStore, type ServiceOptions } from '../../src/service/index.ts'
import type { PageState } from '../../src/service/page/index.ts'
import { HOST, startService, type TestOptions } from '../support/start-service.ts'
import { formOf, userAt } from '../support/user.ts'
import { watchedStore } from '../support/watched-store.ts'

const ADDRESS = `${HOST}/login/device`

/** Sends a hand-made form, as another site or a script would. */
function post(
  service: Pick<ReturnType<typeof startService>, 'fetch'>,
  fields: Record<string, string>,
  cookie?: string,
): Promise<Response> {
  const headers = { origin: HOST, ...(cookie !== undefined && { cookie }) }
  return service.fetch(ADDRESS, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

/** The session cookie and CSRF token of a browser that opened the page. */
async function openPage(service: Pick<ReturnType<typeof startService>, 'fetch'>) {
  return formOf(await service.fetch(ADDRESS))
}

/** A service with a code, and a browser that has opened the page. */
async function startPage(options: TestOptions = {}, scope = '') {
  const service = startService(options)
  const grant = await service.begin({ scope })
  const { userCode } = grant
  const page = await openPage(service)
  const send = (fields: Record<string, string>) => post(service, fields, page.cookie)
  /** Enters a code, which opens it for the decision. */
  const enter = (user_code = userCode) => send({ csrf: page.csrf, user_code })
  return {
    ...service,
    ...grant,
    ...page,
    post: send,
    enter,
    /** The CSRF token of the page that asks for a decision. */
    confirm: async (user_code = userCode) => (await formOf(await enter(user_code))).csrf,
  }
}

describe('the flow through the page', () => {
  test('enter, compare, approve: the device gets its token', async () => {
    const service = startService()
    const { userCode, poll } = await service.begin({ scope: 'repo,read:org' })
    const { open, send } = userAt(service.fetch)
    const confirm = await send(await open(ADDRESS), { user_code: userCode.toLowerCase().replace('-', ' ') })
    for (const text of ['App', userCode, 'repositories', 'read:org', 'developer'])
      expect(confirm.html).toContain(text)
    const done = await send(confirm, { decision: 'approve' })
    expect(done.html).toContain('You approved the request')
    const { body } = await poll()
    expect((await service.whoIs(body.access_token)).body).toEqual({ id: 1, login: 'developer' })
  })

  test('the complete URL fills in the code and still asks for confirmation', async () => {
    const service = startService()
    const { body } = await service.askForCodes()
    const { open, send } = userAt(service.fetch)
    const enter = await open(body.verification_uri_complete)
    expect(enter.html).toContain(`value="${body.user_code}"`)
    expect((await service.poll(body.device_code)).body.error).toBe('authorization_pending')
    const confirm = await send(enter)
    expect(confirm.html).toContain('Approve')
    service.wait(5)
    expect((await service.poll(body.device_code)).body.error).toBe('authorization_pending')
  })

  test('the two decisions are buttons of equal weight', async () => {
    const service = startService()
    const { userCode } = await service.begin()
    const { open, send } = userAt(service.fetch)
    const { html } = await send(await open(ADDRESS), { user_code: userCode })
    const buttons = (html.match(/<button[^>]*>/g) ?? []).map((button) => button.replace(/ value="\w+"/, ''))
    expect(buttons).toEqual(Array(2).fill('<button name="decision">'))
  })

  test('shows where and when the codes were requested', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const service = startService()
    const headers = {
      'x-from': '::ffff:203.0.113.7',
      'user-agent': `tv/1 ${'\u00a0'.repeat(9)}<b>${'x'.repeat(300)}`,
    }
    const { body } = await service.askForCodes({}, headers)
    service.wait(120)
    const { open, send } = userAt(service.fetch)
    const { html } = await send(await open(ADDRESS), { user_code: body.user_code })
    expect(html).toContain('2 minutes ago')
    expect(html).toContain('Jan 1, 2026, 00:00 UTC')
    expect(html).toContain('<dd><bdi dir="ltr">203.0.113.7</bdi></dd>')
    expect(html).toMatch(/<q><bdi dir="ltr">tv 1 +&lt;b&gt;x+…<\/bdi><\/q>/)
  })

  test('limits how much of the request origin is stored', async () => {
    const { store, written } = watchedStore()
    const service = startService({ store, clientAddress: () => ` ${'1'.repeat(100)}` })
    const headers = { 'user-agent': 'x'.repeat(300) }
    await service.askForCodes({}, headers)
    const kept = written.flatMap(({ key, value }) => (key.startsWith('grant:') ? [value] : []))
    expect(kept).toMatchObject([{ origin: { address: '1'.repeat(64), userAgent: 'x'.repeat(200) } }])
  })

  test('finds its session cookie among others', async () => {
    const service = startService()
    const { cookie } = await openPage(service)
    const id = cookie.split('=')[1]
    const isKnown = async (cookie: string) =>
      !(await service.fetch(ADDRESS, { headers: { cookie } })).headers.has('set-cookie')
    expect(await isKnown(`before=1; ${cookie}; after=2`)).toBe(true)
    for (const other of [`another=${id}`, `authgraph=0${id}`, `authgraph=${id}0`, 'authgraph=0'])
      expect([other, await isKnown(other)]).toEqual([other, false])
  })

  test('reading the page changes nothing in the store', async () => {
    const inner = memoryStore()
    const update = vi.fn(inner.update)
    const service = startService({ store: { update: update as typeof inner.update } })
    const { body } = await service.askForCodes()
    const size = () => inner.size
    // The first page creates the form secret.
    await service.fetch(ADDRESS)
    const before = size()
    update.mockClear()
    for (const method of ['GET', 'HEAD'])
      expect((await service.fetch(body.verification_uri_complete, { method })).status).toBe(200)
    expect(update).not.toHaveBeenCalled()
    expect(size()).toBe(before)
  })
})

describe('signing in', () => {
  /** A host that identifies users by a cookie and has its own sign-in page. */
  const identify: ServiceOptions['identify'] = ({ header }, returnTo) => {
    const [, login] = /signed-in=(\w+)/.exec(header('cookie') ?? '') ?? []
    return login
      ? { user: login }
      : { signInAt: `https://login.example/?return_to=${encodeURIComponent(returnTo)}` }
  }

  /** The return address passed to the sign-in page. */
  const returnTo = (signInAt: string | null | undefined) =>
    new URL(signInAt ?? '').searchParams.get('return_to')

  test('a signed-out user is sent to sign in and returns with the code', async () => {
    const service = startService({ identify })
    const { body } = await service.askForCodes()
    const plain = await service.fetch(ADDRESS)
    expect(returnTo(plain.headers.get('location'))).toBe(ADDRESS)
    const complete = await service.fetch(body.verification_uri_complete)
    expect(complete.status).toBe(303)
    const back = returnTo(complete.headers.get('location')) ?? ''
    expect(back).toBe(body.verification_uri_complete)
    const page = await service.fetch(back, { headers: { cookie: 'signed-in=octocat' } })
    expect(await page.text()).toContain(`value="${body.user_code}"`)
  })

  test('a user who was signed out meanwhile cannot decide, and gets a link that keeps the code', async () => {
    const service = startService({ identify })
    const { userCode, poll } = await service.begin()
    const response = await post(service, { csrf: 'x', user_code: userCode, decision: 'approve' })
    expect(response.status).toBe(403)
    const [, href = ''] = /href="([^"]*)"/.exec(await response.text()) ?? []
    expect(returnTo(href)).toBe(`${ADDRESS}?user_code=${userCode}`)
    expect((await poll()).body.error).toBe('authorization_pending')
  })

  test('the return address is never taken from the request', async () => {
    const service = startService({ identify, authUrl: 'https://auth.example/base' })
    const response = await service.fetch(
      'https://auth.example/base/login/device?user_code=A%26b%23&next=//evil',
      {
        headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      },
    )
    expect(returnTo(response.headers.get('location'))).toBe(
      'https://auth.example/base/login/device?user_code=A%26b%23',
    )
  })
})

describe('a code that cannot be used', () => {
  const SPENT: [string, number, string, (page: Awaited<ReturnType<typeof startPage>>) => unknown][] = [
    ['an expired one', 410, 'expired', ({ wait }) => wait(900)],
    ['a decided one', 409, 'already used', ({ deny, userCode }) => deny(userCode)],
    [
      'a decided one, even after it expired',
      409,
      'already used',
      async ({ approve, userCode, wait }) => {
        await approve(userCode, 'octocat')
        wait(900)
      },
    ],
  ]

  test.each([
    ['none', '', 400, 'No code entered'],
    ['an unknown one', 'BCDF-GHJK', 404, 'Unknown code'],
    ['one that is none', 'hello', 404, 'Unknown code'],
  ])('%s is refused, and the page says what to do', async (_, typed, status, text) => {
    const response = await (await startPage()).enter(typed)
    expect(response.status).toBe(status)
    const html = await response.text()
    expect(html).toContain(text)
    expect(html).toContain('name="user_code"')
  })

  test.each(SPENT)('%s is refused, and the page says what to do', async (_, status, text, spend) => {
    const page = await startPage()
    const confirmed = await page.confirm()
    await spend(page)
    const user_code = page.userCode
    for (const fields of [
      { csrf: page.csrf, user_code },
      { csrf: confirmed, user_code, decision: 'approve' },
      { csrf: confirmed, user_code, decision: 'deny' },
    ]) {
      const response = await page.post(fields)
      expect(response.status).toBe(status)
      const html = await response.text()
      expect(html).toContain(text)
      expect(html).toContain('name="user_code"')
    }
  })

  test('one that its confirmed page no longer stands for is not decided', async () => {
    const service = startService()
    const { update } = service.memory
    const [shown, other] = [await service.begin(), await service.begin()]
    const { open, send } = userAt(service.fetch)
    const confirm = await send(await open(ADDRESS), { user_code: shown.userCode })
    // The store gives the user code to a grant that nobody opened.
    const key = (userCode: string) => `user-code:${userCode}`
    const grant = await update(key(other.userCode), (value) => ({ result: value ?? '' }))
    await update(key(shown.userCode), () => ({ result: undefined, value: grant }))
    for (const decision of ['approve', 'deny'])
      expect((await send(confirm, { decision })).html).toContain('Unknown code')
    expect((await other.poll()).body.error).toBe('authorization_pending')
  })
})

describe('too many attempts', () => {
  const WRONG = 'BCDF-GHJK'

  test('after five wrong codes even the right one must wait, and the page says how long', async () => {
    const { enter, wait, poll } = await startPage()
    for (let time = 0; time < 5; time += 1) expect((await enter(WRONG)).status).toBe(404)
    wait(60)
    const response = await enter()
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('240')
    expect(await response.text()).toContain('You can try again in 4 minutes.')
    wait(240)
    expect((await enter()).status).toBe(200)
    expect((await poll()).body.error).toBe('authorization_pending')
  })

  test('a code that is open for the decision can be decided, however many wrong codes others enter', async () => {
    const { enter, confirm, post, userCode } = await startPage()
    const csrf = await confirm()
    for (let time = 0; time < 6; time += 1) await enter(WRONG)
    expect((await post({ csrf, user_code: userCode, decision: 'approve' })).status).toBe(200)
  })

  test('a right code is not counted, and wrong ones stay counted', async () => {
    const { enter, memory } = await startPage()
    const records = memory.size
    expect((await enter()).status).toBe(200)
    expect(memory.size).toBe(records)
    const statuses: number[] = []
    for (const typed of [WRONG, WRONG, WRONG, undefined, WRONG, WRONG, WRONG])
      statuses.push((await enter(typed)).status)
    expect(statuses).toEqual([404, 404, 404, 200, 404, 404, 429])
  })

  test('empty and forged forms are not counted', async () => {
    const { enter, post } = await startPage()
    for (let time = 0; time < 8; time += 1) {
      expect((await enter('')).status).toBe(400)
      expect((await post({ csrf: 'x', user_code: WRONG })).status).toBe(403)
    }
    expect((await enter(WRONG)).status).toBe(404)
  })
})

describe('a service with a failing host or store', () => {
  const failure = new Error('password=hunter2')
  const cases: [string, Partial<ServiceOptions>][] = [
    ['store', { store: { update: () => Promise.reject(failure) } }],
    ['identify', { identify: () => Promise.reject(failure) }],
  ]

  test.each(cases)('reports a failing %s without details and keeps the code', async (_, options) => {
    const { cookie, csrf } = await openPage(startService())
    const service = startService(options)
    const response = await post(service, { csrf, user_code: 'BCDF-GHJK', decision: 'approve' }, cookie)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    const html = await response.text()
    expect(html).toContain('The service is not available')
    expect(html).toMatch(/<form action="\/login\/device">.*value="BCDF-GHJK"/s)
    expect(html).not.toContain('hunter2')
    expect(service.errors).toEqual([failure])
  })
})

test('an identify that never resolves times out after ten seconds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const service = startService({ identify: () => new Promise(() => undefined) })
  const response = service.fetch(ADDRESS)
  await vi.advanceTimersByTimeAsync(9999)
  expect(service.errors).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect((await response).status).toBe(503)
  expect(service.errors.join()).toContain('identify took longer than ten seconds')
})

test.each([
  ['an empty name', { user: '' }],
  ['nobody', undefined],
  ['a name that is not in a record', 'octocat'],
  ['a record without a name', { user: { id: 7 } }],
  ['a record with an empty name', { user: { id: 7, login: '' } }],
])('approval is refused if identify returns %s', async (_, identity) => {
  const { cookie, csrf } = await openPage(startService())
  const service = startService({ identify: () => identity as Identity })
  const { userCode, poll } = await service.begin()
  const response = await post(service, { csrf, user_code: userCode, decision: 'approve' }, cookie)
  expect(response.status).toBe(503)
  expect(service.errors.join()).toContain('identify must return { user }')
  expect((await poll()).body.error).toBe('authorization_pending')
})

test('a decision with a repeated field, or in the address bar, is refused', async () => {
  const { confirm, userCode, cookie, fetch, poll } = await startPage()
  const headers = { cookie, origin: HOST }
  const query = new URLSearchParams({ csrf: await confirm(), user_code: userCode, decision: 'approve' })
  await fetch(`${ADDRESS}?${query}`, { headers })
  const body = new URLSearchParams([...query, ['decision', 'deny']])
  expect((await fetch(ADDRESS, { method: 'POST', headers, body })).status).toBe(403)
  expect((await poll()).body.error).toBe('authorization_pending')
})

describe('the headers of the page', () => {
  test('forbid scripts, framing, referrers and caching', async () => {
    const service = startService()
    const response = await service.fetch(ADDRESS)
    const html = await response.text()
    const nonce = /<style nonce="([0-9a-f]{32})">/.exec(html)?.[1]
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
    expect(html).not.toMatch(/<script|\son\w+=|style="/)
    expect(await (await service.fetch(ADDRESS)).text()).not.toContain(nonce)
  })

  test.each([
    [undefined, /^authgraph=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax$/],
    ['https://login.example', /^__Host-authgraph=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax; Secure$/],
  ])('the cookie of %s is hidden from scripts and other sites', async (authUrl, cookie) => {
    const { fetch } = startService(authUrl === undefined ? {} : { authUrl })
    const address = authUrl === undefined ? ADDRESS : `${authUrl}/login/device`
    const response = await fetch(address)
    expect(response.headers.get('set-cookie')).toMatch(cookie)
    const [pair = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    expect((await fetch(address, { headers: { cookie: pair } })).headers.has('set-cookie')).toBe(false)
  })
})

test.each([
  ['cut to the maximum length of a code', 'z'.repeat(10_000), 'z'.repeat(32)],
  ['shown in the format of the device', 'bcdf+ghjk', 'BCDF-GHJK'],
])('a code from the URL is %s', async (_, sent, shown) => {
  const response = await startService().fetch(`${ADDRESS}?user_code=${sent}`)
  expect(await response.text()).toContain(`value="${shown}"`)
})

test('a custom page is one function of a small state', async () => {
  const states: PageState[] = []
  const service = startService({
    page: (state) => {
      states.push(state)
      return '<p>mine</p>'
    },
  })
  const { userCode } = await service.begin({ scope: 'repo' })
  const headers = { 'accept-language': 'de;q=0.9, de-AT' }
  const get = await service.fetch(`${ADDRESS}?user_code=typed`, { headers })
  expect(await get.text()).toBe('<p>mine</p>')
  const [cookie = ''] = (get.headers.get('set-cookie') ?? '').split(';')
  const [first] = states
  const csrf = first?.type === 'enter' ? first.csrf : ''
  await post(service, { csrf, user_code: 'nothing' }, cookie)
  await post(service, { csrf, user_code: userCode }, cookie)
  const confirmed = states[2]?.type === 'confirm' ? states[2].csrf : ''
  await post(service, { csrf: confirmed, user_code: userCode, decision: 'approve' }, cookie)
  expect(confirmed).not.toBe(csrf)
  const common = { nonce: expect.any(String), host: 'localhost', languages: [] }
  const form = { ...common, action: '/login/device', csrf, user: 'developer' }
  expect(states).toEqual([
    { type: 'enter', ...form, languages: ['de-AT', 'de'], userCode: 'typed' },
    { type: 'refused', reason: 'unknown', ...form, userCode: 'nothing' },
    {
      type: 'confirm',
      ...form,
      csrf: confirmed,
      userCode,
      client: 'App',
      scopes: ['repo'],
      requestedAt: service.clock.time,
      expiresAt: service.clock.time + 900_000,
      now: service.clock.time,
      origin: {},
    },
    { type: 'done', decision: 'approved', ...common },
  ])
})
