import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { behindProxies, type Policy } from '../../src/service/index.ts'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { CLIENT_ID, GRANT_TYPE, startService } from '../support/start-service.ts'
import { inChromium } from './open-tab.ts'

/** Where the phisher's device is, and where its victim. */
const FAR = '203.0.113.66'
const HERE = '198.51.100.9'

describe.skipIf(!hasChromium)(`a phisher, ${IN_CHROMIUM}`, { timeout: 60_000 }, () => {
  const { newTab } = inChromium()

  /** A phisher who has requested codes, and a victim who is signed in and follows the phisher's link. */
  async function begin({ policy, scope = 'read:user' }: { policy?: Policy; scope?: string }) {
    const service = startService({
      clientAddress: behindProxies(['127.0.0.1']),
      identify: () => ({ user: 'victim' }),
      ...(policy && { policy }),
    })
    const { url, close } = await service.listen()
    onTestFinished(close)
    const post = async (path: string, fields: Record<string, string>) => {
      const headers = { 'x-forwarded-for': FAR }
      const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
      return (await fetch(url + path, { method: 'POST', headers, body })).json()
    }
    const { device_code, user_code } = await post('/login/device/code', { scope })

    return {
      browser: (from = HERE) => newTab({ extraHTTPHeaders: { 'x-forwarded-for': from } }),
      userCode: user_code as string,
      /** The phisher writes the link himself: it does not matter whether the service offers one. */
      link: `${url}/login/device?user_code=${user_code}`,
      /** What the phisher's next poll gets. */
      async loot() {
        const { access_token, error } = await post('/login/oauth/access_token', {
          device_code,
          grant_type: GRANT_TYPE,
        })
        return access_token ? 'a token' : error
      },
    }
  }

  const go = (page: Page) => page.locator('text=Continue').click()
  const approve = (page: Page) => page.locator('button[value=approve]').click()
  const heading = (page: Page) => page.locator('h1, [role=alert] strong').allInnerTexts()

  test('gets a token from a victim who follows a link and clicks twice, without a policy', async () => {
    const { browser, link, loot } = await begin({ scope: 'delete_repo' })
    const page = await browser()
    await page.goto(link)
    await go(page)
    await approve(page)
    expect(await heading(page)).toEqual(['You approved the request'])
    expect(await loot()).toBe('a token')
  })

  test('is stopped if the code must be typed: a code that came with a link is not accepted', async () => {
    const { browser, link, userCode, loot } = await begin({ policy: {}, scope: 'delete_repo' })
    const page = await browser()
    await page.goto(link)
    await go(page)
    expect(await heading(page)).toEqual(['Connect a device', 'Type the code'])
    expect(await page.content()).not.toContain(userCode)
    expect(await page.locator('#user_code:focus').inputValue()).toBe('')
    expect(await page.locator('button').allInnerTexts()).toEqual(['Continue'])
    await go(page)
    expect(await heading(page)).toEqual(['Connect a device', 'No code entered'])
    expect(await loot()).toBe('authorization_pending')
  })

  test('is stopped if the first browser claims the code: a second link to the phone is of no use', async () => {
    const { browser, link, loot } = await begin({ policy: {} })
    const computer = await browser()
    await computer.goto(link)
    await go(computer)
    expect(await heading(computer)).toEqual(['Connect App?'])
    // The victim has read the warning and closes the page. The phisher sends the link again, to the phone.
    await computer.close()
    const phone = await browser()
    await phone.goto(link)
    await go(phone)
    expect(await heading(phone)).toEqual(['Connect a device', 'This code is open somewhere else'])
    expect(await phone.locator('button[value=approve]').count()).toBe(0)
    expect(await loot()).toBe('authorization_pending')
  })

  test('is stopped if the policy compares places: a device far from the browser is refused', async () => {
    const networkOf = (address = '') => address.split('.', 3).join('.')
    const assess: Policy['assess'] = ({ device, browser }) =>
      networkOf(device.address) === networkOf(browser.address) ? 'allow' : 'refuse'
    const phished = await begin({ policy: { assess } })
    const page = await phished.browser(HERE)
    await page.goto(phished.link)
    await go(page)
    await approve(page)
    expect(await heading(page)).toEqual(['Connect a device', 'This login is not allowed'])
    expect(await phished.loot()).toBe('access_denied')

    const own = await begin({ policy: { assess } })
    const beside = await own.browser('203.0.113.7')
    await beside.goto(own.link)
    await go(beside)
    await approve(beside)
    expect(await heading(beside)).toEqual(['You approved the request'])
    expect(await own.loot()).toBe('a token')
  })
})
