import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { writePng } from './write-png.js'

/**
 * Opens a new page in Chromium for each screen, light and dark, and has its pictures taken.
 *
 * @param {string} folder Where the pictures go, below `docs/images` unless it is absolute.
 * @param {Record<string, import('playwright-core').BrowserContextOptions['viewport']>} screens By name. Pixels.
 * @param {(page: import('playwright-core').Page, keep: (picture: Buffer, name?: string) => void) => Promise<void>} take
 *   Gives each picture to `keep`, which names it after what it shows, where that is said, the screen, and the colours.
 */
export async function takePictures(folder, screens, take) {
  const place = resolve(import.meta.dirname, '../images', folder)
  mkdirSync(place, { recursive: true })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const page = await browser.newPage({ viewport, colorScheme })
      await take(page, (picture, name) => {
        const file = [...(name === undefined ? [] : [name]), screen, colorScheme].join('-')
        writePng(resolve(place, `${file}.png`), picture)
      })
      await page.close()
    }
  }
  await browser.close()
}
