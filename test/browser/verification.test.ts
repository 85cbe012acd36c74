import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { brandedPage, defaultPage, type ServiceOptions } from '../../src/service/index.ts'
import type { PageState } from '../../src/service/page/index.ts'
import { HOSTILE, samples, withText } from '../../src/testing/page-samples.ts'
import { page as acmePage } from '../guides/brand-the-page/page.ts'
import { sunnyPage } from '../service/pages/brands.ts'
import { hasChromium, IN_CHROMIUM, launchChromium } from '../support/chromium.ts'
import { CLIENT_ID, GRANT_TYPE, startService } from '../support/start-service.ts'
import { runAxe } from './axe.ts'
import { inChromium } from './open-tab.ts'

const states: [string, PageState][] = Object.entries(samples)

const pages = {
  'the default page': defaultPage,
  'a page with a bright accent': sunnyPage,
  'a page with a brand': acmePage,
  'a page in German': (state: PageState) => acmePage({ ...state, languages: ['de'] }),
  'a page in Arabic': (state: PageState) => acmePage({ ...state, languages: ['ar'] }),
}

/** These have every element of the pages, in every colour: pages that differ only in colours or texts need no others. */
const TYPICAL = ['an empty field', 'a request with many scopes', 'an approval', 'an unknown code']

const statesOf = (render: (state: PageState) => string) =>
  states.filter(([name]) => render === defaultPage || TYPICAL.includes(name))

describe.skipIf(!hasChromium)(`the verification page, ${IN_CHROMIUM}`, { timeout: 60_000 }, () => {
  const { newTab: openPage } = inChromium()

  /** A service over HTTP, a device that has requested codes, and a browser page. */
  async function begin(options: BrowserContextOptions = {}, serviceOptions: Partial<ServiceOptions> = {}) {
    const service = startService(serviceOptions)
    const { url, close } = await service.listen()
    onTestFinished(close)
    const page = await openPage(options)
    const post = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
      return (await fetch(url + path, { method: 'POST', body })).json()
    }
    const { device_code, user_code } = await post('/login/device/code', { scope: 'repo,read:org' })
    return {
      page,
      url: `${url}/login/device`,
      userCode: user_code as string,
      poll: () => post('/login/oauth/access_token', { device_code, grant_type: GRANT_TYPE }),
    }
  }

  /** Opens a page and waits until the code field has the focus. */
  async function openFocused(page: Page, url: string) {
    await page.goto(url)
    await page.locator('#user_code:focus').waitFor()
  }

  const heading = (page: Page) => page.locator('h1').innerText()

  test.each(Object.entries(pages))(
    '%s has no axe violations, in light and dark colours',
    async (_, render) => {
      // High enough for the decisions to cover nothing: axe cannot decide on text that is covered.
      const page = await openPage({ reducedMotion: 'reduce', viewport: { width: 1280, height: 2000 } })
      for (const [name, state] of states) {
        if (render !== defaultPage && !TYPICAL.includes(name)) continue
        await page.setContent(render(state))
        // Checks that axe cannot decide must not hide a violation.
        expect({ name, ...(await runAxe(page)) }).toEqual({
          name,
          violations: [],
          incomplete: [],
          contrast: ['light', 'dark'],
        })
      }
    },
  )

  test('every state fits into 320 pixels, the width of a 640-pixel screen at 200 % zoom', async () => {
    const page = await openPage({ viewport: { width: 320, height: 400 } })
    for (const render of Object.values(pages))
      for (const state of statesOf(render).flatMap(([, state]) => [state, withText(state, HOSTILE)])) {
        await page.setContent(render(state))
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
      }
  })

  describe('with the keyboard alone', () => {
    test.each([
      ['approve', 2, 'You approved the request', 'token'],
      ['deny', 1, 'You denied the request', 'access_denied'],
    ] as const)('%s: type the code, press Enter, choose with Tab', async (_, tabs, said, received) => {
      const { page, url, userCode, poll } = await begin()
      await openFocused(page, url)
      await page.keyboard.type(userCode.toLowerCase())
      expect(await page.locator('#user_code').inputValue()).toBe(userCode.toLowerCase())
      await page.keyboard.press('Enter')
      await page.waitForSelector('text=Deny')
      expect(await page.evaluate('document.activeElement.localName')).toBe('body')
      for (let tab = 0; tab < tabs; tab += 1) await page.keyboard.press('Tab')
      const ring = 'getComputedStyle(document.activeElement).outline'
      expect(await page.evaluate(ring)).toMatch(/solid 3px$/)
      await page.keyboard.press('Enter')
      await page.waitForSelector('[role=status]')
      expect(await heading(page)).toBe(said)
      const response = await poll()
      expect(response.access_token ? 'token' : response.error).toBe(received)
    })

    test('after a refusal, the field has the focus and describes the error', async () => {
      const { page, url, userCode } = await begin()
      await openFocused(page, url)
      await page.keyboard.type('BCDF-GHJK')
      await page.keyboard.press('Enter')
      await page.waitForSelector('[role=alert]')
      await page.locator('#user_code:focus').waitFor()
      const described =
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
      expect(await page.evaluate(described)).toContain('Unknown code')
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(userCode)
      await page.keyboard.press('Enter')
      await page.waitForSelector('text=Approve')
    })
  })

  test('the complete address fills in the code and asks the user to compare it before the decision', async () => {
    const { page, url, userCode, poll } = await begin()
    await page.goto(`${url}?user_code=${userCode}`)
    expect(await page.locator('#user_code').inputValue()).toBe(userCode)
    expect(await page.locator('#hint').innerText()).toContain('Is this the code that your own device shows')
    expect(await page.evaluate('document.activeElement.localName')).toBe('body')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.locator('p.code').innerText()).toBe(userCode)
    expect((await poll()).error).toBe('authorization_pending')
  })

  test('the page works without JavaScript', async () => {
    const { page, url, userCode } = await begin({ javaScriptEnabled: false })
    await page.goto(url)
    await page.fill('#user_code', userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    expect(await heading(page)).toBe('You approved the request')
  })

  test('Approve and Deny have the same size and look, side by side', async () => {
    for (const width of [390, 1280]) {
      const page = await openPage({ viewport: { width, height: 800 } })
      await page.setContent(defaultPage(samples['a request']))
      const buttons = page.locator('[name=decision]')
      const [one, other] = [await buttons.nth(0).boundingBox(), await buttons.nth(1).boundingBox()]
      expect([one?.width, one?.height, one?.y]).toEqual([other?.width, other?.height, other?.y])
      expect(one?.height).toBeGreaterThanOrEqual(44)
      const looks = (await page.evaluate(`[...document.querySelectorAll('[name=decision]')].map((button) => {
        const { color, backgroundColor, border, font } = getComputedStyle(button)
        return [color, backgroundColor, border, font].join()
      })`)) as string[]
      expect(looks[0]).toBe(looks[1])
    }
  })

  describe('under its content security policy', () => {
    /** Collects what the browser refuses from now on. */
    function refusals(page: Page): string[] {
      const refused: string[] = []
      page.on('console', (message) => {
        if (/content security policy|refused|permissions-policy/i.test(message.text()))
          refused.push(message.text())
      })
      page.on('pageerror', (error) => refused.push(error.message))
      return refused
    }

    test('the whole flow has no violations and keeps its style', async () => {
      const { page, url, userCode } = await begin()
      const refused = refusals(page)
      await page.goto(url)
      expect(await page.evaluate("getComputedStyle(document.querySelector('main')).borderRadius")).toBe(
        '20px',
      )
      await page.fill('#user_code', 'nothing')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForSelector('[role=alert]')
      await page.fill('#user_code', userCode)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      expect(await heading(page)).toBe('You approved the request')
      expect(refused).toEqual([])
    })

    test('a custom page without escaping still runs no script and loads nothing', async () => {
      const evil = `<script>document.title = 'run'</script><img src="/x" onerror="document.title = 'run'">
        <p style="color: red">late</p><iframe src="/user"></iframe>`
      const { page, url } = await begin({}, { page: () => `<!doctype html><title>still</title>${evil}` })
      const refused = refusals(page)
      await page.goto(url)
      await page.waitForSelector('text=late')
      expect(await page.title()).toBe('still')
      expect(refused.length).toBeGreaterThanOrEqual(4)
    })

    test('a logo is shown, runs no script and loads nothing', async () => {
      const { page, url } = await begin(
        {},
        {
          page: brandedPage({
            logo: `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="document.title = 'run'">
              <script>document.title = 'run'; fetch('/user')</script>
              <style>@import '/style.css'; rect { fill: url('/fill.svg#paint') }</style>
              <image href="/image.png" width="9" height="9" onerror="document.title = 'run'"/>
              <foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/frame"/></foreignObject>
              <rect width="40" height="40"/></svg>`,
          }),
        },
      )
      const requested: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith('data:')) requested.push(request.url())
      })
      await page.goto(url, { waitUntil: 'networkidle' })
      expect(await page.evaluate('document.images[0].complete && document.images[0].naturalWidth')).toBe(40)
      expect(await page.title()).toBe('Connect a device')
      expect(requested.filter((requestedUrl) => !requestedUrl.endsWith('/favicon.ico'))).toEqual([url])
    })

    test('no other page can frame it', async () => {
      const { page, url } = await begin()
      await page.setContent(`<iframe src="${url}"></iframe>`)
      await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/')
    })

    test('a user who was signed out midway signs in at another site and continues with the code', async () => {
      // A different host name makes it a different site.
      const elsewhere = startService({ page: () => '<h1>Sign in here</h1>' })
      const login = await elsewhere.listen()
      onTestFinished(login.close)
      let signedIn = true
      const { page, url, userCode } = await begin(
        {},
        {
          identify: (_, returnTo) =>
            signedIn
              ? { user: 'octocat' }
              : {
                  signInAt: `${login.url.replace('127.0.0.1', 'localhost')}/login/device?return_to=${encodeURIComponent(returnTo)}`,
                },
        },
      )
      const refused = refusals(page)
      await page.goto(url)
      await page.fill('#user_code', userCode)
      signedIn = false
      await page.getByRole('button', { name: 'Continue' }).click()
      expect(await heading(page)).toBe('Sign in to continue')
      await page.getByRole('link', { name: 'Sign in' }).click()
      expect(await heading(page)).toBe('Sign in here')
      signedIn = true
      await page.goto(new URL(page.url()).searchParams.get('return_to') ?? '')
      expect(await page.locator('#user_code').inputValue()).toBe(userCode)
      expect(refused).toEqual([])
    })
  })

  describe('over http outside loopback, where browsers do not send Sec-Fetch-Site', () => {
    /** A browser that resolves two host names to this machine: the service, and an attacker's subdomain of it. */
    async function beginAt(host: string, stranger: string) {
      const service = startService({ authUrl: `http://${host}`, allowHttp: true })
      const { url, close } = await service.listen()
      onTestFinished(close)
      const to = new URL(url).host
      const other = await launchChromium([
        `--host-resolver-rules=MAP ${host}:80 ${to},MAP ${stranger}:80 ${to}`,
      ])
      onTestFinished(() => other.close())
      const page = await other.newPage()
      const post = async (path: string, fields: Record<string, string>) => {
        const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
        return (await service.fetch(`http://${host}${path}`, { method: 'POST', body })).json()
      }
      const { device_code, user_code } = await post('/login/device/code', {})
      return {
        page,
        userCode: user_code as string,
        poll: () => post('/login/oauth/access_token', { device_code, grant_type: GRANT_TYPE }),
      }
    }

    test('a form of a sibling host is refused, even with the CSRF token and the cookie, and that of the page works', async () => {
      const { page, userCode, poll } = await beginAt('login.test', 'evil.login.test')
      await page.goto('http://login.test/login/device')
      await page.fill('#user_code', userCode)
      await page.getByRole('button', { name: 'Continue' }).click()
      const csrf = await page.locator('[name=csrf]').inputValue()
      const sent = page.waitForRequest((request) => request.method() === 'POST')
      await page.goto('http://evil.login.test/')
      await page.setContent(`<form method="post" action="http://login.test/login/device">
        <input name="csrf" value="${csrf}"><input name="user_code" value="${userCode}">
        <button name="decision" value="approve">Win a prize</button></form>`)
      await page.getByRole('button').click()
      expect(await heading(page)).toBe('Connect a device')
      expect(await page.locator('[role=alert]').innerText()).toContain('This page was out of date')
      const headers = await (await sent).allHeaders()
      expect(headers['sec-fetch-site']).toBeUndefined()
      expect(headers.cookie).toContain('authgraph=')
      expect((await poll()).error).toBe('authorization_pending')
      await page.goto('http://login.test/login/device')
      await page.fill('#user_code', userCode)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      expect(await heading(page)).toBe('You approved the request')
      expect((await poll()).access_token).toBeDefined()
    })
  })
})
