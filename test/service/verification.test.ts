import { describe, expect, test, vi } from 'vitest'
import type { PageState } from '../../src/service/index.ts'
import { person } from '../support/person.ts'
import { HOST, startService } from '../support/start-service.ts'

const ADDRESS = `${HOST}/login/device`

/** Sends a form by hand, as another site or a script would. */
function post(
  service: ReturnType<typeof startService>,
  fields: Record<string, string>,
  cookie?: string,
): Promise<Response> {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie }
  return service.fetch(ADDRESS, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

/** A browser that has the page open: its cookie, and the token in its form. */
async function openPage(service: ReturnType<typeof startService>) {
  const answer = await service.fetch(ADDRESS)
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  const csrf = /name="csrf" value="([^"]+)"/.exec(await answer.text())?.[1] ?? ''
  return { cookie, csrf }
}

describe('the way through the page', () => {
  test('enter, compare, approve: the device gets its token', async () => {
    const service = startService()
    const { userCode, poll } = await service.begin({ scope: 'repo,read:org' })
    const { open, send } = person(service.fetch)
    const confirm = await send(await open(ADDRESS), { user_code: userCode.toLowerCase().replace('-', ' ') })
    for (const text of ['App', userCode, 'repo', 'read:org']) expect(confirm.html).toContain(text)
    const done = await send(confirm, { decision: 'approve' })
    expect(done.html).toContain('Your device is connected')
    const { body } = await poll()
    expect((await service.whoIs(body.access_token)).body).toEqual({ id: 1, login: 'developer' })
  })

  test('enter, compare, deny: the device hears it', async () => {
    const service = startService()
    const { userCode, poll } = await service.begin()
    const { open, send } = person(service.fetch)
    const confirm = await send(await open(ADDRESS), { user_code: userCode })
    expect((await send(confirm, { decision: 'deny' })).html).toContain('denied')
    expect((await poll()).body.error).toBe('access_denied')
  })

  test('the complete address fills in the code, and still asks', async () => {
    const service = startService()
    const { body } = await service.askForCodes()
    const { open, send } = person(service.fetch)
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
    const { open, send } = person(service.fetch)
    const { html } = await send(await open(ADDRESS), { user_code: userCode })
    const buttons = (html.match(/<button[^>]*>/g) ?? []).map((button) => button.replace(/ value="\w+"/, ''))
    expect(buttons).toEqual(Array(2).fill('<button type="submit" name="decision">'))
  })

  test('the host says who approves', async () => {
    const identify = vi.fn(async () => ({ user: { id: 7, login: 'octocat' } }))
    const service = startService({ identify })
    const { userCode, poll } = await service.begin()
    const { open, send } = person(service.fetch)
    await send(await send(await open(ADDRESS), { user_code: userCode }), { decision: 'approve' })
    expect((await service.whoIs((await poll()).body.access_token)).body.login).toBe('octocat')
  })

  test('who is not signed in is sent to sign in, and decides nothing', async () => {
    const service = startService({ identify: () => ({ signInAt: 'https://login.example/' }) })
    const { userCode, poll } = await service.begin()
    const { cookie, csrf } = await openPage(startService())
    for (const answer of [
      await service.fetch(ADDRESS),
      await post(service, { csrf, user_code: userCode, decision: 'approve' }, cookie),
    ]) {
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toBe('https://login.example/')
    }
    expect((await poll()).body.error).toBe('authorization_pending')
  })
})

describe('a code that cannot be taken', () => {
  test.each([
    ['none', () => '', 400, 'Enter the eight letters'],
    ['an unknown one', () => 'BCDF-GHJK', 404, 'not known'],
    ['one that is none', () => 'hello', 404, 'not known'],
    [
      'an expired one',
      (code: string, service: ReturnType<typeof startService>) => {
        service.wait(900)
        return code
      },
      410,
      'expired',
    ],
    [
      'a decided one',
      (code: string, service: ReturnType<typeof startService>) => {
        void service.deny(code)
        return code
      },
      409,
      'used already',
    ],
  ])('%s is refused, and the page says what to do', async (_, prepare, status, text) => {
    const service = startService()
    const { userCode } = await service.begin()
    const { cookie, csrf } = await openPage(service)
    const typed = prepare(userCode, service)
    for (const decision of [{}, { decision: 'approve' }, { decision: 'deny' }]) {
      const answer = await post(service, { csrf, user_code: typed, ...decision }, cookie)
      expect(answer.status).toBe(status)
      const html = await answer.text()
      expect(html).toContain(text)
      expect(html).toContain('name="user_code"')
      expect(html).toContain(`value="${typed}"`)
    }
  })
})

describe('a forged form', () => {
  const cases: [
    string,
    (
      mine: { cookie: string; csrf: string },
      theirs: { cookie: string; csrf: string },
    ) => [Record<string, string>, string | undefined],
  ][] = [
    ['without a cookie', ({ csrf }) => [{ csrf }, undefined]],
    ['without a token', ({ cookie }) => [{}, cookie]],
    ['with the token of another browser', ({ cookie }, { csrf }) => [{ csrf }, cookie]],
    ['with a cookie of its own making', ({ csrf }) => [{ csrf }, 'authgraph=x']],
    ['with an empty token', ({ cookie }) => [{ csrf: '' }, cookie]],
  ]

  test.each(cases)('%s decides nothing and shows nothing', async (_, make) => {
    const service = startService()
    const { userCode, poll } = await service.begin({ scope: 'very-secret-scope' })
    const [fields, cookie] = make(await openPage(service), await openPage(service))
    for (const decision of [{}, { decision: 'approve' }, { decision: 'deny' }]) {
      const answer = await post(service, { ...fields, user_code: userCode, ...decision }, cookie)
      expect(answer.status).toBe(403)
      expect(await answer.text()).not.toContain('very-secret-scope')
    }
    expect((await poll()).body.error).toBe('authorization_pending')
  })

  test('with a field repeated decides nothing', async () => {
    const service = startService()
    const { userCode, poll } = await service.begin()
    const { cookie, csrf } = await openPage(service)
    const body = new URLSearchParams({ csrf, user_code: userCode, decision: 'deny' })
    body.append('decision', 'approve')
    const answer = await service.fetch(ADDRESS, { method: 'POST', headers: { cookie }, body })
    expect(answer.status).toBe(403)
    expect((await poll()).body.error).toBe('authorization_pending')
  })

  test('cannot be sent from the address bar', async () => {
    const service = startService()
    const { userCode, poll } = await service.begin()
    const { cookie, csrf } = await openPage(service)
    const query = new URLSearchParams({ csrf, user_code: userCode, decision: 'approve' })
    await service.fetch(`${ADDRESS}?${query}`, { headers: { cookie } })
    expect((await poll()).body.error).toBe('authorization_pending')
  })
})

describe('what surrounds the page', () => {
  test('no script, no frame, no referrer, no cache', async () => {
    const answer = await startService().fetch(ADDRESS)
    const html = await answer.text()
    const nonce = /<style nonce="([0-9a-f]{32})">/.exec(html)?.[1]
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(html).not.toMatch(/<script|\son\w+=|style="/)
  })

  test('a nonce is used once', async () => {
    const { fetch } = startService()
    const [one, other] = [await fetch(ADDRESS), await fetch(ADDRESS)]
    expect(one.headers.get('content-security-policy')).not.toBe(other.headers.get('content-security-policy'))
  })

  test.each([
    [undefined, /^authgraph=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax$/],
    ['https://login.example', /^__Host-authgraph=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax; Secure$/],
  ])('the cookie of %s is kept from scripts and other sites', async (authUrl, cookie) => {
    const { fetch } = startService(authUrl === undefined ? {} : { authUrl })
    const address = authUrl === undefined ? ADDRESS : `${authUrl}/login/device`
    const answer = await fetch(address)
    expect(answer.headers.get('set-cookie')).toMatch(cookie)
    const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
    expect((await fetch(address, { headers: { cookie: pair } })).headers.has('set-cookie')).toBe(false)
  })

  test('the code in the address is escaped', async () => {
    const evil = `"><script>alert('1')</script>&`
    const answer = await startService().fetch(`${ADDRESS}?user_code=${encodeURIComponent(evil)}`)
    const html = await answer.text()
    expect(html).not.toContain('<script')
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;')
  })

  test('the name of a client and its scopes are escaped', async () => {
    const service = startService({ clients: [{ clientId: 'evil', name: '<script>alert(1)</script>' }] })
    const { userCode } = await service.begin({ client_id: 'evil', scope: "<img/src=x>,it's" })
    const { open, send } = person(service.fetch)
    const { html } = await send(await open(ADDRESS), { user_code: userCode })
    expect(html).not.toMatch(/<script|<img/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('&lt;img/src=x&gt;')
  })
})

test('a page of your own is one function of a small state', async () => {
  const states: PageState[] = []
  const service = startService({
    page: (state) => {
      states.push(state)
      return '<p>mine</p>'
    },
  })
  const { userCode } = await service.begin({ scope: 'repo' })
  const get = await service.fetch(`${ADDRESS}?user_code=typed`)
  expect(await get.text()).toBe('<p>mine</p>')
  const [cookie = ''] = (get.headers.get('set-cookie') ?? '').split(';')
  const [first] = states
  const csrf = first?.type === 'enter' ? first.csrf : ''
  await post(service, { csrf, user_code: 'nothing' }, cookie)
  await post(service, { csrf, user_code: userCode }, cookie)
  await post(service, { csrf, user_code: userCode, decision: 'approve' }, cookie)
  const form = { action: '/login/device', csrf, nonce: expect.any(String) }
  expect(states).toEqual([
    { type: 'enter', ...form, userCode: 'typed' },
    { type: 'refused', reason: 'unknown', ...form, userCode: 'nothing' },
    { type: 'confirm', ...form, userCode, client: 'App', scopes: ['repo'] },
    { type: 'done', decision: 'approved', nonce: expect.any(String) },
  ])
})
