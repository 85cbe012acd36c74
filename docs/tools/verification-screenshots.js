// Takes the screenshots of the verification page in docs/images/verification: node docs/tools/verification-screenshots.js
import { resolve } from 'node:path'
import { runnerImport } from 'vite'
import { takePictures } from './take-pictures.js'

const root = resolve(import.meta.dirname, '../..')
const { module: pages } = await runnerImport(resolve(root, 'src/service/pages/default-page.ts'))
const { module: states } = await runnerImport(resolve(root, 'test/service/pages/samples.ts'))

/** With `--all <folder>`, every state; otherwise the ones in the documentation. */
const all = process.argv[2] === '--all'
const folder = all ? resolve(process.argv[3]) : 'verification'
const shown = all
  ? Object.fromEntries(Object.keys(states.samples).map((name) => [name.replaceAll(' ', '-'), name]))
  : { enter: 'an empty field', confirm: 'a request', done: 'an approval', refused: 'an expired code' }
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }

await takePictures(folder, screens, async (page, keep) => {
  for (const [name, state] of Object.entries(shown)) {
    // A new document for each, because the field takes the focus only once.
    await page.goto('about:blank')
    await page.setContent(pages.defaultPage(states.samples[state]))
    keep(await page.screenshot({ fullPage: true, caret: 'hide' }), name)
  }
})
