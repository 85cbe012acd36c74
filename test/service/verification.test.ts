import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { embedded } from '../support/service.ts'

/** A browser without scripts at the page of an embedded service. */
async function browser(options: Partial<ServiceOptions> = {}) {
  const own = embedded({ ...options })
  let cookie = ''
  async function open(query = '') {
    return show(await own.service.fetch(`http://localhost/login/device${query}`, { headers: { cookie } }))
  }
  async function send(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields)
    return show(
      await own.service.fetch('http://localhost/login/device', {
        method: 'POST',
        body,
        headers: { cookie, ...headers },
      }),
    )
  }
  async function show(answer: Response) {
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const html = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      html,
      csrf: /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '',
    }
  }
  return {
    ...own,
    open,
    send,
    forget: () => {
      cookie = ''
    },
  }
}

describe('the verification page', () => {
  test.each(['approve', 'deny'] as const)(
    'takes the code, shows who asks for what, and lets the user %s',
    async (decision) => {
      const { open, send, codes, poll } = await browser()
      const { device_code, user_code } = await codes({ scope: 'repo,gist' })
      const { csrf, html } = await open()
      expect(html).toContain('Code shown on your device')
      const confirm = await send({ csrf, user_code: user_code.toLowerCase() })
      for (const shown of ['App', user_code, '<code>repo</code>', '<code>gist</code>'])
        expect(confirm.html).toContain(shown)
      const done = await send({ csrf: confirm.csrf, user_code, decision })
      expect(done.html).toContain(decision === 'approve' ? 'Your device is connected' : 'Request denied')
      const { body } = await poll(device_code)
      expect(body).toMatchObject(
        decision === 'approve' ? { token_type: 'bearer' } : { error: 'access_denied' },
      )
    },
  )

  test('fills in the code of the complete address, and still asks', async () => {
    const { open, codes, poll } = await browser()
    const { device_code, user_code } = await codes()
    expect((await open(`?user_code=${user_code}`)).html).toContain(`value="${user_code}"`)
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
  })

  test('says what to do about a code that cannot be taken', async () => {
    const { open, send, codes, service, wait } = await browser()
    const { csrf } = await open()
    const used = (await codes()).user_code
    await service.deny(used)
    const refused = async (user_code: string) => (await send({ csrf, user_code })).html
    expect(await refused('')).toContain('Enter the eight letters')
    expect(await refused('XXXX-XXXX')).toContain('not known')
    expect(await refused(used)).toContain('used already')
    const old = (await codes()).user_code
    wait(900)
    expect(await refused(old)).toContain('has expired')
  })

  test('takes no form of another site, and none without its cookie', async () => {
    const { open, send, codes, poll, forget } = await browser()
    const { device_code, user_code } = await codes()
    const { csrf } = await open()
    expect((await send({ user_code, decision: 'approve' })).status).toBe(403)
    expect((await send({ csrf: 'forged', user_code, decision: 'approve' })).status).toBe(403)
    forget()
    expect((await send({ csrf, user_code, decision: 'approve' })).status).toBe(403)
    expect((await poll(device_code)).body.error).toBe('authorization_pending')
  })

  test('runs no script, stands in no frame, and tells its address to nobody', async () => {
    const { open, forget } = await browser()
    forget()
    const { headers } = await open()
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('set-cookie')).toMatch(/^authgraph=[0-9a-f]{40}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('marks its cookie as secure on https', async () => {
    const { service } = embedded({ authUrl: 'https://login.example' })
    const answer = await service.fetch('https://login.example/login/device')
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-authgraph=[0-9a-f]{40}; .*; Secure$/)
  })

  test('escapes all that comes from outside', async () => {
    const evil = '<script>alert("1")</script>'
    const { open, send, codes } = await browser({ clients: [{ clientId: 'id', name: evil }] })
    const { user_code } = await codes({ scope: '<script>alert(1)</script>' })
    const entered = await open(`?user_code=${encodeURIComponent(evil)}`)
    const confirm = await send({ csrf: entered.csrf, user_code })
    for (const { html } of [entered, confirm]) {
      expect(html).not.toContain('<script')
      expect(html).toContain('&lt;script&gt;')
    }
  })

  test('sends people to sign in where the host says so', async () => {
    const { open, send } = await browser({ identify: () => ({ signInAt: 'https://login.example/sign-in' }) })
    for (const answer of [await open(), await send({ user_code: 'XXXX-XXXX' })]) {
      expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://login.example/sign-in'])
    }
  })

  test('approves for the user whom the host identified', async () => {
    const { open, send, codes, poll, service } = await browser({ identify: async () => ({ user: 'hubot' }) })
    const { device_code, user_code } = await codes()
    await send({ csrf: (await open()).csrf, user_code, decision: 'approve' })
    const { body } = await poll(device_code)
    const headers = new Headers({ authorization: `Bearer ${body.access_token}` })
    expect(await service.authenticate({ headers })).toEqual({ form: 'oauth', user: 'hubot', scopes: [] })
  })

  test('may be written by the host as one function of a small state', async () => {
    const { send, codes, service } = await browser({ page: (state) => JSON.stringify(state) })
    const { user_code } = await codes({ scope: 'repo' })
    const first = await service.fetch('http://localhost/login/device')
    const cookie = first.headers.get('set-cookie') ?? ''
    const { csrf, ...entered } = await first.json()
    const form = { action: 'http://localhost/login/device' }
    expect(entered).toEqual({ type: 'enter', ...form, userCode: '' })
    const shown = async (fields: Record<string, string>) =>
      JSON.parse((await send({ csrf, ...fields }, { cookie })).html)
    expect(await shown({ user_code: 'XXXX-XXXX' })).toMatchObject({ type: 'enter', refusal: 'unknown' })
    expect(await shown({ user_code })).toEqual({
      type: 'confirm',
      ...form,
      csrf,
      userCode: user_code,
      client: 'App',
      scopes: ['repo'],
    })
    expect(await shown({ user_code, decision: 'deny' })).toEqual({ type: 'done', decision: 'denied' })
  })
})
