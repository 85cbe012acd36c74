// Takes the screenshots of the live page in docs/images/live. Build it first with `vite build docs/live`: node docs/tools/live-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = pathToFileURL(resolve(import.meta.dirname, '../live/dist/index.html'))
const desktop = { width: 1280, height: 800 }
const screens = {
  phone: { width: 390, height: 844 },
  desktop,
  laptop: { width: 1440, height: 900 },
  wide: { width: 1920, height: 1080 },
}

await takePictures('live', screens, async (page, keep) => {
  await page.goto(String(built))
  // At five times the speed, until the third poll has the same response.
  await page.click('#start')
  await page.locator('#device-picture .active[data-state="waiting.pending"]').waitFor()
  await page.fill('#code', await page.textContent('#user-code'))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('#exchanges .at', { hasText: '×3' }).waitFor()
  await page.locator('#device-picture .active[data-state="waiting.pending"]').waitFor()
  // The next poll waits until the screenshot is taken.
  await page.fill('#speed', '0')
  await settled(page)
  await page.evaluate(() => scrollTo(0, 0))
  keep(await page.screenshot())
})

await takePictures('live', { desktop }, async (page, keep) => {
  await page.goto(`${built}#refresh`)
  await page.click('#start')
  await page.locator('#second-picture .active[data-state="signedIn"]').waitFor()
  await page.click('[data-once="lose"]')
  await page.click('[data-act="need"]')
  await page.locator('#second-token', { hasText: 'no. 2' }).waitFor()
  // Back to the moment that matters.
  await page.focus('#moment')
  while (!(await page.textContent('#caption')).startsWith('The response was lost'))
    await page.keyboard.press('ArrowLeft')
  await page.locator('#moment').blur()
  await settled(page)
  keep(await page.screenshot(), 'refresh')
})

/** Waits until the frames have followed the machines. */
async function settled(page) {
  await page.waitForTimeout(700)
}
