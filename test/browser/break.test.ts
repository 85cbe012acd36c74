import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { SHOWN } from '../../docs/break/card.ts'
import { LANES } from '../../docs/break/faults.ts'
import { readOutcomes } from '../../docs/break/outcomes.ts'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { violations } from './axe.ts'
import { inChromium, scrollsSideways, served, smallLetters } from './open-tab.ts'

const root = resolve(import.meta.dirname, '../..')
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const RUNS = SHOWN.length * LANES.length * 2

describe.skipIf(!hasChromium)(`break a login, ${IN_CHROMIUM}`, () => {
  const { openTab } = inChromium()
  const page = served('docs/break')

  /** Opens the page, with an address such as `#break=503`. */
  async function open(address = '', options: BrowserContextOptions = {}): Promise<Page> {
    const tab = await openTab({ viewport: DESK, reducedMotion: 'reduce', ...options })
    await tab.goto(`${page.url}${address}`)
    return tab
  }

  const title = (tab: Page) => tab.locator('#title').textContent()
  const bottomOf = async (tab: Page, selector: string) => {
    const box = await tab.locator(selector).boundingBox()
    return (box?.y ?? 0) + (box?.height ?? 0)
  }

  test('runs all clients as the build did, and marks each fault as the table of the guide', async () => {
    const tab = await open()
    await tab.locator('#live', { hasText: `${RUNS} of ${RUNS}` }).waitFor()
    const outcomes = readOutcomes(readFileSync(resolve(root, 'docs/guides/why.md'), 'utf8'))
    for (const [care, column] of (['plain', 'careful'] as const).entries()) {
      await tab.locator('#care a').nth(care).click()
      await tab.locator(`#care [aria-current]:nth-child(${care + 1})`).waitFor()
      const marks = await tab
        .locator('#faults .marks')
        .evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-label')))
      const expected = SHOWN.map(({ row }) =>
        LANES.map((lane) => `${lane.name}: ${outcomes.get(row)?.get(lane[column])}`).join(', '),
      )
      expect(marks).toEqual(expected)
    }
  })

  test.each([
    ['desk', DESK],
    ['phone', PHONE],
  ])(
    'has no axe violations on a %s, does not scroll sideways, and ends above the fold',
    async (_, viewport) => {
      const tab = await open('', { viewport })
      expect(await bottomOf(tab, '#picture')).toBeLessThan(viewport.height)
      for (const { id } of SHOWN) {
        await tab.locator(`#faults [href="#break=${id}"]`).click()
        await tab.locator(`#faults [href="#break=${id}"][aria-current]`).waitFor()
        expect(await scrollsSideways(tab)).toBe(false)
        expect(await smallLetters(tab)).toEqual([])
      }
      expect(await violations(tab)).toEqual([])
    },
  )

  test('opens with the fault and the care of its address', async () => {
    const tab = await open('#break=restart&care=1')
    expect(await title(tab)).toBe('The process restarts. Is the code still valid?')
    expect(await tab.locator('#care [aria-current]').textContent()).toBe('with safeguards')
    expect(await tab.locator('#picture .retrying.late').count()).toBe(1)
    for (const viewport of [DESK, PHONE]) {
      await tab.setViewportSize(viewport)
      expect(await tab.locator('#picture text', { hasText: 'stopped' }).count()).toBe(LANES.length)
    }
    await tab.locator('#faults [href*=lid]').click()
    await tab.locator('#picture text', { hasText: 'Not to scale' }).waitFor()
    await tab.locator('#faults [href*=html]').click()
    // On a phone, a bar has no room for a long error.
    await tab.locator('#errors:visible', { hasText: "Cannot use 'in' operator to search" }).waitFor()
  })

  test('has a skip link to the picture, which keeps its fault', async () => {
    const tab = await open('#break=restart')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('stage')
    expect(await title(tab)).toBe('The process restarts. Is the code still valid?')
  })

  test('plays one fault after the other, until the user chooses one or points at the picture', async () => {
    const tab = await open('', { reducedMotion: 'no-preference' })
    const first = SHOWN[0]?.title ?? ''
    const end = () =>
      tab.evaluate(() => {
        for (const animation of document.getAnimations())
          if (animation.playState === 'running') animation.finish()
      })
    await tab.locator('#picture').hover()
    await end()
    expect(await title(tab)).toBe(first)
    await tab.mouse.move(0, 0)
    await end()
    await expect.poll(() => title(tab)).toBe(SHOWN[1]?.title)
    await tab.locator('#faults [href="#break=lost"]').click()
    await expect.poll(() => title(tab)).toBe(first)
    await end()
    await tab.waitForFunction(() => document.getAnimations().length === 0)
    expect(await title(tab)).toBe(first)
  })

  test('has its first picture without a script, and at most 250 kB', async () => {
    const tab = await open('', { javaScriptEnabled: false })
    expect(await title(tab)).toBe(SHOWN[0]?.title)
    expect(await tab.locator('#picture svg:visible').count()).toBe(1)
    expect(gzipSync(String(page.files.get('/index.html'))).length).toBeLessThan(250_000)
  })
})
