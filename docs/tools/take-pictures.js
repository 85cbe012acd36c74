import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'

/**
 * Opens a new page in Chromium for each screen, light and dark, and takes its screenshots.
 *
 * @param {string} folder Output folder, relative to `docs/images` unless absolute.
 * @param {Record<string, import('playwright-core').BrowserContextOptions['viewport']>} screens By name. Pixels.
 * @param {(page: import('playwright-core').Page, keep: (picture: Buffer, name?: string) => void) => Promise<void>} take
 *   Passes each screenshot to `keep`, which names the file after `name` (if given), the screen and the colour scheme.
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
      // The picture of a wide screen is shown at half of its size.
      const deviceScaleFactor = viewport.width < 1200 ? 2 : 1
      const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor })
      await take(page, (picture, name) => {
        const file = [...(name === undefined ? [] : [name]), screen, colorScheme].join('-')
        writePng(resolve(place, `${file}.png`), picture)
      })
      await page.close()
    }
  }
  await browser.close()
}

/** Writes a picture with a palette, which is enough for a page of few colours, and a quarter of the size. */
function writePng(path, picture) {
  const options = '-strip +dither -colors 64 -define png:compression-level=9'.split(' ')
  execFileSync('convert', ['png:-', ...options, `PNG8:${path}`], { input: picture })
}
