import { spawn } from 'node:child_process'
import { type NoBrowser, whyNoBrowser } from './why-no-browser.ts'

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' }

/** Opens a web address in the browser of the user. Returns why it cannot, and nothing if it tries. */
export function openBrowser(address: string): NoBrowser | undefined {
  // Anything else could be an option, or a program.
  if (!/^https?:\/\//i.test(address)) throw new TypeError('not a web address')
  const why = whyNoBrowser()
  if (why) return why
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [address], {
    detached: true,
    stdio: 'ignore',
  })
  // Without a browser, the user still sees the address on the screen.
  opener.on('error', () => undefined)
  opener.unref()
  return undefined
}
