// Takes the screenshots of the explorer of the paths in docs/images/explorer. Build it first with `vite build docs/explorer`: node docs/tools/explorer-screenshots.js
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { takePictures } from './take-pictures.js'

const built = pathToFileURL(resolve(import.meta.dirname, '../explorer/dist/index.html'))
const screens = { '1280x800': { width: 1280, height: 800 } }
/** Milliseconds until the machine has come to rest. */
const RESTS = 900

await takePictures('explorer', screens, async (page, keep) => {
  await page.goto(`${built}#both`)
  await page.waitForTimeout(RESTS)
  keep(await page.screenshot(), 'both')
})
