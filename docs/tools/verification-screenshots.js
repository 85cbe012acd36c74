// Takes the screenshots of the verification page in docs/images/verification: node docs/tools/verification-screenshots.js
import { resolve } from 'node:path'
import { runnerImport } from 'vite'
import { extractGuides } from '../../build/extract-guides.js'
import { takePictures } from './take-pictures.js'

const root = resolve(import.meta.dirname, '../..')
const service = resolve(root, 'src/service/index.ts')
const load = async (file) =>
  (await runnerImport(resolve(root, file), { resolve: { alias: { 'authgraph/service': service } } })).module
const { defaultPage } = await load('src/service/page/branded-page.ts')
const { samples } = await load('src/testing/page-samples.ts')
extractGuides()
const { page: acme } = await load('test/guides/brand-the-page/page.ts')
const { sunnyPage: fernbank } = await load('test/service/pages/brands.ts')

const states = {
  enter: 'an empty field',
  confirm: 'a request',
  typed: 'a code that must be typed',
  opened: 'a code that is open somewhere else',
}
const confirm = { confirm: 'a request' }
const atAcme = { host: 'login.acme.example', client: 'Acme CLI', scopes: ['orders:read', 'orders:admin'] }

/** Each page with the states to show, by the beginning of the file's name, and what differs from the samples. */
const pages = [
  { prefix: '', page: defaultPage, states },
  { prefix: 'landing-', page: defaultPage, states: confirm, tall: 600 },
  { prefix: 'acme-', page: acme, states: confirm, differs: atAcme },
  { prefix: 'acme-arabic-', page: acme, states: confirm, differs: { ...atAcme, languages: ['ar-EG'] } },
  {
    prefix: 'fernbank-',
    page: fernbank,
    states: { enter: 'an empty field' },
    differs: { host: 'id.fernbank.example' },
  },
]

await takePictures('verification', { phone: { width: 390, height: 844 } }, async (tab, keep) => {
  for (const { prefix, page, states, differs, tall } of pages) {
    for (const [name, state] of Object.entries(states)) {
      // A new document for each, because the field takes the focus only once.
      await tab.goto('about:blank')
      await tab.setContent(page({ ...samples[state], ...differs }))
      const { width, height } = tab.viewportSize()
      const whole = tall ?? (await tab.evaluate('document.documentElement.scrollHeight'))
      await tab.setViewportSize({ width, height: whole })
      const card = await tab.locator('main').boundingBox()
      const clip = { ...card, height: Math.min(card.height, whole - card.y) }
      keep(await tab.screenshot({ caret: 'hide', clip }), prefix + name)
      await tab.setViewportSize({ width, height })
    }
  }
})
