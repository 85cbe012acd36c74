import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { violations } from './axe.ts'
import { inChromium, scrollsSideways, served, smallLetters } from './open-tab.ts'

const root = resolve(import.meta.dirname, '../..')

/** Maximum size of the whole page, compressed, in bytes. */
const LARGEST = 40_000

/** The graphs, by the name that the tests print. */
const NAMES = {
  device: 'device',
  service: 'service',
  family: 'refresh family',
  both: 'both sides',
  session: 'session',
} as const

/** The figures that the tests of the paths hold to. */
function figure(name: string): number {
  const documented = readFileSync(resolve(root, 'docs/testing.md'), 'utf8')
  return Number(new RegExp(`^${name}: (\\d+) paths`, 'm').exec(documented)?.[1])
}

describe.skipIf(!hasChromium)(`the explorer of the paths, ${IN_CHROMIUM}`, () => {
  const { openTab } = inChromium()
  const page = served('docs/explorer')

  /** @param isPaused Whether time passes only when a test says so. */
  async function open(hash = '', options: BrowserContextOptions = {}, isPaused = false) {
    const tab = await openTab({ viewport: { width: 1280, height: 800 }, ...options })
    if (isPaused) {
      await tab.clock.install({ time: 0 })
      await tab.clock.pauseAt(1000)
    }
    await tab.goto(`${page.url}${hash}`)
    await tab.click('#filter summary')
    const lit = (machine = 0) =>
      tab.locator('.picture').nth(machine).locator('.active').last().getAttribute('data-state')
    return {
      tab,
      lit,
      found: () => tab.textContent('#found'),
      /** Shows the end of the path that is chosen. */
      toEnd: async () => {
        await tab.locator('#list li').last().getByRole('button').click()
        return lit()
      },
    }
  }

  test('has as many paths as the tests walk', async () => {
    const { tab, found } = await open('', { reducedMotion: 'reduce' })
    for (const [id, name] of Object.entries(NAMES)) {
      await tab.click(`#graphs a[href="#${id}"]`)
      await tab.locator(`#graphs a[aria-current][href="#${id}"]`).waitFor()
      expect(await found()).toBe(`${figure(name)} paths`)
      expect(await tab.locator('#ends .good').count()).toBeGreaterThan(0)
      // Steps are told in words, not by their identifiers.
      const steps = await tab.locator('#filter-step option').allTextContents()
      expect(steps.join(' ').replaceAll('signedIn', '')).not.toMatch(/[a-z][A-Z]/)
    }
  })

  test('links to each path, and names the test that walks it', async () => {
    const { tab } = await open('#session')
    await tab.click('#expand')
    await tab.locator('#tree').focus()
    const links = new Set<string>()
    await tab.keyboard.press('Home')
    for (let step = 0; step < 12; step += 1) {
      links.add(await tab.evaluate(() => location.hash))
      await tab.keyboard.press('ArrowDown')
    }
    expect(links.size).toBe(12)
    await tab.selectOption('#filter-step', 'refreshed by another process')
    await tab.locator('[role=treeitem]:not([aria-expanded])').first().click()
    const name = (await tab.textContent('#test-name')) ?? ''
    const [file = '', set = '', path = ''] = name.split(' › ')
    expect([file, set]).toEqual(['test/paths/session.test.ts', 'a session'])
    expect(path).toMatch(/^opened .*refreshed by another process/)
    const end = await tab.locator('[aria-selected=true] .words').textContent()
    const other = await open(new URL(tab.url()).hash)
    expect(await other.tab.textContent('#test-name')).toBe(name)
    expect(await other.tab.locator('[aria-selected=true] .words').textContent()).toBe(end)
  })

  test('shows how each path ends, however long its words are', async () => {
    const { tab } = await open('#service')
    await tab.click('#expand')
    const tree = tab.locator('#tree')
    const shown = () =>
      tree.evaluate((element) => {
        const rows = [...element.querySelectorAll('.row')]
        const states = rows.flatMap((row) => row.querySelector('.state:not(:empty)') ?? [])
        const isCut = (state: Element) =>
          state.getBoundingClientRect().bottom > (state.closest('.row')?.getBoundingClientRect().bottom ?? 0)
        return { states: states.length, cut: states.filter(isCut).length }
      })
    for (const part of [0, 0.2, 0.4, 0.6, 0.8]) {
      await tree.evaluate(async (element, to) => {
        element.scrollTo(0, element.scrollHeight * to)
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }, part)
      const { states, cut } = await shown()
      expect(states).toBeGreaterThan(0)
      expect(cut).toBe(0)
    }
  })

  test('filters by the end, a state, a step and words', async () => {
    const { tab, found, toEnd } = await open('#device')
    const place = () => tab.locator('#filter summary').boundingBox()
    const opened = await place()
    await tab.click('#filter summary')
    expect(await place()).toEqual(opened)
    expect(await tab.locator('#filters').isVisible()).toBe(false)
    await tab.click('#filter summary')
    await tab.selectOption('#filter-end', { label: 'denied' })
    expect(await tab.textContent('#filter summary')).toBe('Filter (1)')
    expect(await tab.textContent('#hint')).toBe('The path shown does not match the filter.')
    const denied = Number.parseInt((await found()) ?? '', 10)
    expect(denied).toBeGreaterThan(5)
    expect(denied).toBeLessThan(100)
    await tab.selectOption('#filter-state', { label: 'waiting.slowed' })
    await tab.selectOption('#filter-step', { label: 'slowed by slow_down' })
    await tab.fill('#filter-words', 'ACCESS_DENIED slow_down')
    const slowed = Number.parseInt((await found()) ?? '', 10)
    expect(slowed).toBeGreaterThan(0)
    expect(slowed).toBeLessThan(denied)
    await tab.click('#expand')
    await tab.locator('[role=treeitem]:not([aria-expanded])').last().click()
    expect(await tab.textContent('#hint')).toBe('')
    expect(await tab.textContent('[aria-selected=true] .dot')).toBe('✕')
    expect(await toEnd()).toBe('denied')
    expect(await tab.textContent('#list')).toContain('slowed by slow_down')
    await tab.fill('#filter-words', 'no such words')
    expect(await found()).toBe(`0 of ${figure('device')} paths`)
    expect(await tab.textContent('#hint')).toBe('No path matches. The path shown is outside the filter.')
    await tab.click('#clear')
    await tab.locator('#found', { hasText: /^\d+ paths$/ }).waitFor()
    expect(await tab.locator('[role=treeitem]').count()).toBeGreaterThan(0)
    expect(await tab.locator('#clear').isVisible()).toBe(false)
  })

  test('keeps the path and the filters of each machine', async () => {
    const { tab, found } = await open('#both', { reducedMotion: 'reduce' })
    await tab.selectOption('#filter-end', { label: 'device: denied' })
    await tab.locator('[role=treeitem]:not([aria-expanded])').first().click()
    const [kept, name, { hash }] = [await found(), await tab.textContent('#test-name'), new URL(tab.url())]
    const shown = async () => [
      await found(),
      await tab.textContent('#test-name'),
      await tab.evaluate(() => location.hash),
    ]
    await tab.click('#graphs a[href="#both"]')
    expect(await shown()).toEqual([kept, name, hash])
    await tab.click('#graphs a[href="#device"]')
    await tab.locator('#found', { hasText: `${figure('device')} paths` }).waitFor()
    expect(await tab.title()).toBe('Authgraph: every path, Device')
    await tab.click('#graphs a[href="#both"]')
    await tab.locator('#found', { hasText: kept ?? '' }).waitFor()
    expect(await shown()).toEqual([kept, name, hash])
  })

  test('keeps the step of each machine, and links to it', async () => {
    const { tab } = await open('#device')
    const told = tab.locator('#told')
    await tab.click('#list button >> nth=1')
    const shown = [await told.textContent(), tab.url()]
    expect(shown).toEqual([
      expect.stringMatching(/^Step 2 of \d+: /),
      expect.stringMatching(/#device\/\w{6,}\/2$/),
    ])
    await tab.click('#graphs a[href="#session"]')
    await tab.waitForFunction(() => location.hash.startsWith('#session/'))
    await tab.click('#graphs a[href="#device"]')
    await tab.waitForFunction(() => location.hash.startsWith('#device/'))
    expect([await told.textContent(), tab.url()]).toEqual(shown)
    await tab.reload()
    expect([await told.textContent(), tab.url()]).toEqual(shown)
    await tab.click('#play')
    await tab.click('#play')
    expect(tab.url()).toBe(shown[1])
    const other = await open(new URL(tab.url()).hash.replace(/2$/, '99'))
    expect(new URL(other.tab.url()).hash).toMatch(/^#device\/\w{6,}$/)
  })

  test('says that a path no longer exists', async () => {
    for (const hash of ['#session/zzzzz', '#nope']) {
      const { tab } = await open(hash)
      expect(await tab.textContent('#hint')).toBe('This path no longer exists. Showing another one.')
      expect(new URL(tab.url()).hash).toMatch(hash === '#nope' ? /^#both\/\w{6,}$/ : /^#session\/\w{6,}$/)
      expect(await tab.locator('[aria-selected=true]').count()).toBe(1)
    }
  })

  test('opens and closes rows, and the headings of sets without choosing a path', async () => {
    const { tab } = await open('#device', { reducedMotion: 'reduce' })
    const rows = tab.locator('.rows')
    const height = () => rows.evaluate((element) => element.clientHeight)
    const [before, address] = [await height(), tab.url()]
    await tab.click('#expand')
    expect(await height()).toBeGreaterThan(10 * before)
    await tab.click('#expand')
    expect(await height()).toBe(before)
    const heading = tab.locator('[role=treeitem]').first()
    expect(await heading.locator('.count').textContent()).toMatch(/^\d+$/)
    await heading.click()
    expect(await heading.getAttribute('aria-expanded')).toBe('false')
    expect(tab.url()).toBe(address)
    await heading.click()
    expect(await height()).toBe(before)
    await tab.locator('[role=treeitem]', { hasText: 'started' }).first().click()
    expect(await tab.textContent('#part')).toMatch(/^Part of \d+ tests$/)
    expect(await tab.locator('#test').isVisible()).toBe(false)
  })

  test('plays a path on the machine with the wire beside it', async () => {
    const { tab, lit } = await open('#device', {}, true)
    await tab.fill('#filter-words', 'authorized')
    await tab.locator('[role=treeitem]:not([aria-expanded])').first().click()
    const steps = await tab.locator('#list li').count()
    expect(await lit()).toBe('requesting')
    const told = tab.locator('#told')
    expect(await told.getAttribute('aria-live')).toBe('off')
    const place = () => tab.locator('#play').boundingBox()
    const played = await place()
    const seen = [await lit()]
    for (let step = 1; step < steps; step += 1) {
      await tab.clock.runFor(1200)
      seen.push(await lit())
    }
    expect(seen.slice(0, 2)).toEqual(['requesting', 'waiting.requested'])
    expect(seen.at(-1)).toBe('authorized')
    expect(await tab.textContent('#play')).toBe('Play')
    expect(await place()).toEqual(played)
    expect(await told.getAttribute('aria-live')).toBe('polite')
    const wire = await tab.locator('#list .message').allTextContents()
    expect(wire.slice(0, 2)).toEqual([
      '→POST /login/device/code',
      expect.stringMatching(/^←200 device_code 000000…, user_code ABCD-EFGH.*interval 5$/),
    ])
    expect(wire.at(-1)).toMatch(/^←200 access_token/)
    expect(await tab.locator('.arrow.walked').count()).toBeGreaterThan(3)
    await tab.click('#back')
    expect(await lit()).toBe('polling')
  })

  test('stops playing when a path of one step is chosen', async () => {
    const { tab, lit } = await open('#both', {}, true)
    await tab.locator('[role=treeitem]', { hasText: 'user denied' }).first().click()
    await tab.locator('[role=treeitem]', { hasText: 'codes lost' }).last().click()
    await tab.clock.runFor(5000)
    expect(await lit()).toBe('failed')
    expect(await tab.textContent('#told')).toBe('Step 1 of 1: codes lost')
    expect(await tab.textContent('#time .key')).toBe('Not to scale.')
  })

  test('stays at a row that branches, and plays the path of another one in sight, on a phone', async () => {
    const tab = await openTab({ viewport: { width: 390, height: 844 }, hasTouch: true })
    await tab.goto(`${page.url}#both`)
    const state = () => tab.evaluate(() => [scrollY, document.querySelector('#play')?.textContent])
    await tab.locator('[aria-expanded=false]').first().tap()
    expect(await tab.getAttribute('[aria-selected=true]', 'aria-expanded')).toBe('true')
    expect(await state()).toEqual([0, 'Play'])
    await tab.locator('#tree').press('ArrowDown')
    expect(await state()).toEqual([0, 'Play'])
    await tab.click('#filter summary')
    await tab.fill('#filter-words', 'user denied')
    for (const row of ['.row[aria-expanded]:has(.twisty:empty)', '.row:not([aria-expanded])']) {
      await tab.evaluate(() => scrollTo(0, 0))
      await tab.locator(row).first().tap()
      expect(await tab.textContent('#play')).toBe('Pause')
      // The timeline with the buttons below it.
      await expect.poll(async () => (await tab.locator('#time').boundingBox())?.y).toBeCloseTo(0, 0)
      expect((await tab.locator('#play').boundingBox())?.y).toBeLessThan(800)
      expect((await tab.locator('#told').boundingBox())?.width).toBeGreaterThan(100)
    }
  })

  test('can be read in a small window, also before the step that is shown', async () => {
    const { tab } = await open('#both', { viewport: { width: 1100, height: 650 }, reducedMotion: 'reduce' })
    expect(await smallLetters(tab)).toEqual([])
    await tab.click('#list button >> nth=0')
    const faded = tab.locator('#axis .ahead')
    expect(await faded.locator('text:not(:empty)').count()).toBeGreaterThan(3)
    const opacities = await faded
      .locator('text')
      .evaluateAll((all) =>
        all.flatMap((text) => [text, text.parentElement ?? text]).map((one) => getComputedStyle(one).opacity),
      )
    expect(new Set(opacities)).toEqual(new Set(['1']))
    for (const graph of Object.keys(NAMES)) {
      await tab.click(`#graphs a[href="#${graph}"]`)
      await tab.locator(`#graphs a[aria-current][href="#${graph}"]`).waitFor()
      await tab.click('#expand')
      const cut = await tab.locator('#tree').evaluate(async (tree) => {
        tree.style.height = `${tree.scrollHeight}px`
        tree.style.flex = 'none'
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        const words = [...tree.querySelectorAll('.words')]
        tree.removeAttribute('style')
        return words
          .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)
          .map((one) => one.textContent)
      })
      expect(cut).toEqual([])
    }
  })

  test('explains the signs of ends', async () => {
    const { tab } = await open('#session')
    await tab.click('text=Colors and signs')
    const key = (await tab.locator('#paths .key').allTextContents()).join(' ')
    await tab.click('#expand')
    const signs = await tab.locator('.row .dot:not(:empty)').allTextContents()
    expect(signs.filter((sign) => !key.includes(`${sign} `))).toEqual([])
    expect(new Set(signs).size).toBeGreaterThan(2)
  })

  test('tells in time when each bar begins, in the font of the page', async () => {
    const tab = await openTab({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await tab.route('**/inter.woff2', async (route) => {
      await isReleased
      await route.continue()
    })
    await tab.goto(`${page.url}#both`, { waitUntil: 'commit' })
    const names = tab.locator('#axis .name')
    const places = () => names.evaluateAll((all) => all.map((name) => name.getAttribute('x')))
    await names.first().waitFor({ state: 'attached' })
    const early = await places()
    release()
    await tab.waitForFunction(() => document.fonts.status === 'loaded')
    const late = await places()
    expect(late).not.toEqual(early)
    await tab.click('#list button >> nth=-2')
    await tab.click('#list button >> nth=-1')
    const ticks = await tab.locator('#axis .tick').allTextContents()
    expect(ticks.filter((text) => text !== '')).toEqual(['0s', '//', '5.3s', '5.3s', '//', '17.9s'])
    const before = await tab.evaluate(() => {
      const left = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().left ?? 0
      return left('#axis .now') - left('#axis .scroller')
    })
    expect(before).toBeGreaterThan(24)
    const width = () => tab.locator('#axis svg').getAttribute('width')
    const narrow = await width()
    await tab.setViewportSize({ width: 1200, height: 800 })
    await expect.poll(width).not.toBe(narrow)
    const resized = await width()
    await tab.reload()
    expect(await width()).toBe(resized)
  })

  test('shows both machines, and both sides on one axis', async () => {
    const { tab, lit } = await open('#both', { reducedMotion: 'reduce' })
    await tab.selectOption('#filter-end', { label: 'service: authorized' })
    await tab.selectOption('#filter-step', { label: 'response lost' })
    await tab.locator('.row.retrying:not([aria-expanded])').first().click()
    expect(await lit()).toBe('waiting.retrying')
    // The starts of the device, of its wait, of the service and of its undecided state.
    expect(await tab.locator('.entered > .dot').count()).toBe(4)
    expect(await lit(1)).toBe('authorized')
    expect(await tab.locator('#ends .chip').count()).toBe(2)
    const spans = await tab.locator('#axis g[data-index] > .name').allTextContents()
    expect(spans).toContain('retrying')
    expect(spans).toContain('authorized')
    expect(await tab.locator('#axis .outcome').last().textContent()).toBe('request lost')
  })

  test('can be used with the keyboard alone', async () => {
    const { tab, lit } = await open('#device')
    const { keyboard } = tab
    await tab.click('#expand')
    await tab.locator('#tree').focus()
    await keyboard.press('Home')
    const active = async () => tab.locator(`#${await tab.getAttribute('#tree', 'aria-activedescendant')}`)
    const level = async () => (await active()).getAttribute('aria-level')
    expect(await level()).toBe('1')
    await keyboard.press('ArrowRight')
    expect(await level()).toBe('2')
    await keyboard.press('ArrowDown')
    expect(await level()).toBe('3')
    for (let row = 3; row > 1 && (await level()) !== '2'; row -= 1) await keyboard.press('ArrowLeft')
    expect(await level()).toBe('2')
    await keyboard.press('End')
    expect(await (await active()).getAttribute('aria-selected')).toBe('true')
    await keyboard.press(' ')
    expect(await (await active()).isVisible()).toBe(true)
    await keyboard.press('Home')
    await keyboard.press('Enter')
    expect(await (await active()).getAttribute('aria-expanded')).toBe('false')
    await keyboard.press(' ')
    expect(await (await active()).getAttribute('aria-expanded')).toBe('true')
    await tab.locator('#list button').last().focus()
    await keyboard.press('Enter')
    expect(await lit()).toBeTruthy()
  })

  test('keeps a row near where it was clicked, and in sight of the keyboard', async () => {
    const { tab } = await open('#both', { viewport: { width: 1280, height: 640 }, reducedMotion: 'reduce' })
    await tab.click('#expand')
    const tree = tab.locator('#tree')
    const selected = async () => (await tab.locator('[aria-selected=true]').boundingBox())?.y ?? 0
    const low = await tree.evaluate(({ clientHeight }) => clientHeight - 20)
    await tree.click({ position: { x: 150, y: low } })
    expect(Math.abs((await selected()) - ((await tree.boundingBox())?.y ?? 0) - low)).toBeLessThan(80)
    await tab.evaluate(() => scrollTo(0, 0))
    await tab.keyboard.press('End')
    expect(await selected()).toBeLessThan(640 - 35)
  })

  test('has no axe violations on a desktop and on a phone', async () => {
    const { tab, toEnd } = await open('#both', { reducedMotion: 'reduce' })
    expect(await violations(tab)).toEqual([])
    await tab.click('#graphs a[href="#session"]')
    await tab.locator('#graphs a[aria-current][href="#session"]').waitFor()
    await tab.fill('#filter-words', 'connection lost')
    await tab.locator('[role=treeitem]').last().click()
    await toEnd()
    await tab.setViewportSize({ width: 390, height: 844 })
    expect(await scrollsSideways(tab)).toBe(false)
    expect(await violations(tab)).toEqual([])
  })

  test('stays below its size limit', () => {
    expect(gzipSync(page.files.get('/index.html') ?? '').byteLength).toBeLessThan(LARGEST)
  })
})
