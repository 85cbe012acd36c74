// Takes the pictures of the pages in docs/images: of the explorer, and the card that links to the site show. Build both first with `vite build`: node docs/tools/page-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = (page) => pathToFileURL(resolve(import.meta.dirname, `../${page}/dist/index.html`))
/** Milliseconds until the machine has come to rest. */
const RESTS = 900

const screens = { desktop: { width: 1160, height: 810 }, phone: { width: 390, height: 844 } }
await takePictures('explorer', screens, async (page, keep) => {
  await page.goto(`${built('explorer')}#both`)
  await page.waitForTimeout(RESTS)
  await page.addStyleTag({ content: '.buttons { display: none }' })
  const { width, height } = page.viewportSize()
  const stage = await page.locator('#stage').boundingBox()
  // Without the head, the tree and the buttons. On a phone the other parts are above and below.
  const clip = width < 600 ? stage : { ...stage, width: width - stage.x, height: height - stage.y }
  keep(await page.screenshot({ clip, fullPage: width < 600 }), 'both')
})
await takePictures('.', { card: { width: 1200, height: 630 } }, async (page, keep) => {
  if (await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) return
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${built('break')}#break=lost`)
  await page.locator('#live:not(:empty)').waitFor()
  keep(await page.screenshot())
})
