// Takes the pictures of the verification page in docs/images/verification: npm run screenshots
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { runnerImport } from 'vite'
import { writePng } from './write-png.js'

const root = resolve(import.meta.dirname, '../..')
const { module: pages } = await runnerImport(resolve(root, 'src/service/pages/default-page.ts'))
const { module: states } = await runnerImport(resolve(root, 'test/service/pages/samples.ts'))

/** All states with `--all <folder>`; else those that the documentation shows. */
const all = process.argv[2] === '--all'
const folder = all ? process.argv[3] : resolve(root, 'docs/images/verification')
const shown = all
  ? Object.fromEntries(Object.keys(states.samples).map((name) => [name.replaceAll(' ', '-'), name]))
  : { enter: 'an empty field', confirm: 'a request', done: 'an approval', refused: 'an expired code' }
const devices = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})
for (const [device, viewport] of Object.entries(devices)) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ viewport, colorScheme })
    for (const [name, state] of Object.entries(shown)) {
      // A document of its own for each: the field takes the focus once.
      await page.goto('about:blank')
      await page.setContent(pages.defaultPage(states.samples[state]))
      const path = resolve(folder, `${name}-${device}-${colorScheme}.png`)
      writePng(path, await page.screenshot({ fullPage: true, caret: 'hide' }))
    }
    await page.close()
  }
}
await browser.close()
