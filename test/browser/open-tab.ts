import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** Pixels of the smallest letters that can be read. */
const SMALLEST = 12

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

/** The texts whose letters are too small to read, as they are drawn. */
export function smallLetters(tab: Page): Promise<string[]> {
  return tab.evaluate((smallest) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const small: string[] = []
    while (texts.nextNode()) {
      const { parentElement, textContent } = texts.currentNode
      if (parentElement === null || textContent?.trim() === '' || !parentElement.checkVisibility()) continue
      if (parentElement.closest('script, style, title, desc, .unseen')) continue
      const svg = parentElement.closest('svg')
      const scale = svg?.getScreenCTM()?.a ?? 1
      const size = Number.parseFloat(getComputedStyle(parentElement).fontSize) * scale
      if (size < smallest - 0.01) small.push(`${size}: ${textContent}`)
    }
    return small
  }, SMALLEST)
}
