import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** Opens a tab until the test ends, which fails if the page has reported an error. */
export async function openTab(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  const tab = await context.newPage()
  const problems: string[] = []
  tab.on('pageerror', ({ message }) => problems.push(message))
  tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })
  return tab
}

/** Whether the page is wider than the window. */
export function scrollsSideways(tab: Page): Promise<boolean> {
  return tab.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
}
