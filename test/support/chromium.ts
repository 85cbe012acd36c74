import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Whether there is a browser to test in. */
export const hasChromium = existsSync(executablePath)

/** What a test says that is skipped without one. */
export const IN_CHROMIUM = hasChromium ? 'in Chromium' : `skipped: there is no Chromium at ${executablePath}`

/**
 * Starts Chromium without a window. As root, in a container, there is no sandbox to be had.
 *
 * @param more Arguments of this browser alone.
 */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--disable-dev-shm-usage',
      ...more,
    ],
  })
}
