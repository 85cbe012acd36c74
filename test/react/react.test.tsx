// @vitest-environment jsdom
import { type ReactNode, StrictMode, useEffect, useState } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { github } from '../../src/index.ts'
import { useDeviceLogin, useSession } from '../../src/react/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { world } from '../session/support/world.ts'
import { page } from '../support/page.ts'
import { hideable, render } from '../support/render.ts'

const CODES = '/login/device/code'
const POLL = '/login/oauth/access_token'
const options = {
  clientId: 'id',
  provider: github({ authUrl: 'https://service.example' }),
  onToken: () => undefined,
}

afterEach(() => document.body.replaceChildren())

function SignIn() {
  const { view, isRunning, start, cancel } = useDeviceLogin()
  return (
    <section>
      <p role="status">{view?.text}</p>
      <code>{view?.userCode}</code>
      <button type="button" onClick={isRunning ? cancel : () => start(options)}>
        {isRunning ? 'Cancel' : 'Sign in'}
      </button>
    </section>
  )
}

const textOf = (name: string) => document.querySelector(name)?.textContent ?? ''
const press = () => document.querySelector('button')?.click()

/** A page on which the user has asked to sign in. */
async function signingIn(node: ReactNode = <SignIn />) {
  const { sent, service, pass } = page()
  const shown = await render(node, () => undefined)
  await shown.while(async () => {
    press()
    await pass(1)
  })
  return { sent, service, pass, shown }
}

describe('useDeviceLogin', () => {
  test.each(['cancelled', 'unmounted'])(
    'sends nothing more once it is %s, and leaves no timer',
    async (how) => {
      const { sent, pass, shown } = await signingIn()
      if (how === 'unmounted') await shown.unmount()
      else await shown.while(press)
      await shown.while(() => pass(30))
      expect(sent).toEqual([CODES])
      expect(vi.getTimerCount()).toBe(0)
      expect(textOf('[role=status]')).toBe(how === 'cancelled' ? 'Cancelled.' : '')
    },
  )

  test('a login that React hid has ended, and does not request another code by itself', async () => {
    const { tab, hide, show } = hideable(<SignIn />)
    const { sent, pass, shown } = await signingIn(tab)
    await shown.while(hide)
    await shown.while(show)
    await shown.while(() => pass(30))
    expect(sent).toEqual([CODES])
    expect(textOf('[role=status]')).toBe('Cancelled.')
  })

  test.each([
    [
      'the tab is shown after its timers were suspended',
      () => document.dispatchEvent(new Event('visibilitychange')),
    ],
    ['the network is back after its timers were suspended', () => window.dispatchEvent(new Event('online'))],
  ])('polls at once when %s', async (_, happen) => {
    const { sent, service, pass, shown } = await signingIn()
    await service.approve(textOf('code'), 'octocat')
    vi.setSystemTime(Date.now() + 60_000)
    await shown.while(async () => {
      happen()
      await vi.advanceTimersByTimeAsync(0)
      await pass(1)
    })
    expect(sent).toEqual([CODES, POLL])
    expect(textOf('[role=status]')).toBe('Authorized.')
  })
})

test('useSession shows a session that lives outside: mounted, unmounted and mounted again, one refresh', async () => {
  const { time, server, loggedIn } = world()
  const session = await loggedIn()
  await time.advance(3_600_000)
  const release = server.holdRefresh()

  function Account() {
    const { status } = useSession(session)
    const [token, setToken] = useState('')
    useEffect(() => {
      const controller = new AbortController()
      session.token({ signal: controller.signal }).then(
        (token) => setToken(token.reveal()),
        () => undefined,
      )
      return () => controller.abort()
    }, [])
    return `${status} ${token}`
  }
  const mount = () =>
    render(
      <StrictMode>
        <Account />
      </StrictMode>,
      () => time.settle(),
    )

  const first = await mount()
  expect(first.element.textContent).toBe('refreshing ')
  await first.unmount()
  const second = await mount()
  expect(second.element.textContent).toBe('refreshing ')
  await second.while(async () => {
    release()
    await time.settle()
  })
  expect(second.element.textContent).toBe('signedIn access-0-1')
  await second.unmount()
  const third = await mount()
  expect(third.element.textContent).toBe('signedIn access-0-1')
  await third.unmount()
  expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
  expect(time.timers).toBe(0)
})

test('a component that creates a session at each render fails with an error, and does not render forever', async () => {
  function Account() {
    return useSession(createSession({ clientId: 'id', store: memoryStore() })).text
  }
  await expect(render(<Account />, () => undefined)).rejects.toMatchObject({
    code: 'bad_option',
    message:
      'useSession was called with a new session at each render: create the session outside of the component',
  })
})
