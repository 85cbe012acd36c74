import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDeviceAuthorization } from '../../src/index.ts'
import { recordLogin } from '../../src/recording/index.ts'
import { createService } from '../../src/service/index.ts'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { violations } from './axe.ts'
import { inChromium, scrollsSideways, served, smallLetters } from './open-tab.ts'

/** Maximum size of the page without its font, compressed, in bytes. */
const LARGEST = 110_000

/** Milliseconds for a test that runs a whole flow. */
const SLOW = 60_000

/** Slider positions. */
const SPEED = { slow: '1', quick: '3', fastest: '6' }

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Each with what the list of messages shows, and the reason that the device gives. */
const FAULTS = [
  {
    fault: 'drop a request',
    shown: /request lost/,
    why: /^no usable response: login.example cannot be reached \(POST \/login\/oauth\/access_token\)$/,
  },
  { fault: 'respond with 503', shown: /503/, why: /^no usable response: \w/ },
  { fault: 'respond with HTML', shown: /Sign in to this network/, why: /^no usable response: \w/ },
]

describe.skipIf(!hasChromium)(`the live page, ${IN_CHROMIUM}`, { timeout: SLOW }, () => {
  const { openTab } = inChromium()
  const page = served('docs/live')

  async function open(options: BrowserContextOptions = {}, url = page.url) {
    const tab = await openTab({ viewport: DESK, ...options })
    const asked: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    await tab.goto(url)
    return { ...driver(tab), asked }
  }

  /** Clicks at the same moment. */
  const clickAtOnce = (tab: Page, ...selectors: string[]) =>
    tab.evaluate((all) => {
      for (const selector of all) document.querySelector<HTMLElement>(selector)?.click()
    }, selectors)

  test('shows a login on both sides, no secret from the wire, and asks no other host', async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const code = await live.code()
    expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    await live.lit('device', 'waiting.pending')
    await live.lit('service', 'undecided.pending')
    await live.enter(code)
    await live.decide('Approve')
    await live.says('Authorized.')
    await live.lit('device', 'authorized')
    await live.lit('service', 'authorized')
    await live.phone.getByRole('heading', { name: 'You approved the request' }).waitFor()
    expect(await live.tab.textContent('#announcer')).toMatch(/Authorized\.$/)
    expect(await live.transitions()).toEqual(
      expect.arrayContaining([
        'starting to requesting',
        'requesting to waiting.requested',
        'waiting to polling',
        'polling to waiting.pending',
        'undecided to undecided.pending',
        'undecided to approved',
        'approved to issuing',
        'issuing to authorized',
        'polling to authorized',
      ]),
    )
    expect(await live.tab.locator('#device-picture .arrow.walked').count()).toBe(5)
    const shown = await live.tab.locator('main').innerHTML()
    expect(shown).toContain('‹secret›')
    expect(shown.match(/[0-9a-f]{32}|gho_|deploy-tool/)).toBeNull()
    const asked = live.asked.filter((url) => !/^(data|about):/.test(url))
    expect(asked).toEqual([page.url, `${page.url}assets/inter.woff2`])
  })

  test('says what it waits for, refuses an unknown code, and shows a denial', async () => {
    const live = await open({ reducedMotion: 'reduce' })
    await live.start(SPEED.quick)
    const code = await live.code()
    await live.lit('device', 'waiting.pending')
    const caption = live.tab.locator('#caption')
    await caption.filter({ hasText: 'Your turn: enter the code on the phone.' }).waitFor()
    await live.enter('BBBB-BBBB')
    await live.refuses('Unknown code')
    expect(await live.phone.getByRole('heading', { name: /Deploy Tool/ }).count()).toBe(0)
    await live.enter(code.toLowerCase().replace('-', ' '))
    await caption.filter({ hasText: 'Your turn: approve or deny on the phone.' }).waitFor()
    await live.decide('Deny')
    await live.says('The request was denied.')
    await live.lit('device', 'denied')
    await live.lit('service', 'denied')
    await live.phone.getByRole('heading', { name: 'You denied the request' }).waitFor()
  })

  test('does nothing while asleep, refuses the expired code, and notices it on waking', async () => {
    const live = await open()
    await live.start(SPEED.quick)
    const code = await live.code()
    await live.lit('device', 'waiting.pending')
    await live.press('device asleep')
    const before = await live.exchanges()
    await live.tab.fill('#speed', SPEED.fastest)
    await live.lit('service', 'expired')
    expect(await live.tab.textContent('#service-text')).toBe('Expired.')
    // One request may have been in progress.
    expect(await live.exchanges()).toBeLessThanOrEqual(before + 1)
    expect(await live.tab.textContent('#device-text')).not.toContain('expired')
    await live.enter(code)
    await live.refuses('expired')
    await live.press('device asleep')
    await live.says('The code has expired. Start again to get a new one.')
    await live.lit('device', 'expired')
  })

  test('recovers from every fault, of which it gives the reason', async () => {
    const live = await open()
    await live.start(SPEED.quick)
    await live.lit('device', 'waiting.pending')
    for (const [round, { fault, shown, why }] of FAULTS.entries()) {
      await live.press(fault)
      await live.happened('polling to waiting.retrying', round)
      expect(await live.tab.textContent('#exchanges')).toMatch(shown)
      expect(await live.why('polling to waiting.retrying')).toMatch(why)
      await live.isPressed(fault, false)
      await live.lit('device', 'waiting.pending')
    }
    await live.press('offline')
    await live.lit('device', 'waiting.retrying')
    expect(await live.tab.textContent('#device-why')).not.toBe('')
    await live.press('offline')
    await live.lit('device', 'waiting.pending')
    await live.press('clock 20% fast')
    await live.lit('device', 'waiting.slowed')
    await live.enter(await live.code())
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  test('can be used with the keyboard alone', async () => {
    const live = await open()
    const { keyboard } = live.tab
    const tabTo = async (target: Locator) => {
      for (let presses = 0; presses < 40; presses += 1) {
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
        await keyboard.press('Tab')
      }
      throw new Error(`${target} is not reached by the key Tab`)
    }
    await tabTo(live.tab.locator('#start'))
    await keyboard.press('Enter')
    await tabTo(live.tab.locator('#speed'))
    for (let presses = 0; presses < 3; presses += 1) await keyboard.press('ArrowRight')
    const code = await live.code()
    await tabTo(live.phone.locator('input.code'))
    await keyboard.type(code.toLowerCase().replace('-', ''))
    await keyboard.press('Enter')
    await live.phone.getByRole('button', { name: 'Approve' }).waitFor()
    await tabTo(live.phone.getByRole('button', { name: 'Approve' }))
    await keyboard.press('Enter')
    await live.says('Authorized.')
  })

  test('has no axe violations, before a login, in it and after it, and fits a phone', async () => {
    const live = await open({ reducedMotion: 'reduce' })
    expect(await scrollsSideways(live.tab)).toBe(false)
    expect(await live.violations()).toEqual([])
    await live.start(SPEED.quick)
    const code = await live.code()
    await live.press('clock 20% fast')
    await live.enter(code)
    await live.press('respond with 503')
    expect(await live.violations()).toEqual([])
    await live.decide('Approve')
    await live.says('Authorized.')
    expect(await live.violations()).toEqual([])
    await live.tab.setViewportSize({ width: 320, height: 640 })
    expect(await scrollsSideways(live.tab)).toBe(false)
    for (const [tab, isPhone] of [
      ['Machines', false],
      ['Login', true],
    ] as const) {
      await live.press(tab)
      await live.tab.locator('.tabs [aria-current]', { hasText: tab }).waitFor()
      expect(await live.tab.isVisible('#phone')).toBe(isPhone)
      expect(await live.tab.isVisible('#device-picture')).toBe(!isPhone)
    }
    expect(await smallLetters(live.tab)).toEqual([])
  })

  test('autoplays a login that meets a fault, and then says how to run it', async () => {
    const live = await open()
    await live.tab.locator('#caption', { hasText: /^The user enters the code/ }).waitFor()
    await live.happened('polling to waiting.retrying')
    await live.lit('device', 'authorized')
    await live.tab.locator('#next', { hasText: 'npm start -- --watch' }).waitFor()
    await live.press('Restart')
    await live.lit('device', 'waiting.requested')
    expect(await live.tab.isVisible('#next')).toBe(false)
  })

  test('leaves the autoplay to the first tap, which does what it is on', async () => {
    const live = await open({ viewport: PHONE, hasTouch: true })
    await live.code()
    await live.tab.locator('.tabs [data-tab="machines"]').tap()
    expect(await live.tab.isVisible('#hint')).toBe(false)
    expect(await live.tab.isVisible('#device-picture')).toBe(true)
  })

  test('is only the scene in a frame of another page, whose focus it leaves alone', async () => {
    const live = await open({ viewport: { width: 1180, height: 560 } }, `${page.url}?embed`)
    await live.code()
    await live.lit('device', 'authorized')
    expect(await live.tab.isVisible('header')).toBe(false)
    expect(await live.tab.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
    expect(await live.height()).toBe(560)
  })

  test('shows how a login ends in a frame without motion', async () => {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}?embed`)
    await live.tab.locator('#caption', { hasText: 'the login is complete.' }).waitFor()
    expect(await live.transitions()).toContain('polling to waiting.retrying')
    await live.phone.getByRole('heading', { name: 'You approved the request' }).waitFor()
  })

  test('goes back to an earlier moment, and to now', async () => {
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
    // That may be the newest moment, in which the device polls again.
    expect(await live.tab.textContent('#caption')).toMatch(/^Your turn: enter the code on the phone\./)
    await live.tab.keyboard.press('Home')
    await live.press('Show the latest')
    await live.happened('polling to waiting.pending')
    await live.enter(code)
    await live.decide('Approve')
    await live.says('Authorized.')
  })

  /** The scene of two processes, once both have a token. */
  async function openShared(...alsoClicked: string[]) {
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#refresh`)
    await live.tab.fill('#speed', SPEED.quick)
    await clickAtOnce(live.tab, '#start', ...alsoClicked)
    await live.lit('second', 'signedIn')
    return {
      ...live,
      bothHave: async (token: string) => {
        for (const process of ['first', 'second'])
          await live.tab.locator(`#${process}-token`, { hasText: token }).waitFor()
      },
    }
  }

  test('shares a login between two processes, though a response is lost', async () => {
    // No token expires before both processes have one.
    const live = await openShared('[data-act="need"]')
    await live.bothHave('no. 1')
    await live.press('lose a response')
    await live.press('token expires')
    await live.happened('refreshing to refreshing')
    await live.tab.locator('#family-token', { hasText: 'no. 2' }).waitFor()
    await live.bothHave('no. 2')
    const exchanges = await live.tab.textContent('#exchanges')
    expect(exchanges).toMatch(/✕ process 1.*response lost/)
    expect(exchanges).not.toContain('process 2')
    const lanes = live.tab.locator('#lanes')
    expect(await lanes.locator('.lane-names').innerText()).toMatch(/process 1\s+service\s+process 2/)
    expect(await lanes.locator('.name').allTextContents()).toEqual(
      expect.arrayContaining(['refreshing', 'waiting', 'issuing']),
    )
    expect(await lanes.locator('.outcome').allTextContents()).toEqual(
      expect.arrayContaining(['refresh', 'response lost', 'new tokens']),
    )
    expect(await live.violations()).toEqual([])
  })

  test('ends a login whose old token comes back', async () => {
    const live = await openShared()
    // No token is an old one yet.
    expect(await live.tab.isDisabled('[data-act="steal"]')).toBe(true)
    await live.press('token expires')
    await live.bothHave('no. 2')
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

  test('shows a recorded login', async () => {
    const events: object[] = []
    const service = createService({
      clients: [{ clientId: 'recorded', name: 'Recorded' }],
      onWarning: () => undefined,
    })
    const actor = createDeviceAuthorization({
      clientId: 'recorded',
      ...recordLogin((event) => events.push(event), { fetch: service.fetch }),
    })
    actor.start()
    await vi.waitUntil(() => actor.getSnapshot().matches('waiting'))
    actor.send({ type: 'cancel' })
    const live = await open({ reducedMotion: 'reduce' }, `${page.url}#recording`)
    // It opens with the recording of the README, at the top.
    await live.lit('device', 'authorized')
    expect(await live.tab.evaluate(() => scrollY)).toBe(0)
    // The list is at its end, where the token is.
    await live.tab.waitForFunction(() => {
      const list = document.querySelector('#exchanges') as Element
      return list.scrollHeight - list.clientHeight - list.scrollTop <= 1
    })
    for (const [button, state] of [
      ['#restart', 'requesting'],
      ['#on', 'waiting'],
      ['#back', 'requesting'],
    ] as const) {
      await live.tab.click(button)
      await live.lit('device', state)
    }
    const file = (text: string) => ({
      name: 'login.ndjson',
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    })
    const recorded = events.map((event) => JSON.stringify(event)).join('\n')
    const problem = live.tab.locator('#file-problem')
    for (const other of ['{}\n{}\n', 'null\n', '{"type":"state"}\n', `{\n${recorded}`]) {
      await live.tab.setInputFiles('#recorded', file(other))
      await problem.filter({ hasText: 'This file is not a recorded login.' }).waitFor()
      await live.tab.setInputFiles('#recorded', file(`${recorded}\n{"type":"sta`))
      await problem.filter({ hasNotText: 'not' }).waitFor({ state: 'attached' })
    }
    await live.tab.setInputFiles('#recorded', file(recorded))
    await live.lit('device', 'cancelled')
    expect(await live.tab.isVisible('#service')).toBe(false)
    expect(await live.violations()).toEqual([])
    await live.tab.setViewportSize(PHONE)
    const { bottom } = await live.edges('#exchanges')
    expect(bottom).toBeLessThanOrEqual((await live.edges('#log')).top)
  })

  test('runs from a file without a server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authgraph-live-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'assets'))
    for (const [name, content] of page.files) writeFileSync(join(folder, name), content)
    const live = await open({}, String(pathToFileURL(join(folder, 'index.html'))))
    await live.start(SPEED.quick)
    await live.enter(await live.code())
    await live.decide('Deny')
    await live.lit('service', 'denied')
  })

  test('stays below its size limit', () => {
    expect(gzipSync(page.files.get('/index.html') ?? '').byteLength).toBeLessThan(LARGEST)
  })
})

/** The actions of a user, and what the user sees. */
function driver(tab: Page) {
  const button = (name: string) => tab.getByRole('button', { name, exact: true })
  const phone = tab.frameLocator('#phone-page')
  return {
    tab,
    /** The page in the phone: the one of the service. */
    phone,
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
      await phone.locator('input.code').fill(code)
      await phone.getByRole('button', { name: 'Continue' }).click()
    },
    decide: (decision: 'Approve' | 'Deny') => phone.getByRole('button', { name: decision }).click(),
    press: (name: string) => button(name).click(),
    isPressed: (name: string, isPressed: boolean) =>
      tab.getByRole('button', { name, exact: true, pressed: isPressed }).waitFor(),
    /** Waits until a state is active in a diagram. */
    lit: (machine: string, state: string) =>
      tab.locator(`#${machine}-picture .state.active[data-state="${state}"]`).waitFor(),
    says: (words: string, timeout = 30_000) =>
      tab.locator('#device-text').filter({ hasText: words }).waitFor({ timeout }),
    /** Waits until a transition is in the log, after so many earlier ones. */
    happened: (transition: string, earlier = 0) =>
      tab
        .locator('#transitions .transition', { hasText: transition })
        .nth(earlier)
        .waitFor({ state: 'attached' }),
    /** Waits until the page in the phone says what is wrong. */
    refuses: (words: string) => phone.locator('.notice', { hasText: words }).waitFor(),
    edges: (selector: string) =>
      tab.locator(selector).evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect),
    height: () => tab.evaluate(() => document.documentElement.scrollHeight),
    /** The reason for a transition, according to the log. */
    why: (transition: string) =>
      tab.locator('#transitions li', { hasText: transition }).first().locator('.why').textContent(),
    transitions: () => tab.locator('#transitions .transition').allTextContents(),
    exchanges: () =>
      tab
        .locator('#exchanges')
        .evaluate((list) => Number((list.firstElementChild as HTMLElement | null)?.dataset.exchange)),
    violations: () => violations(tab),
  }
}
