import { resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { serveBuiltPage } from '../support/built-page.ts'
import { launchChromium } from '../support/chromium.ts'

/** Pixels of the smallest letters that can be read. */
const SMALLEST = 12

/** Milliseconds to build a page: the paths of the explorer are generated. */
const SLOW = 300_000

/** A browser for the tests of a `describe`. */
export function inChromium(more?: readonly string[]) {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium(more)
  })
  afterAll(() => browser?.close())

  /** Opens a tab until the test ends. */
  async function newTab(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    return context.newPage()
  }

  /** The same for a page that must report no error. */
  async function openTab(options: BrowserContextOptions = {}): Promise<Page> {
    const problems: string[] = []
    // Before the tab is closed, more may arrive.
    onTestFinished(() => expect(problems).toEqual([]))
    const tab = await newTab(options)
    tab.on('pageerror', ({ message }) => problems.push(message))
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    return tab
  }

  return { newTab, openTab }
}

/** A page of the documentation, which is built and served for the tests of a `describe`. */
export function served(folder: string) {
  const page = {} as Awaited<ReturnType<typeof serveBuiltPage>>
  beforeAll(async () => {
    Object.assign(page, await serveBuiltPage(resolve(import.meta.dirname, '../..', folder)))
  }, SLOW)
  afterAll(() => page.close?.())
  return page
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
