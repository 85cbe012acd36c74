import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' }

/** Opens an address in the browser of the person at this terminal; does nothing where there is no display. */
export function openBrowser(address: string): void {
  if (!process.stdout.isTTY || !hasDisplay()) return
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [address], {
    detached: true,
    stdio: 'ignore',
  })
  // The address stands on the screen as well: nothing is lost where there is no browser.
  opener.on('error', () => undefined)
  opener.unref()
}

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  return process.platform in OPENERS || Boolean(DISPLAY || WAYLAND_DISPLAY)
}
