// Takes the screenshots of the live page in docs/images/live. Build it first with `vite build docs/live`: node docs/tools/live-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = String(pathToFileURL(resolve(import.meta.dirname, '../live/dist/index.html')))
const phone = { width: 390, height: 844 }

/** Milliseconds between two looks at the page, and until it has come to rest. */
const STEP = 50
const SETTLED = 700

await takePictures('live', { phone, desktop: { width: 1280, height: 800 } }, async (page, keep) => {
  await start(page, '')
  await until(page, '#device-picture .active[data-state="waiting.pending"]')
  const phone = page.frameLocator('#phone-page')
  await phone.locator('input.code').fill(await page.textContent('#user-code'))
  await phone.getByRole('button', { name: 'Continue' }).click()
  await phone.getByRole('button', { name: 'Approve' }).waitFor()
  // Until the third poll has the same response.
  await until(page, '#exchanges .at:has-text("×3")')
  await until(page, '#device-picture .active[data-state="waiting.pending"]')
  await settled(page)
  await page.evaluate(() => scrollTo(0, 0))
  keep(await page.screenshot())
})
// The timeline of two processes, as wide as text.
await takePictures('live', { phone, desktop: { width: 744, height: 800 } }, async (page, keep) => {
  await start(page, '#refresh')
  await until(page, '#second-picture .active[data-state="signedIn"]')
  await page.click('[data-act=need]')
  await until(page, '#second-token:has-text("no. 2")')
  await settled(page)
  await page.addStyleTag({ content: '#time .now { display: none } .scroller { mask: none !important }' })
  keep(await page.locator('#time').screenshot(), 'share')
})

/** Time passes only in `until` and `runFor`: pictures in light and dark show the same moment. */
async function start(page, hash) {
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1000)
  await page.goto(built + hash)
  await page.click('#start')
}

/** Waits for what takes the time of the page, and for what takes that of the browser. */
async function settled(page) {
  await page.clock.runFor(SETTLED)
  await page.waitForTimeout(SETTLED)
}

async function until(page, selector) {
  while ((await page.locator(selector).count()) === 0) await page.clock.runFor(STEP)
}
