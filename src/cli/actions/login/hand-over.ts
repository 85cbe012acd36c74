import type { ShownCodes } from '../../../client/options.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import type { LoginSession } from './login-session.ts'

/** Copies the code to the clipboard and reports the result. */
export async function copyCode({ userCode }: ShownCodes, { report, stream }: LoginSession): Promise<void> {
  const { copy } = await import('../../terminal/copy.ts')
  const message = await copy(userCode, stream)
  report.say({ event: 'copy', message }, message)
}

/** Opens the address in the browser and reports the result. */
export function openAddress(
  { verificationUriComplete, verificationUri }: ShownCodes,
  { report }: LoginSession,
): void {
  const address = verificationUriComplete ?? verificationUri
  const message = openBrowser(address)
    ? `Opening ${address}`
    : 'No browser available: open the address on another device.'
  report.say({ event: 'open', message }, message)
}
