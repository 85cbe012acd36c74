import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { startService } from '../support/start-service.ts'

const HTTPS = 'https://login.example'
const HTTP = 'http://localhost'

/** A session id that the attacker chose. */
const PLANTED = '0123456789abcdef'.repeat(2)

/** Says who is signed in, as a host would: by a cookie of its own. */
const identify: NonNullable<ServiceOptions['identify']> = ({ header }) => ({
  user: /\bsigned-in=(\w+)/.exec(header('cookie') ?? '')?.[1] ?? 'nobody',
})

/** A service that has issued a code, which the attacker knows since it asked for it, and requests to its page. */
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
    return { status: response.status, csrf: csrfIn(await response.text()) }
  }

  return {
    userCode,
    send,
    /** Opens the page with some cookies; the token of its form, and the cookie that it was given. */
    async open(cookie: string) {
      const response = await service.fetch(page, { headers: { cookie } })
      const [own = ''] = (response.headers.get('set-cookie') ?? '').split(';')
      return { csrf: csrfIn(await response.text()), cookie: own }
    },
    /** Whether somebody has approved. */
    isApproved: async () => (await service.deny(userCode)) !== 'done',
  }
}

function csrfIn(html: string): string {
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

/** The token of a form as whoever knows the cookie and the user could compute it, were it not for a key. */
function computed(...parts: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(['csrf', PLANTED, ...parts]))
    .digest('hex')
}

describe('a form of another site', () => {
  test.each([
    ['that names its origin', { origin: 'https://evil.example' }],
    ['of a sibling that names its origin', { origin: 'https://evil.login.example' }],
    ['whose origin is hidden', { origin: 'null' }],
    ['that names nothing', {}],
    ['of the same site', { 'sec-fetch-site': 'same-site' }],
    ['of the same site, which lies about its origin', { 'sec-fetch-site': 'same-site', origin: HTTP }],
    ['of the same host over https', { origin: 'https://localhost' }],
    ['of another port', { origin: `${HTTP}:8080` }],
  ])('%s decides nothing, though it knows the token', async (_, from) => {
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
    ['whose browser says so', { 'sec-fetch-site': 'same-origin' }],
    ['whose browser names the origin alone', { origin: HTTP }],
  ])('is not the form of this page, %s', async (_, from) => {
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

  test.each(names)('%s lets nobody compute the token of a form', async (_, authUrl, name) => {
    const { send, userCode, isApproved } = await start(authUrl)
    const cookie = `signed-in=mona; ${name}=${PLANTED}`
    for (const csrf of [computed('mona'), computed('mona', userCode)]) {
      // Browsers send `Sec-Fetch-Site` over https alone, and a sibling in the same window is what a planted cookie needs.
      for (const from of [{ 'sec-fetch-site': 'same-origin' }, { origin: authUrl }]) {
        const forged = await send({ cookie, ...from }, { csrf, user_code: userCode, decision: 'approve' })
        expect(forged.status).toBe(403)
      }
    }
    expect(await isApproved()).toBe(false)
  })

  test.each(names)('%s is good for no token of another user', async (_, authUrl, name) => {
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
  ])('beside that of the browser, sent %s, is not chosen between: nothing is decided', async (_, both) => {
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
    'whose name begins with %j is not the protected one',
    async (space) => {
      const { open } = await start(HTTPS)
      // As it would come from the wire, where a header is bytes.
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

  test.each(['approve', 'deny'])(
    'to %s, sent by who never saw the code confirmed, is none',
    async (decision) => {
      const { open, send, userCode, isApproved } = await start(HTTP)
      const { csrf, cookie: own } = await open('signed-in=mona')
      const cookie = `signed-in=mona; ${own}`
      expect((await send({ cookie, ...from }, { csrf, user_code: userCode, decision })).status).toBe(403)
      expect(await isApproved()).toBe(false)
    },
  )

  test('is taken from the user who opened the code first, and from nobody else', async () => {
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
