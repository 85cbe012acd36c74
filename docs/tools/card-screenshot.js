// Takes docs/images/card-light.png, which links to the site show. Build the page first with `vite build docs/break`: node docs/tools/card-screenshot.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = pathToFileURL(resolve(import.meta.dirname, '../break/dist/index.html'))

await takePictures('.', { card: { width: 1200, height: 630 } }, async (page, keep) => {
  if (await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) return
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${built}#break=lost`)
  await page.locator('#live:not(:empty)').waitFor()
  keep(await page.screenshot())
})
