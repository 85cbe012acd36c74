import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDeviceAuthorization, record } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { serveBuiltPage } from '../support/built-page.ts'
import { hasChromium, IN_CHROMIUM, launchChromium } from '../support/chromium.ts'
import { violations } from './axe.ts'
import { isSeen, openTab, scrollsSideways, smallLetters } from './open-tab.ts'

/** Maximum size of the whole page, compressed, in bytes. */
const LARGEST = 110_000

/** Milliseconds for a test that runs a whole flow. */
const SLOW = 60_000

/** Slider positions. */
const SPEED = { slow: '1', quick: '3', fastest: '6' }

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

describe.skipIf(!hasChromium)(`the live page, ${IN_CHROMIUM}`, () => {
  let page: Awaited<ReturnType<typeof serveBuiltPage>>
  let browser: Browser

  beforeAll(async () => {
    page = await serveBuiltPage(resolve(import.meta.dirname, '../../docs/live'))
    browser = await launchChromium()
  }, SLOW)

  afterAll(async () => {
    await browser?.close()
    await page?.close()
  })

  async function open(options: BrowserContextOptions = {}, url = page.url) {
    const tab = await openTab(browser, { viewport: DESK, ...options })
    await tab.goto(url)
    return driver(tab)
  }

  test('shows a login from the codes to the token, on both sides', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const code = await live.code()
    expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    await live.lit('device', 'waiting.pending')
    await live.lit('service', 'undecided.pending')
    await live.enter(code)
    await live.decide('Approve')
    await live.lit('service', 'approved')
    await live.says('Authorized.')
    await live.lit('device', 'authorized')
    await live.lit('service', 'authorized')
    expect(await live.tab.textContent('#phone-page')).toContain('Your device is connected')
    expect(await live.tab.textContent('#announcer')).toMatch(/Authorized\.$/)
    const transitions = await live.transitions()
    for (const transition of [
      'starting to requesting',
      'requesting to waiting.requested',
      'waiting to polling',
      'polling to waiting.pending',
      'undecided to undecided.pending',
      'undecided to approved',
      'approved to issuing',
      'issuing to authorized',
      'polling to authorized',
    ])
      expect(transitions).toContain(transition)
    expect(await live.tab.locator('#device-picture .arrow.walked').count()).toBe(5)
  })

  test('shows no secret from the wire', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
    const shown = await live.tab.locator('main').innerHTML()
    expect(shown).toContain('[secret]')
    expect(shown.match(/[0-9a-f]{32}|gho_|deploy-tool/)).toBeNull()
  })

  test('shows a denied login, on both sides', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const code = await live.code()
    const codeColor = await live.color(code)
    await live.enter(code)
    await live.decide('Deny')
    await live.says('The request was denied.')
    await live.lit('device', 'denied')
    await live.lit('service', 'denied')
    expect(await live.tab.textContent('#phone-page')).toContain('Request denied')
    expect(await live.color('denied')).not.toBe(codeColor)
  })

  test('shows expired codes when the user does not decide', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const codeColor = await live.color(await live.code())
    await live.tab.fill('#speed', SPEED.fastest)
    await live.says('The code has expired. Start again to get a new one.', SLOW)
    await live.lit('device', 'expired')
    await live.lit('service', 'expired')
    expect(await live.tab.textContent('#service-text')).toBe('Expired.')
    expect(await live.tab.textContent('#phone-page')).toContain('Start again')
    expect(await live.color('expired')).not.toBe(codeColor)
  })

  test('can be cancelled and started again with a new code', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.slow)
    const first = await live.code()
    await live.tab.click('#cancel')
    await live.lit('device', 'cancelled')
    expect(await live.tab.isDisabled('#cancel')).toBe(true)
    await live.start(SPEED.slow)
    expect(await live.code()).not.toBe(first)
    expect(await live.tab.locator('.state.active[data-state="cancelled"]').count()).toBe(0)
  })

  test('starts at a click that comes before the page was drawn', { timeout: SLOW }, async () => {
    const context = await browser.newContext({ viewport: DESK })
    onTestFinished(() => context.close())
    const tab = await context.newPage()
    await tab.addInitScript(() =>
      addEventListener('DOMContentLoaded', () => document.querySelector<HTMLElement>('#start')?.click()),
    )
    await tab.goto(page.url)
    const live = driver(tab)
    await live.lit('device', 'waiting.pending')
    expect(await tab.isVisible('#hint')).toBe(false)
  })

  test('shows nothing of what was in flight at a restart', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.tab.evaluate(() => {
      const button = document.querySelector<HTMLElement>('#start')
      button?.click()
      button?.click()
    })
    await live.lit('device', 'waiting.pending')
    expect(await live.tab.locator('[data-exchange="1"] .response').count()).toBe(1)
  })

  test('refuses a code that the device does not show', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.slow)
    await live.code()
    await live.enter('BBBB-BBBB')
    await live.tab.getByRole('alert').filter({ hasText: 'Unknown code' }).waitFor()
    expect(await live.tab.getByRole('heading', { name: /Deploy Tool/ }).count()).toBe(0)
    await live.enter((await live.code()).toLowerCase().replace('-', ' '))
    await live.decide('Deny')
    await live.lit('service', 'denied')
  })

  test('refuses a code that expired while the device was asleep', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const code = await live.code()
    await live.press('device asleep')
    await live.tab.fill('#speed', SPEED.fastest)
    await live.lit('service', 'expired')
    await live.enter(code)
    await live.tab.getByRole('alert').filter({ hasText: 'This code has expired' }).waitFor()
  })

  test.each([
    ['drop a request', /request lost/, /^no usable response: login.example cannot be reached$/],
    ['respond with 503', /503/, /^no usable response: \w/],
    ['respond with HTML', /Sign in to this network/, /^no usable response: \w/],
  ])('recovers from a request with the fault "%s"', { timeout: SLOW }, async (fault, shown, why) => {
    const live = await open()
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    await live.press(fault)
    await live.happened('polling to waiting.retrying')
    expect(await live.tab.textContent('#exchanges')).toMatch(shown)
    expect(await live.why('polling to waiting.retrying')).toMatch(why)
    await live.isPressed(fault, false)
    await live.lit('device', 'waiting.pending')
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  test('counts the same polls on one line, and has one main button', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    await live.tab.locator('#exchanges .at', { hasText: /^[\d:.]+( s)? ×3$/ }).waitFor()
    expect(await live.tab.locator('#exchanges .exchange').count()).toBeLessThan(4)
    expect(await live.tab.locator('button.go:visible').allTextContents()).toEqual(['Continue'])
    await live.tab.click('#cancel')
    await live.tab.locator('#start.go').waitFor()
  })

  test('is slowed down with a fast clock and still gets its token', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.slow)
    await live.code()
    await live.press('clock 20 % fast')
    await live.happened('polling to waiting.slowed')
    await live.happened('undecided to undecided.slowed')
    await live.tab.fill('#speed', SPEED.quick)
    expect(Number.parseInt((await live.tab.textContent('#interval')) ?? '', 10)).toBeGreaterThanOrEqual(10)
    await live.lit('device', 'waiting.pending')
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  test('continues when the network returns', { timeout: SLOW }, async () => {
    const live = await open()
    await live.start(SPEED.quick)
    await live.code()
    await live.press('offline')
    await live.lit('device', 'waiting.retrying')
    expect(await live.tab.textContent('#device-why')).not.toBe('')
    await live.press('offline')
    await live.lit('device', 'waiting.pending')
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  test('does nothing while asleep and notices the expired code on waking', {
    timeout: SLOW,
  }, async () => {
    const live = await open()
    await live.start(SPEED.fastest)
    await live.lit('device', 'waiting.pending')
    await live.press('device asleep')
    const before = await live.exchanges()
    await live.tab.locator('#ring-life', { hasText: /^\s*0 s/ }).waitFor({ timeout: SLOW })
    // One request may have been in progress.
    expect(await live.exchanges()).toBeLessThanOrEqual(before + 1)
    expect(await live.tab.textContent('#device-text')).not.toContain('expired')
    await live.press('device asleep')
    await live.lit('device', 'expired')
  })

  test('can be used with the keyboard alone', { timeout: SLOW }, async () => {
    const live = await open()
    const { keyboard } = live.tab
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 40; presses += 1) {
        if (await live.tab.locator(selector).evaluate((element) => element === document.activeElement)) return
        await keyboard.press('Tab')
      }
      throw new Error(`${selector} is not reached by the key Tab`)
    }
    await tabTo('#start')
    await keyboard.press('Enter')
    await tabTo('#speed')
    for (let presses = 0; presses < 3; presses += 1) await keyboard.press('ArrowRight')
    const code = await live.code()
    await tabTo('#code')
    await keyboard.type(code.toLowerCase().replace('-', ''))
    await keyboard.press('Enter')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await live.says('Authorized.')
  })

  test('sends no request to another host', { timeout: SLOW }, async () => {
    const tab = await openTab(browser, {})
    const asked: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    await tab.goto(page.url)
    const live = driver(tab)
    await live.start(SPEED.quick)
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([page.url])
  })

  test.each([DESK, PHONE])('has no axe violations at $width pixels', { timeout: SLOW }, async (viewport) => {
    const live = await open({ viewport, reducedMotion: 'reduce' })
    expect(await live.violations()).toEqual([])
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    const code = await live.code()
    if (viewport === PHONE) await live.press('Break it')
    await live.press('respond with 503')
    await live.press('clock 20 % fast')
    expect(await live.violations()).toEqual([])
    await live.tab.keyboard.press('Escape')
    await live.happened('polling to waiting.retrying')
    await live.enter(code)
    expect(await live.violations()).toEqual([])
    await live.decide('Approve')
    await live.says('Authorized.')
    expect(await live.violations()).toEqual([])
  })

  test.each([PHONE, DESK, { width: 320, height: 640 }, { width: 1024, height: 800 }])(
    'does not scroll sideways at $width pixels',
    { timeout: SLOW },
    async (viewport) => {
      const live = await open({ viewport })
      await live.start(SPEED.quick)
      await live.enter(await live.code())
      expect(await scrollsSideways(live.tab)).toBe(false)
    },
  )

  test('shows what a user acts on in the first screen of a phone, and the machine below', {
    timeout: SLOW,
  }, async () => {
    const live = await open({ viewport: { width: 390, height: 664 }, reducedMotion: 'reduce' })
    await live.start(SPEED.quick)
    await live.enter(await live.code())
    await live.tab.fill('#speed', SPEED.slow)
    await live.tab.evaluate(() => scrollTo(0, 0))
    for (const selector of ['#user-code', '#phone .go', '#start', '#cancel'])
      expect(await live.isSeen(selector), selector).toBe(true)
    const controls = await live.box('.bottom')
    expect(controls.height).toBeLessThan(80)
    const approve = await live.box('#phone .go')
    expect(approve.y + approve.height).toBeLessThan(controls.y)
    const phone = await live.box('#phone')
    expect((await live.box('#device-picture')).y).toBeGreaterThan(phone.y + phone.height)
    await live.press('Break it')
    expect(await live.isSeen('[data-switch="asleep"]')).toBe(true)
    await live.press('offline')
    await live.tab.keyboard.press('Escape')
    expect(await live.tab.isVisible('[data-switch="offline"]')).toBe(false)
    await live.lit('device', 'waiting.retrying')
  })

  test.each(
    ['login', 'refresh'].flatMap((scene) =>
      [{ width: 1280, height: 800 }, { width: 1024, height: 800 }, PHONE].map(
        (viewport) => [scene, viewport.width, viewport] as const,
      ),
    ),
  )(
    'shows whole machines in the scene %s at %d pixels, in letters of 12 pixels',
    async (scene, _, viewport) => {
      const live = await open({ viewport, reducedMotion: 'reduce' }, `${page.url}#${scene}`)
      const cut = await live.tab.locator('.picture:visible').evaluateAll((pictures) =>
        pictures.flatMap((picture) => {
          const frame = picture.getBoundingClientRect()
          return [...picture.querySelectorAll('[data-state]')]
            .map((state) => ({ state, box: state.getBoundingClientRect() }))
            .filter(
              ({ box }) =>
                box.width === 0 ||
                box.left < frame.left ||
                box.top < frame.top ||
                box.right > frame.right ||
                box.bottom > frame.bottom,
            )
            .map(({ state }) => `${picture.id} ${state.getAttribute('data-state')}`)
        }),
      )
      expect(cut).toEqual([])
      expect(await live.smallLetters()).toEqual([])
    },
  )

  test('names the transition that was just taken beside its line, and leads to the full picture', {
    timeout: SLOW,
  }, async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    const labels = live.tab.locator('#device-picture .label:visible')
    expect(await labels.allTextContents()).toEqual(['authorization_pending'])
    const heading = live.tab.getByRole('heading', { name: 'Device' }).getByRole('link')
    expect(await heading.getAttribute('href')).toBe('documents/Device_authorization.html')
  })

  test('animates nothing for users who prefer reduced motion', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    expect(await live.animations()).toEqual([])
    expect(await live.tab.locator('#lane .parcel').count()).toBe(0)
  })

  test.each([{ width: 1280, height: 800 }, DESK, { width: 1920, height: 1080 }])(
    'shows both machines, the device, the phone and the faults on one screen of $width pixels',
    { timeout: SLOW },
    async (viewport) => {
      const live = await open({ viewport, reducedMotion: 'reduce' })
      await live.start(SPEED.quick)
      await live.enter(await live.code())
      await live.lit('device', 'waiting.pending')
      for (const selector of [
        '#caption',
        '#user-code',
        '#phone .go',
        '#device-picture .active[data-state="waiting.pending"]',
        '#service-picture .active[data-state="undecided.pending"]',
        '[data-once="drop"]',
        '[data-switch="asleep"]',
        '#moment',
      ])
        expect(await live.isSeen(selector), selector).toBe(true)
    },
  )

  test.each([{ width: 1280, height: 800 }, PHONE])(
    'has no letters below 12 pixels at $width pixels',
    { timeout: SLOW },
    async (viewport) => {
      const live = await open({ viewport, reducedMotion: 'reduce' })
      await live.start(SPEED.quick)
      await live.enter(await live.code())
      await live.lit('device', 'waiting.pending')
      expect(await live.smallLetters()).toEqual([])
    },
  )

  test('autoplays a login that meets a fault, and then says how to run it, beside the scene', {
    timeout: SLOW,
  }, async () => {
    const live = await open()
    await live.happened('polling to waiting.retrying')
    await live.lit('device', 'authorized')
    await live.tab.locator('#next', { hasText: 'npx authgraph demo --watch' }).waitFor()
    const [scene, next] = [await live.box('.stage'), await live.box('#next')]
    expect(next.y).toBeGreaterThan(scene.y + scene.height)
    for (const machine of ['device', 'service'])
      expect(await live.isSeen(`#${machine}-picture .active[data-state="authorized"]`), machine).toBe(true)
    await live.press('Restart')
    await live.lit('device', 'waiting.requested')
    expect(await live.tab.isVisible('#next')).toBe(false)
  })

  test.each([DESK, PHONE])(
    'tells the user what the login waits for, at $width pixels',
    {
      timeout: SLOW,
    },
    async (viewport) => {
      const live = await open({ viewport, reducedMotion: 'reduce' })
      await live.start(SPEED.quick)
      await live.lit('device', 'waiting.pending')
      const caption = live.tab.locator('#caption')
      await caption.filter({ hasText: 'Waiting for you: enter the code on the phone.' }).waitFor()
      const rim = () => live.tab.locator('#phone').evaluate((phone) => getComputedStyle(phone).boxShadow)
      expect(await rim()).not.toBe('none')
      const sides = live.tab.locator('.sides')
      if (viewport === PHONE) {
        await live.tab.evaluate(() => scrollTo(0, document.body.scrollHeight / 2))
        expect(await live.isSeen('.sides')).toBe(true)
        expect(await sides.innerText()).toMatch(/^Device pending\s+Service undecided$/)
      } else expect(await sides.isVisible()).toBe(false)
      await live.enter(await live.code())
      expect(await caption.textContent()).toBe('Waiting for you: approve or deny on the phone.')
      await live.decide('Deny')
      await live.lit('device', 'denied')
      expect(await rim()).toBe('none')
    },
  )

  test('says what a fault does before it is pressed', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.start(SPEED.slow)
    await live.code()
    const effect = live.tab.locator('#login-effect')
    await live.tab.hover('[data-switch="asleep"]')
    expect(await effect.textContent()).toMatch(/closed laptop/)
    await live.tab.focus('[data-once="drop"]')
    expect(await effect.textContent()).toMatch(/never reaches the service/)
    expect(await live.isSeen('#login-effect')).toBe(true)
    expect(await live.tab.getAttribute('[data-once="drop"]', 'aria-describedby')).toBe('login-effect')
  })

  test.each([DESK, { width: 1180, height: 560 }, PHONE])(
    'draws both machines at one scale, side by side or below each other, at $width pixels',
    async (viewport) => {
      const url = viewport.height === 560 ? `${page.url}?embed` : page.url
      const live = await open({ viewport, reducedMotion: 'reduce' }, url)
      const places = await live.tab.locator('.picture:visible svg').evaluateAll((pictures) =>
        pictures.map((picture) => {
          const matrix = (picture as SVGSVGElement).getScreenCTM()
          return { scale: matrix?.a, top: matrix?.f }
        }),
      )
      const [device, service] = places
      expect(places).toHaveLength(2)
      expect(service?.scale).toBeCloseTo(device?.scale ?? 0, 2)
      if (viewport !== PHONE) expect(service?.top).toBeCloseTo(device?.top ?? 0, 0)
      expect(await live.smallLetters()).toEqual([])
    },
  )

  test('stops playing when the user goes to another scene', { timeout: SLOW }, async () => {
    const live = await open()
    await live.code()
    expect(await live.tab.textContent('#hint')).toBe('Playing automatically. Click to take over.')
    await live.tab.goto(`${page.url}#recording`)
    await live.tab.locator('main[data-scene="recording"]').waitFor()
    expect(await live.tab.isVisible('#hint')).toBe(false)
  })

  test('leaves the login to a user who clicks', { timeout: SLOW }, async () => {
    const live = await open()
    await live.code()
    await live.tab.click('#caption')
    expect(await live.tab.isVisible('#hint')).toBe(false)
    await live.tab.fill('#speed', SPEED.quick)
    const exchanges = await live.exchanges()
    await live.tab.locator(`[data-exchange="${exchanges + 3}"] .response`).waitFor()
    expect(await live.tab.inputValue('#code')).toBe('')
  })

  test('is only the scene in a frame of another page, whose focus it leaves alone', {
    timeout: SLOW,
  }, async () => {
    const live = await open({ viewport: { width: 1180, height: 560 } }, `${page.url}?embed`)
    await live.code()
    expect(await live.isSeen('[data-switch="asleep"]')).toBe(true)
    await live.lit('device', 'authorized')
    expect(await live.tab.isVisible('header')).toBe(false)
    const { focused, height } = await live.tab.evaluate(() => ({
      focused: document.activeElement?.tagName,
      height: document.documentElement.scrollHeight,
    }))
    expect(focused).toBe('BODY')
    expect(height).toBe(560)
  })

  test('shows the states of the device in a frame on a phone, whose height does not change', {
    timeout: SLOW,
  }, async () => {
    const live = await open(
      { viewport: { width: 350, height: 610 }, reducedMotion: 'reduce' },
      `${page.url}?embed`,
    )
    const height = () => live.tab.evaluate(() => document.documentElement.scrollHeight)
    await live.tab.evaluate(() => document.querySelector<HTMLElement>('#start')?.click())
    await live.tab.locator('.steps .active', { hasText: 'waiting' }).waitFor()
    expect(await live.isSeen('.steps')).toBe(true)
    expect(await height()).toBe(610)
    await live.enter(await live.code())
    expect(await height()).toBe(610)
    expect(await live.smallLetters()).toEqual([])
  })

  test('goes back to an earlier moment, and to now', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.start(SPEED.quick)
    const code = await live.code()
    await live.lit('device', 'waiting.pending')
    await live.tab.focus('#moment')
    await live.tab.keyboard.press('Home')
    await live.lit('device', 'requesting')
    expect(await live.tab.textContent('#caption')).toBe('The device asks the service for a code.')
    expect(await live.tab.textContent('#user-code')).not.toBe(code)
    expect(await live.transitions()).toEqual(['starting to requesting'])
    await live.tab.keyboard.press('ArrowRight')
    await live.lit('device', 'waiting.requested')
    expect(await live.tab.textContent('#user-code')).toBe(code)
    for (const state of ['polling', 'waiting.pending']) {
      await live.tab.keyboard.press('ArrowRight')
      await live.lit('device', state)
    }
    expect(await live.tab.textContent('#caption')).toBe('Waiting for you: enter the code on the phone.')
    // That may be the newest moment.
    await live.tab.keyboard.press('Home')
    await live.press('Now')
    await live.happened('polling to waiting.pending')
    await live.enter(code)
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  test('shares a login between two processes, though a response is lost', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#refresh`)
    await live.start(SPEED.quick)
    await live.lit('second', 'signedIn')
    await live.press('lose a response')
    await live.press('token expires')
    await live.happened('refreshing to refreshing')
    await live.tab.locator('#family-token', { hasText: 'no. 2' }).waitFor()
    for (const process of ['first', 'second'])
      await live.tab.locator(`#${process}-token`, { hasText: 'no. 2' }).waitFor()
    const exchanges = await live.tab.textContent('#exchanges')
    expect(exchanges).toMatch(/✕ process 1.*response lost/)
    expect(exchanges).not.toContain('process 2')
    const lanes = live.tab.locator('#lanes')
    expect(await lanes.locator('.lane-names').innerText()).toMatch(/process 1\s+service\s+process 2/)
    for (const state of ['refreshing', 'waiting', 'issuing'])
      expect(await lanes.locator('.name', { hasText: state }).count(), state).toBeGreaterThan(0)
    expect(await lanes.locator('.outcome').allTextContents()).toEqual(
      expect.arrayContaining(['refresh', 'response lost', 'new tokens']),
    )
    const cut = await lanes.locator('.scroller text').evaluateAll((texts) =>
      texts
        .filter(({ textContent }) => textContent)
        .flatMap((text) => {
          const [box, room] = [text, text.closest('.scroller')].map((part) => part?.getBoundingClientRect())
          const isCut = box && room && (box.left < room.left - 1 || box.right > room.right + 1)
          return isCut && text.getAttribute('visibility') !== 'hidden' ? [text.textContent] : []
        }),
    )
    expect(cut).toEqual([])
    expect(await live.smallLetters()).toEqual([])
    expect(await live.violations()).toEqual([])
  })

  test('logs both processes out, also after a restart', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#refresh`)
    await live.tab.evaluate(() => {
      const button = document.querySelector<HTMLElement>('#start')
      button?.click()
      button?.click()
    })
    await live.lit('second', 'signedIn')
    await live.press('log out')
    await live.lit('first', 'signedOut')
    await live.lit('family', 'revoked')
    await live.press('token expires')
    await live.lit('second', 'signedOut')
    await live.press('log out')
    await live.lit('first', 'signedOut')
  })

  test('lets no token expire before both processes have one', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#refresh`)
    await live.tab.evaluate(() => {
      document.querySelector<HTMLElement>('#start')?.click()
      document.querySelector<HTMLElement>('[data-act="need"]')?.click()
    })
    await live.lit('second', 'signedIn')
    expect(await live.tab.textContent('#first-token')).toBe('no. 1')
    await live.press('token expires')
    await live.tab.locator('#second-token', { hasText: 'no. 2' }).waitFor()
  })

  test('ends a login whose old token comes back', { timeout: SLOW }, async () => {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#refresh`)
    await live.start(SPEED.quick)
    await live.lit('second', 'signedIn')
    // No token is an old one yet.
    expect(await live.tab.isDisabled('[data-act="steal"]')).toBe(true)
    await live.press('token expires')
    for (const process of ['first', 'second'])
      await live.tab.locator(`#${process}-token`, { hasText: 'no. 2' }).waitFor()
    const lanes = live.tab.locator('#lanes .lane-names span')
    expect(await lanes.count()).toBe(3)
    await live.press('use a stolen old token')
    await live.lit('family', 'revoked')
    await lanes.filter({ hasText: 'thief' }).waitFor({ state: 'attached' })
    await live.tab.locator('#lanes .outcome', { hasText: 'old token' }).waitFor()
    await live.press('token expires')
    await live.lit('first', 'ended')
    await live.lit('second', 'ended')
  })

  test('shows a recorded login', { timeout: SLOW }, async () => {
    const events: object[] = []
    const service = createService({
      clients: [{ clientId: 'recorded', name: 'Recorded' }],
      onWarning: () => undefined,
    })
    const actor = createDeviceAuthorization({
      clientId: 'recorded',
      ...record((event) => events.push(event), { fetch: service.fetch }),
    })
    actor.start()
    await vi.waitUntil(() => actor.getSnapshot().matches('waiting'))
    actor.send({ type: 'cancel' })
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#recording`)
    const file = (text: string) => ({
      name: 'login.ndjson',
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    })
    const recorded = events.map((event) => JSON.stringify(event)).join('\n')
    const problem = live.tab.locator('#file-problem')
    for (const other of ['', '{}\n{}\n', '1\n', 'null\n', '{"type":"state"}\n', `{\n${recorded}`]) {
      await live.tab.setInputFiles('#recording', file(other))
      await problem.filter({ hasText: 'This file is not a recorded login.' }).waitFor()
      await live.tab.setInputFiles('#recording', file(`${recorded}\n{"type":"sta`))
      await problem.filter({ hasNotText: 'not' }).waitFor({ state: 'attached' })
    }
    await live.tab.setInputFiles('#recording', file(recorded))
    await live.lit('device', 'cancelled')
    expect(await live.tab.isVisible('#service')).toBe(false)
    expect(await live.violations()).toEqual([])
  })

  test('runs from a file without a server', { timeout: SLOW }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-live-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [name, content] of page.files) writeFileSync(join(folder, name), content)
    const live = await open({}, String(pathToFileURL(join(folder, 'index.html'))))
    await live.start(SPEED.quick)
    await live.enter(await live.code())
    await live.decide('Deny')
    await live.lit('service', 'denied')
  })

  test('stays below its size limit', () => {
    const sizes = [...page.files.values()].map((content) => gzipSync(content).byteLength)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST)
  })
})

/** The actions of a user, and what the user sees. */
function driver(tab: Page) {
  const button = (name: string) => tab.getByRole('button', { name, exact: true })
  return {
    tab,
    start: async (speed: string) => {
      await tab.fill('#speed', speed)
      await tab.click('#start')
    },
    code: async () => {
      await tab.waitForFunction(() =>
        /^[A-Z]{4}-/.test(document.querySelector('#user-code')?.textContent ?? ''),
      )
      return (await tab.textContent('#user-code')) ?? ''
    },
    enter: async (code: string) => {
      await tab.fill('#code', code)
      await button('Continue').click()
    },
    decide: (decision: 'Approve' | 'Deny') => button(decision).click(),
    press: (name: string) => button(name).click(),
    isPressed: (name: string, isPressed: boolean) =>
      tab.getByRole('button', { name, exact: true, pressed: isPressed }).waitFor(),
    /** Waits until a state is active in a diagram. */
    lit: (machine: string, state: string) =>
      tab.locator(`#${machine}-picture .state.active[data-state="${state}"]`).waitFor(),
    says: (words: string, timeout = 30_000) =>
      tab.locator('#device-text').filter({ hasText: words }).waitFor({ timeout }),
    /** Waits until a transition is in the log. */
    happened: (transition: string) =>
      tab.locator('#transitions .transition', { hasText: transition }).first().waitFor({ state: 'attached' }),
    animations: () =>
      tab.evaluate(() =>
        document
          .getAnimations()
          .map(({ effect }) => (effect as KeyframeEffect).target?.outerHTML.slice(0, 120)),
      ),
    /** The reason for a transition, according to the log. */
    why: (transition: string) =>
      tab.locator('#transitions li', { hasText: transition }).first().locator('.why').textContent(),
    /** The colour of the large text on the device's screen. */
    color: (words: string) =>
      tab.locator('#user-code', { hasText: words }).evaluate((element) => getComputedStyle(element).color),
    transitions: () => tab.locator('#transitions .transition').allTextContents(),
    exchanges: () =>
      tab
        .locator('#exchanges')
        .evaluate((list) => Number((list.firstElementChild as HTMLElement | null)?.dataset.exchange)),
    violations: () => violations(tab),
    isSeen: (selector: string) => isSeen(tab, selector),
    box: async (selector: string) =>
      (await tab.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 },
    smallLetters: () => smallLetters(tab),
  }
}
