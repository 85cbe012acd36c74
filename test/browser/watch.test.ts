import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { watchedFlow } from '../support/watched-flow.ts'
import { violations } from './axe.ts'
import { inChromium, scrollsSideways } from './open-tab.ts'

/** Milliseconds for tests, including the start of the browser. */
const SLOW = 60_000

describe.skipIf(!hasChromium)(`the page of --watch, ${IN_CHROMIUM}`, { timeout: SLOW }, () => {
  const { openTab } = inChromium()

  async function open(options: BrowserContextOptions = {}) {
    const flow = await watchedFlow()
    onTestFinished(flow.close)
    const tab = await openTab({ viewport: { width: 1440, height: 1000 }, ...options })
    await tab.goto(flow.address)
    return {
      flow,
      tab,
      lit: (state: string) => tab.locator(`#device-picture .state.active[data-state="${state}"]`).waitFor(),
      says: (words: string) => tab.locator('#connection', { hasText: words }).waitFor(),
      violations: () => violations(tab),
    }
  }

  test('shows the active state and the result of the login in the terminal', async () => {
    const { flow, tab, lit, says } = await open()
    await says('Following your terminal.')
    flow.actor.start()
    await flow.reach('pending')
    await lit('waiting.pending')
    expect(await tab.textContent('#user-code')).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    expect(await tab.textContent('#address')).toBe('https://login.example/login/device')
    expect(await tab.locator('#ring-life text').textContent()).toMatch(/^1[45]m$/)
    await flow.decide('approve')
    await flow.reach('settled')
    await lit('authorized')
    await says('The login has ended. Authorized.')
    expect(await tab.textContent('#announcer')).toBe('The login has ended. Authorized.')
    expect(await tab.locator('#transitions .transition').allTextContents()).toEqual([
      'polling to authorized',
      'waiting to polling',
      'polling to waiting.pending',
      'waiting to polling',
      'requesting to waiting.requested',
      'starting to requesting',
    ])
    expect(await tab.locator('#exchanges .exchange').count()).toBe(3)
    expect(await tab.locator('#device-picture .arrow.walked').count()).toBe(5)
    const html = await tab.content()
    for (const secret of flow.secrets) expect(html.includes(secret)).toBe(false)
  })

  test('shows the past to a page opened late, only goes back in time, and connects only to the command', async () => {
    const { flow, tab, lit } = await open()
    const asked: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    flow.actor.start()
    await flow.reach('pending')
    // A page that is opened late shows the past events.
    await tab.reload()
    await lit('waiting.pending')
    expect(await tab.locator('#transitions .transition').count()).toBe(4)
    const controls = tab.locator('button, input, form, a')
    expect(await controls.evaluateAll((all) => all.map(({ id }) => id))).toEqual(['now', 'moment'])
    await tab.focus('#moment')
    await tab.keyboard.press('Home')
    await lit('requesting')
    await tab.getByRole('button', { name: 'Show the latest' }).click()
    await lit('waiting.pending')
    // The stream may be requested again after the reload interrupted it.
    expect(new Set(asked.filter((url) => !url.startsWith('data:')))).toEqual(
      new Set([flow.address, `${flow.address}events`]),
    )
  })

  test('reports that the command stopped before the login ended', async () => {
    const { flow, lit, says } = await open()
    flow.actor.start()
    await flow.reach('pending')
    await lit('waiting.pending')
    flow.actor.stop()
    await flow.close()
    await says('The login has ended. Stopped.')
  })

  test('has no axe violations, on a desktop before the decision and on a phone after it', async () => {
    const { flow, tab, lit, says, violations } = await open({ reducedMotion: 'reduce' })
    flow.actor.start()
    await flow.reach('pending')
    await lit('waiting.pending')
    expect(await violations()).toEqual([])
    await tab.setViewportSize({ width: 390, height: 900 })
    await flow.decide('deny')
    await flow.reach('settled')
    await says('The login has ended.')
    expect(await violations()).toEqual([])
    expect(await scrollsSideways(tab)).toBe(false)
  })
})
