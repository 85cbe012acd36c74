import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'
import { formOf } from '../support/user.ts'

const HTTPS = 'https://login.example'
const HTTP = 'http://localhost'

/** A session id that the attacker chose. */
const PLANTED = '0123456789abcdef'.repeat(2)

/** Identifies the signed-in user by a cookie, as a host would. */
const identify: NonNullable<ServiceOptions['identify']> = ({ header }) => ({
  user: /\bsigned-in=(\w+)/.exec(header('cookie') ?? '')?.[1] ?? 'nobody',
})

const SAME = { 'sec-fetch-site': 'same-origin' }

/** A service that has issued a code to the attacker, and requests to its page. */
async function start(authUrl: string) {
  const service = startService({ authUrl, identify })
  const body = new URLSearchParams({ client_id: 'another' })
  const response = await service.fetch(`${authUrl}/login/device/code`, { method: 'POST', body })
  const { user_code: userCode } = (await response.json()) as { user_code: string }
  const page = `${authUrl}/login/device`

  return {
    /** Opens the page with these cookies. Returns the token of its form and the cookie that it set. */
    open: async (cookie: string) => formOf(await service.fetch(page, { headers: { cookie } })),
    /** Sends the form with the code. Returns the token of the next form. */
    async send(headers: Record<string, string>, csrf: string, decision?: string) {
      const body = new URLSearchParams({ csrf, user_code: userCode, ...(decision && { decision }) })
      const response = await service.fetch(page, { method: 'POST', headers, body })
      return { status: response.status, csrf: (await formOf(response)).csrf }
    },
    /** The code that is shown. */
    userCode,
    /** Whether the grant was approved. */
    isApproved: async () => (await service.deny(userCode)) !== 'done',
  }
}

/** The form token that an attacker with the cookie and the user could compute if there were no key. */
function computed(...parts: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['csrf', PLANTED, ...parts]))
    .digest('hex')
}

test.each<[string, Record<string, string>, status?: number]>([
  ['another site that sends its origin', { origin: 'https://evil.example' }],
  ['another site with a hidden origin', { origin: 'null' }],
  ['another site without either header', {}],
  ['the same site with a false origin', { 'sec-fetch-site': 'same-site', origin: HTTP }],
  ['the same host over https', { origin: 'https://localhost' }],
  ['the page itself, with Sec-Fetch-Site', SAME, 200],
  ['the page itself, with only Origin', { origin: HTTP }, 200],
])('a form that is not from the page is refused, even with a valid token: %s', async (...row) => {
  const [, from, status = 403] = row
  const { open, send, isApproved } = await start(HTTP)
  const cookie = `signed-in=mona; authgraph=${PLANTED}`
  const own = status === 200 ? from : SAME
  const { csrf } = await send({ cookie, ...own }, (await open(cookie)).csrf)
  expect((await send({ cookie, ...from }, csrf, 'approve')).status).toBe(status)
  expect(await isApproved()).toBe(status === 200)
})

describe('a planted cookie', () => {
  const names = [
    ['over http', HTTP, 'authgraph'],
    ['over https', HTTPS, '__Host-authgraph'],
    ['behind a space that is none of HTTP', HTTPS, '\u00a0__Host-authgraph'],
  ] as const

  test.each(names)('%s does not let an attacker compute the token of a form', async (_, authUrl, name) => {
    const { send, userCode, isApproved } = await start(authUrl)
    const cookie = `signed-in=mona; ${name}=${PLANTED}`
    // Browsers send `Sec-Fetch-Site` only over https, and a sibling site can plant a cookie.
    for (const csrf of [computed('mona'), computed('mona', userCode)])
      for (const from of [SAME, { origin: authUrl }])
        expect((await send({ cookie, ...from }, csrf, 'approve')).status).toBe(403)
    expect(await isApproved()).toBe(false)
  })

  test.each(names)('does not work with the form token of another user: %s', async (_, authUrl, name) => {
    const { open, send, isApproved } = await start(authUrl)
    const attacker = `signed-in=eve; ${name}=${PLANTED}`
    const enter = await open(attacker)
    const confirm = await send({ cookie: attacker, ...SAME }, enter.csrf)
    const victim = { cookie: `signed-in=mona; ${name}=${PLANTED}`, ...SAME }
    for (const { csrf } of [enter, confirm]) expect((await send(victim, csrf, 'approve')).status).toBe(403)
    expect(await isApproved()).toBe(false)
  })

  test.each([
    ['first', (planted: string, own: string) => `${planted}; ${own}`],
    ['last', (planted: string, own: string) => `${own}; ${planted}`],
  ])('next to the real one, sent %s, makes the service refuse both', async (_, both) => {
    const { open, send, isApproved } = await start(HTTP)
    const { cookie: own } = await open('signed-in=mona')
    const planted = `authgraph=${PLANTED}`
    const cookie = `signed-in=mona; ${both(planted, own)}`
    for (const known of [own, planted]) {
      const { csrf } = await open(`signed-in=mona; ${known}`)
      expect((await send({ cookie, ...SAME }, csrf)).status).toBe(403)
    }
    expect(await isApproved()).toBe(false)
  })

  test.each(['\u00a0', '\u2003', '\ufeff', '\v', '\f', '\u0085'])(
    'whose name begins with %j is not taken for the protected one',
    async (space) => {
      const { open } = await start(HTTPS)
      // As on the wire, where a header is bytes.
      const name = Buffer.from(`${space}__Host-authgraph`).toString('latin1')
      for (const cookie of [`${name}=${PLANTED}`, `signed-in=mona; ${name}=${PLANTED}`])
        expect((await open(cookie)).cookie).toMatch(/^__Host-authgraph=/)
      if (space.charCodeAt(0) < 256)
        expect((await open(`${space}__Host-authgraph=${PLANTED}`)).cookie).toMatch(/^__Host-authgraph=/)
    },
  )
})

test.each(['approve', 'deny'])(
  'a decision to %s without the confirmation page is refused',
  async (decision) => {
    const { open, send, isApproved } = await start(HTTP)
    const { csrf, cookie } = await open('signed-in=mona')
    const sent = await send({ cookie: `signed-in=mona; ${cookie}`, ...SAME }, csrf, decision)
    expect(sent.status).toBe(403)
    expect(await isApproved()).toBe(false)
  },
)

test('a decision is accepted only from the user who opened the code first', async () => {
  const { open, send, isApproved } = await start(HTTP)
  const visit = async (user: string) => {
    const { csrf, cookie } = await open(`signed-in=${user}`)
    const headers = { cookie: `signed-in=${user}; ${cookie}`, ...SAME }
    return { headers, confirm: await send(headers, csrf) }
  }
  const [mona, eve] = [await visit('mona'), await visit('eve')]
  expect([mona.confirm.status, eve.confirm.status]).toEqual([200, 409])
  expect((await send(eve.headers, eve.confirm.csrf, 'approve')).status).toBe(403)
  expect(await isApproved()).toBe(false)
})
