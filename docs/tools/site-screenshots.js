// Takes the pictures of the site in docs/images/site. Make it first with `npm run docs`: node docs/tools/site-screenshots.js
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { writePng } from './write-png.js'

const docs = resolve(import.meta.dirname, '..')
const folder = resolve(docs, 'images/site')
const pages = { start: 'index.html', guide: 'documents/Get_a_token_in_a_command-line_program.html' }
const devices = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } }
/** Milliseconds. */
const RECORDED = 9000

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})
for (const [device, viewport] of Object.entries(devices)) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport, colorScheme })
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(String(pathToFileURL(resolve(docs, 'site', address))), { waitUntil: 'load' })
      await page.locator('.tsd-navigation a').first().waitFor({ state: 'attached' })
      // The recording has shown its code by then.
      await page.waitForTimeout(RECORDED)
      writePng(resolve(folder, `${name}-${device}-${colorScheme}.png`), await page.screenshot())
    }
    await page.close()
  }
}
await browser.close()
