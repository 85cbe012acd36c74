import { spawn } from 'node:child_process'

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' }

/** Opens a web address in the browser of the user. Returns `false` without a display. */
export function openBrowser(address: string): boolean {
  if (!/^https?:\/\//i.test(address) || !hasDisplay()) return false
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [address], {
    detached: true,
    stdio: 'ignore',
  })
  // Without a browser, the user still sees the address on the screen.
  opener.on('error', () => undefined)
  opener.unref()
  return true
}

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  return process.platform in OPENERS || Boolean(DISPLAY || WAYLAND_DISPLAY)
}
