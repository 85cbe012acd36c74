import { chromium as playwright } from 'playwright-core'
import { build, preview } from 'vite'
import { run } from '../command.js'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** A page of a website, as Vite builds and serves it. */
export const chromium = {
  name: 'Chromium',
  async version(folder) {
    const printed = await run(executablePath, ['--version'], folder)
    return printed.split(' ')[1] ?? ''
  },
  async run(folder) {
    const site = { root: folder, logLevel: 'error', build: { outDir: 'dist-chromium' } }
    await build(site)
    const server = await preview({ ...site, preview: { host: '127.0.0.1', port: 0 } })
    // As root in a container, the sandbox is not available.
    const browser = await playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const page = await browser.newPage()
      const printed = await printedBy(page)
      await page.goto(server.resolvedUrls.local[0])
      const checks = await page.evaluate(() => globalThis.checks)
      return [...printed, JSON.stringify(checks)].join('\n')
    } finally {
      await browser.close()
      await server.close()
    }
  },
}

/** What the console shows: an object with its private fields, not only its text. */
async function printedBy(page) {
  const printed = []
  const session = await page.context().newCDPSession(page)
  session.on('Runtime.consoleAPICalled', ({ args }) => printed.push(JSON.stringify(args)))
  await session.send('Runtime.enable')
  return printed
}
