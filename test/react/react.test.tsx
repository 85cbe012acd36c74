// @vitest-environment jsdom
import { afterEach, describe, expect, test, vi } from 'vitest'
import { github } from '../../src/index.ts'
import { useDeviceLogin } from '../../src/react/index.ts'
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

describe('useDeviceLogin', () => {
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

  test.each([
    [
      'the tab is shown after its timers were suspended',
      () => document.dispatchEvent(new Event('visibilitychange')),
    ],
    ['the network is back after its timers were suspended', () => window.dispatchEvent(new Event('online'))],
  ])('polls at once when %s', async (_, happen) => {
    const { sent, service, pass } = page()
    const shown = await render(<SignIn />, () => undefined)
    await shown.while(async () => {
      press()
      await pass(1)
    })
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
