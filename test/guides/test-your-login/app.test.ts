import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'authgraph/testing/vitest'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const hasChromium = existsSync(executablePath)

let browser: Browser
let app: string

beforeAll(async () => {
  if (!hasChromium) return
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
    ],
  })
  // Replace this with your own bundler.
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('app.tsx', import.meta.url))],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
    write: false,
  })
  app = outputFiles[0]?.text ?? ''
}, 60_000)

afterAll(() => browser?.close())

describe.skipIf(!hasChromium)(
  `a user of the page, in ${executablePath}`,
  { timeout: 30_000 },
  () => {
    // A browser has its own clock, so the sandbox runs in real time with a
    // short interval.
    test.override({ sandboxOptions: { time: 'real', interval: 1 } })

    test.for([
      ['Approve', 'Authorized.'],
      ['Deny', 'The request was denied.'],
    ] as const)(
      'presses %s, and the page says "%s"',
      async ([button, text], { sandbox }) => {
        const url = await sandbox.listen()
        const context = await browser.newContext()
        const page = await context.newPage()
        await page.route(`${url}/`, (route) =>
          route.fulfill({
            contentType: 'text/html',
            body: '<body></body><script type="module" src="app.js"></script>',
          }),
        )
        await page.route(`${url}/app.js`, (route) =>
          route.fulfill({ contentType: 'text/javascript', body: app }),
        )
        await page.goto(url)
        await page.getByRole('button', { name: 'Sign in' }).click()

        const address = await page.getByRole('link').getAttribute('href')
        const verification = await context.newPage()
        await verification.goto(address ?? '')
        await verification.getByRole('button', { name: 'Continue' }).click()
        await verification.getByRole('button', { name: button }).click()

        await page.getByText(text).waitFor()
        expect(
          sandbox.requests.filter(({ outcome }) => outcome === 'slow_down'),
        ).toEqual([])
        await context.close()
      },
    )
  },
)
