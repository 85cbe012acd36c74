// Takes the screenshots of the live page in docs/images/live. Build it first with `vite build docs/live`: node docs/tools/live-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = pathToFileURL(resolve(import.meta.dirname, '../live/dist/index.html'))
const screens = { phone: { width: 390, height: 1350 }, desktop: { width: 1440, height: 1460 } }

await takePictures('live', screens, async (page, keep) => {
  await page.goto(String(built))
  // At five times the speed, until the third poll has its response.
  await page.fill('#speed', '2')
  await page.click('#start')
  await page.locator('#device-picture .active[data-state="waiting.pending"]').waitFor()
  await page.fill('#code', await page.textContent('#user-code'))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('#exchanges .exchange:nth-child(4) .response').waitFor()
  await page.locator('#device-picture .active[data-state="waiting.pending"]').waitFor()
  keep(await page.screenshot())
})
