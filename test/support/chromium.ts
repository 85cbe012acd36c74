import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Whether a browser is installed. */
export const hasChromium = existsSync(executablePath)

/** The message of tests that are skipped without one. */
export const IN_CHROMIUM = hasChromium ? 'in Chromium' : `skipped: there is no Chromium at ${executablePath}`

/**
 * Starts headless Chromium. As root in a container, its sandbox is not available.
 *
 * @param more Additional arguments.
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
