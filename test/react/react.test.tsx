// @vitest-environment jsdom
import { act, StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { github, type OAuthToken } from '../../src/index.ts'
import { type StartLoginOptions, useDeviceLogin, useSession } from '../../src/react/index.ts'
import type { Session } from '../../src/session/index.ts'
import { world } from '../session/support/world.ts'
import { page } from '../support/page.ts'
import { hideable, render } from '../support/render.ts'

const CODES = '/login/device/code'
const POLL = '/login/oauth/access_token'
const options = {
  clientId: 'id',
  provider: github({ authUrl: 'https://service.example' }),
}

afterEach(() => document.body.replaceChildren())

function SignIn({ onToken = () => undefined }: Partial<Pick<StartLoginOptions, 'onToken'>>) {
  const { view, isRunning, start, cancel } = useDeviceLogin()
  return (
    <section>
      <p role="status">{view?.text}</p>
      <code>{view?.userCode}</code>
      <time>{view?.secondsLeft}</time>
      <button type="button" onClick={isRunning ? cancel : () => start({ ...options, onToken })}>
        {isRunning ? 'Cancel' : 'Sign in'}
      </button>
    </section>
  )
}

const textOf = (name: string) => document.querySelector(name)?.textContent ?? ''
const press = () => document.querySelector('button')?.click()

describe('useDeviceLogin', () => {
  test('requests one code when the user asks for it, also in StrictMode, and again after a denial', async () => {
    const { sent, service, pass, settle } = page()
    const tokens: OAuthToken[] = []
    const tree = <SignIn onToken={(token) => tokens.push(token)} />
    const shown = await render(<StrictMode>{tree}</StrictMode>, settle)
    expect(sent).toEqual([])
    for (const decide of ['deny', 'approve'] as const) {
      await shown.while(async () => {
        press()
        await pass(1)
      })
      expect(textOf('time')).toBe('899')
      await shown.while(() => pass(1))
      expect(textOf('time')).toBe('898')
      await service[decide](textOf('code'), 'octocat')
      await shown.while(() => pass(5))
    }
    expect(textOf('[role=status]')).toBe('Authorized.')
    expect(sent).toEqual([CODES, POLL, CODES, POLL])
    expect(tokens).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(['cancelled', 'unmounted'])(
    'sends nothing more once it is %s, and leaves no timer',
    async (how) => {
      const { sent, pass } = page()
      const shown = await render(<SignIn />, () => undefined)
      await shown.while(async () => {
        press()
        await pass(2)
      })
      if (how === 'unmounted') await shown.unmount()
      else await shown.while(press)
      await shown.while(() => pass(30))
      expect(sent).toEqual([CODES])
      expect(vi.getTimerCount()).toBe(0)
      expect(textOf('[role=status]')).toBe(how === 'cancelled' ? 'Cancelled.' : '')
    },
  )

  test('a login that React hid has ended, and does not request another code by itself', async () => {
    const { sent, pass } = page()
    const { tab, hide, show } = hideable(<SignIn />)
    const shown = await render(tab, () => undefined)
    await shown.while(async () => {
      press()
      await pass(1)
    })
    await shown.while(hide)
    await shown.while(show)
    await shown.while(() => pass(30))
    expect(sent).toEqual([CODES])
    expect(textOf('[role=status]')).toBe('Cancelled.')
  })

  test('polls at once when the tab is shown after its timers were suspended', async () => {
    const { sent, service, pass } = page()
    const shown = await render(<SignIn />, () => undefined)
    await shown.while(async () => {
      press()
      await pass(1)
    })
    await service.approve(textOf('code'), 'octocat')
    vi.setSystemTime(Date.now() + 60_000)
    await shown.while(async () => {
      document.dispatchEvent(new Event('visibilitychange'))
      await vi.advanceTimersByTimeAsync(0)
      await pass(1)
    })
    expect(sent).toEqual([CODES, POLL])
    expect(textOf('[role=status]')).toBe('Authorized.')
  })

  test('hydrates the HTML that the server rendered', async () => {
    const { sent, pass } = page()
    document.body.innerHTML = renderToString(<SignIn />)
    const onRecoverableError = vi.fn()
    const root = await act(async () => hydrateRoot(document.body, <SignIn />, { onRecoverableError }))
    expect(sent).toEqual([])
    await act(async () => {
      press()
      await pass(1)
    })
    expect(textOf('code')).toMatch(/^\w{4}-\w{4}$/)
    expect(onRecoverableError).not.toHaveBeenCalled()
    await act(async () => root.unmount())
  })
})

test('useSession shows a session that lives outside, and neither starts nor stops it', async () => {
  const { time, server, loggedIn } = world()
  const session = await loggedIn()
  await time.advance(3_600_000)
  const release = server.holdRefresh()
  const Account = ({ of }: { readonly of: Session }) => useSession(of).status
  const tree = (
    <StrictMode>
      <Account of={session} />
    </StrictMode>
  )
  expect(renderToString(tree)).toBe('signedIn')
  const shown = await render(tree, () => undefined)
  const token = session.token()
  await shown.while(() => time.settle())
  expect(shown.element.textContent).toBe('refreshing')
  await shown.unmount()
  release()
  await token
  expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
})
