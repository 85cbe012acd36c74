// Takes the screenshots of the site in docs/images/site. Build it first with `npm run docs`: node docs/tools/site-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const site = resolve(import.meta.dirname, '../site')
const pages = { start: 'index.html', guide: 'documents/Get_a_token_in_a_command-line_program.html' }
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } }
/** Milliseconds. */
const RECORDED = 9000

await takePictures('site', screens, async (page, keep) => {
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(String(pathToFileURL(resolve(site, address))), { waitUntil: 'load' })
    await page.locator('.tsd-navigation a').first().waitFor({ state: 'attached' })
    // By then the recording shows its code.
    await page.waitForTimeout(RECORDED)
    keep(await page.screenshot(), name)
  }
})
