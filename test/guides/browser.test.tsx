// @vitest-environment jsdom
import { StrictMode } from 'react'
import { get } from 'svelte/store'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApp, h, nextTick } from 'vue'
import type { DeviceView, OAuthToken } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { page } from '../support/page.ts'
import { render } from '../support/render.ts'
import { startLogin } from './browser/login.ts'
import { SignIn } from './browser/login-react.tsx'
import { loginStore } from './browser/login-svelte.ts'
import { useLogin } from './browser/login-vue.ts'
import { showLogin } from './browser/page.ts'
import { proxy } from './browser/proxy.ts'

const CODES = '/login/device/code'
const POLL = '/login/oauth/access_token'

function setVisibility(state: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

afterEach(() => {
  Reflect.deleteProperty(document, 'visibilityState')
  document.body.replaceChildren()
})

/** Starts the login of the guide and records what it shows. */
function start() {
  const at = page()
  const views: DeviceView[] = []
  const tokens: OAuthToken[] = []
  const end = startLogin({ clientId: 'id', onToken: (token) => tokens.push(token) }, (view) =>
    views.push(view),
  )
  return { ...at, views, tokens, end, view: () => views.at(-1) }
}

describe('a login in a page', () => {
  test('renders at once and each second, and returns the token', async () => {
    const { views, view, tokens, sent, service, pass } = start()
    expect(views[0]).toMatchObject({ activity: 'requesting' })
    await pass(2)
    expect(view()).toMatchObject({ text: 'Enter the code at the address shown.', secondsLeft: 898 })
    await service.approve(view()?.userCode ?? '', 'octocat')
    await pass(4)
    expect(view()).toMatchObject({ status: 'authorized' })
    expect(tokens).toHaveLength(1)
    expect(sent).toEqual([CODES, POLL])
  })

  test('leaves no timer or listener behind, whatever its outcome', async () => {
    const listened = [document, window].map((target) => vi.spyOn(target, 'addEventListener'))
    const warned = vi.spyOn(console, 'warn')
    const first = start()
    await first.pass(1)
    first.end()
    expect(vi.getTimerCount()).toBe(0)
    const second = start()
    await second.pass(1)
    await second.service.deny(second.view()?.userCode ?? '')
    await second.pass(6)
    expect(second.view()).toMatchObject({ status: 'denied' })
    expect(vi.getTimerCount()).toBe(0)
    const ended = listened.map(({ mock }) =>
      mock.calls.map(([, , options]) => Object(options).signal.aborted),
    )
    expect(ended).toEqual([
      [true, true],
      [true, true],
    ])
    second.end()
    setVisibility('visible')
    window.dispatchEvent(new Event('online'))
    expect(warned).not.toHaveBeenCalled()
  })

  test('polls at once when the tab is shown after its timers were suspended', async () => {
    const { sent, view, service, pass } = start()
    await pass(1)
    setVisibility('hidden')
    await service.approve(view()?.userCode ?? '', 'octocat')
    // The clock advances but the timers do not, as on a device that slept.
    vi.setSystemTime(Date.now() + 60_000)
    await pass(0)
    expect(sent).toEqual([CODES])
    setVisibility('visible')
    await vi.advanceTimersByTimeAsync(0)
    await pass(1)
    expect(sent).toEqual([CODES, POLL])
    expect(view()).toMatchObject({ status: 'authorized' })
  })

  test('without a framework starts with a button, and can be started again after a denial', async () => {
    const { sent, service, pass } = page()
    const tokens: OAuthToken[] = []
    showLogin(document.body, 'id', (token) => tokens.push(token))
    await pass(1)
    expect(sent).toEqual([])
    const code = () => document.querySelector('code')?.textContent ?? ''
    for (const decide of ['deny', 'approve'] as const) {
      document.querySelector('button')?.click()
      await pass(1)
      expect(document.querySelector('a')?.href).toContain('/login/device')
      expect(document.body.textContent).toContain('899 seconds left')
      await service[decide](code(), 'octocat')
      await pass(5)
    }
    expect(document.querySelector('[role=status]')?.textContent).toBe('Authorized.')
    expect(document.querySelector('button')).toBeNull()
    expect(sent).toEqual([CODES, POLL, CODES, POLL])
    expect(tokens).toHaveLength(1)
  })
})

describe('a login with React', () => {
  test('requests one code when it is needed, and can be started again after a denial', async () => {
    const { sent, service, pass, settle } = page()
    const tokens: OAuthToken[] = []
    const signIn = <SignIn clientId="id" onToken={(token) => tokens.push(token)} />
    const shown = await render(<StrictMode>{signIn}</StrictMode>, settle)
    expect(sent).toEqual([])
    for (const decide of ['deny', 'approve'] as const) {
      await shown.while(async () => {
        shown.element.querySelector('button')?.click()
        await pass(1)
      })
      expect(shown.element.textContent).toContain('899 seconds left')
      await shown.while(() => pass(1))
      expect(shown.element.textContent).toContain('898 seconds left')
      await service[decide](shown.element.querySelector('code')?.textContent ?? '', 'octocat')
      await shown.while(() => pass(5))
    }
    expect(shown.element.textContent).toBe('Authorized.')
    expect(sent).toEqual([CODES, POLL, CODES, POLL])
    expect(tokens).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a login with Vue starts and stops with its component', async () => {
  const { sent, pass } = page()
  const app = createApp({
    setup() {
      // biome-ignore lint/correctness/useHookAtTopLevel: this is Vue, not React.
      const view = useLogin({ clientId: 'id', onToken: () => undefined })
      return () => h('p', view.value?.userCode)
    },
  })
  app.mount(document.body)
  await pass(1)
  await nextTick()
  expect(document.body.textContent).toMatch(/\w{4}-\w{4}/)
  expect(sent).toEqual([CODES])
  app.unmount()
  await pass(30)
  expect(sent).toEqual([CODES])
  expect(vi.getTimerCount()).toBe(0)
})

test('a login with Svelte starts with its first subscriber and stops with its last', async () => {
  const { sent, pass } = page()
  const store = loginStore({ clientId: 'id', onToken: () => undefined })
  // Subscribing and unsubscribing in one turn sends no request.
  expect(get(store)).toMatchObject({ activity: 'requesting' })
  await pass(1)
  expect(sent).toEqual([])
  const seen: (DeviceView | undefined)[] = []
  const unsubscribe = store.subscribe((view) => seen.push(view))
  await pass(1)
  expect(seen.at(-1)).toMatchObject({ activity: 'waiting', secondsLeft: 899 })
  unsubscribe()
  await pass(30)
  expect(sent).toEqual([CODES])
  expect(vi.getTimerCount()).toBe(0)
})

test('the page and the service can have one origin, with a proxy that forwards only the login', async () => {
  const service = createService({ clients: [{ clientId: 'id', name: 'App' }] })
  const asked: unknown[] = []
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    asked.push([address, Object.keys(init.headers ?? {})])
    return service.fetch(address, init)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const request = (path: string, init: RequestInit = {}) =>
    proxy(new Request(`https://page.example${path}`, { method: 'POST', body: 'client_id=id', ...init }))
  const codes = await request(CODES, { headers: { cookie: 'session=1', authorization: 'Bearer 1' } })
  expect(await codes.json()).toMatchObject({ user_code: expect.any(String) })
  expect(asked).toEqual([[`https://github.com${CODES}`, ['accept', 'content-type']]])
  expect((await request('/user')).status).toBe(404)
  expect((await request(CODES, { method: 'GET', body: null })).status).toBe(404)
  expect((await request(CODES, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  expect(asked).toHaveLength(1)
})
