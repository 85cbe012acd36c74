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

/** A service that has issued a code to the attacker, and requests to its page. */
async function start(authUrl: string) {
  const service = startService({ authUrl, identify })
  const response = await service.fetch(`${authUrl}/login/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'another' }),
  })
  const { user_code: userCode } = (await response.json()) as { user_code: string }
  const page = `${authUrl}/login/device`

  async function send(headers: Record<string, string>, fields: Record<string, string>) {
    const response = await service.fetch(page, { method: 'POST', headers, body: new URLSearchParams(fields) })
    return { status: response.status, csrf: (await formOf(response)).csrf }
  }

  return {
    userCode,
    send,
    /** Opens the page with these cookies. Returns the token of its form and the cookie that it set. */
    open: async (cookie: string) => formOf(await service.fetch(page, { headers: { cookie } })),
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

describe('a form from another site', () => {
  test.each([
    ['that sends its origin', { origin: 'https://evil.example' }],
    ['on a sibling host that sends its origin', { origin: 'https://evil.login.example' }],
    ['with a hidden origin', { origin: 'null' }],
    ['without either header', {}],
    ['on the same site', { 'sec-fetch-site': 'same-site' }],
    ['on the same site with a false origin', { 'sec-fetch-site': 'same-site', origin: HTTP }],
    ['on the same host over https', { origin: 'https://localhost' }],
    ['on another port', { origin: `${HTTP}:8080` }],
  ])('%s is refused, even with a valid token', async (_, from) => {
    const { open, send, userCode, isApproved } = await start(HTTP)
    const cookie = `signed-in=mona; authgraph=${PLANTED}`
    const enter = await open(cookie)
    const own = { cookie, 'sec-fetch-site': 'same-origin' }
    const { csrf } = await send(own, { csrf: enter.csrf, user_code: userCode })
    const forged = await send({ cookie, ...from }, { csrf, user_code: userCode, decision: 'approve' })
    expect(forged.status).toBe(403)
    expect(await isApproved()).toBe(false)
  })

  test.each([
    ['with Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['with only Origin', { origin: HTTP }],
  ])('is told apart from the form of the page itself, %s', async (_, from) => {
    const { open, send, userCode, isApproved } = await start(HTTP)
    const cookie = `signed-in=mona; authgraph=${PLANTED}`
    const enter = await open(cookie)
    const confirm = await send({ cookie, ...from }, { csrf: enter.csrf, user_code: userCode })
    const done = await send(
      { cookie, ...from },
      { csrf: confirm.csrf, user_code: userCode, decision: 'approve' },
    )
    expect(done.status).toBe(200)
    expect(await isApproved()).toBe(true)
  })
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
    for (const csrf of [computed('mona'), computed('mona', userCode)]) {
      // Browsers send `Sec-Fetch-Site` only over https, and a sibling site can plant a cookie.
      for (const from of [{ 'sec-fetch-site': 'same-origin' }, { origin: authUrl }]) {
        const forged = await send({ cookie, ...from }, { csrf, user_code: userCode, decision: 'approve' })
        expect(forged.status).toBe(403)
      }
    }
    expect(await isApproved()).toBe(false)
  })

  test.each(names)('%s does not work with the token of another user', async (_, authUrl, name) => {
    const { open, send, userCode, isApproved } = await start(authUrl)
    const attacker = `signed-in=eve; ${name}=${PLANTED}`
    const from = { 'sec-fetch-site': 'same-origin' }
    const enter = await open(attacker)
    const { csrf } = await send({ cookie: attacker, ...from }, { csrf: enter.csrf, user_code: userCode })
    const victim = `signed-in=mona; ${name}=${PLANTED}`
    for (const token of [enter.csrf, csrf])
      expect(
        (await send({ cookie: victim, ...from }, { csrf: token, user_code: userCode, decision: 'approve' }))
          .status,
      ).toBe(403)
    expect(await isApproved()).toBe(false)
  })

  test.each([
    ['first', (planted: string, own: string) => `${planted}; ${own}`],
    ['last', (planted: string, own: string) => `${own}; ${planted}`],
  ])('next to the real one, sent %s, makes the service refuse both', async (_, both) => {
    const { open, send, userCode, isApproved } = await start(HTTP)
    const from = { 'sec-fetch-site': 'same-origin' }
    const { cookie: own } = await open('signed-in=mona')
    const planted = `authgraph=${PLANTED}`
    for (const known of [own, planted]) {
      const { csrf } = await open(`signed-in=mona; ${known}`)
      const cookie = `signed-in=mona; ${both(planted, own)}`
      const forged = await send({ cookie, ...from }, { csrf, user_code: userCode })
      expect(forged.status).toBe(403)
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

describe('a decision', () => {
  const from = { 'sec-fetch-site': 'same-origin' }

  test.each(['approve', 'deny'])('to %s without the confirmation page is refused', async (decision) => {
    const { open, send, userCode, isApproved } = await start(HTTP)
    const { csrf, cookie: own } = await open('signed-in=mona')
    const cookie = `signed-in=mona; ${own}`
    expect((await send({ cookie, ...from }, { csrf, user_code: userCode, decision })).status).toBe(403)
    expect(await isApproved()).toBe(false)
  })

  test('is accepted only from the user who opened the code first', async () => {
    const { open, send, userCode, isApproved } = await start(HTTP)
    const visit = async (user: string) => {
      const { csrf, cookie: own } = await open(`signed-in=${user}`)
      const headers = { cookie: `signed-in=${user}; ${own}`, ...from }
      const confirm = await send(headers, { csrf, user_code: userCode })
      return {
        status: confirm.status,
        decide: () => send(headers, { csrf: confirm.csrf, user_code: userCode, decision: 'approve' }),
      }
    }
    const mona = await visit('mona')
    const eve = await visit('eve')
    expect([mona.status, eve.status]).toEqual([200, 409])
    expect((await eve.decide()).status).toBe(403)
    expect(await isApproved()).toBe(false)
  })
})
