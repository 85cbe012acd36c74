import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { renderToString } from 'react-dom/server'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ENTRIES } from '../../build/entries.js'
import { hasChromium, IN_CHROMIUM } from '../support/chromium.ts'
import { CODES_PATH, startService, TOKEN_PATH } from '../support/start-service.ts'
import { inChromium } from './open-tab.ts'
import { App } from './react/app.tsx'

describe.skipIf(!hasChromium)(`useDeviceLogin on a page that a server rendered, ${IN_CHROMIUM}`, () => {
  const { openTab } = inChromium()
  let script = ''

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('react/hydrate.tsx', import.meta.url))],
      alias: Object.fromEntries(ENTRIES.map(({ name, source }) => [name, `./${source}`])),
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      logLevel: 'error',
      write: false,
    })
    script = outputFiles[0]?.text ?? ''
  })

  /** Opens the page on the origin of a service, and starts a login. A difference to the HTML would fail the test. */
  async function start() {
    const service = startService({ clients: [{ clientId: 'id', name: 'App' }] })
    const { url, close } = await service.listen()
    onTestFinished(close)
    const tab = await openTab()
    const body = `<script type="module" src="/page.js"></script><body>${renderToString(<App />)}</body>`
    await tab.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body }))
    await tab.route(`${url}/page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    )
    const sent: string[] = []
    tab.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
    await tab.clock.install()
    await tab.goto(url)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    const code = (await tab.locator('code').textContent()) ?? ''
    return { tab, sent, approve: () => service.approve(code, 'octocat') }
  }

  test('requests one code in StrictMode, and gets the token', async () => {
    const { tab, sent, approve } = await start()
    await approve()
    await tab.clock.runFor(6000)
    await tab.getByText('Authorized.').waitFor()
    await tab.getByText('Scopes: 0').waitFor()
    expect(sent).toEqual([CODES_PATH, TOKEN_PATH])
  })
})
