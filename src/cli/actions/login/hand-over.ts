import type { ShownCodes } from '../../../client/options.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import type { Report } from '../../terminal/report.ts'

/** Copies the code to the clipboard, and says how it went. */
export async function copyCode(
  { userCode }: ShownCodes,
  { report, stream }: { readonly report: Report; readonly stream: NodeJS.WriteStream },
): Promise<void> {
  const { copy } = await import('../../terminal/copy.ts')
  const message = await copy(userCode, stream)
  report.say({ event: 'copy', message }, message)
}

/** Opens the address in the browser, and says which, or that there is none. */
export function openAddress(
  { verificationUriComplete, verificationUri }: ShownCodes,
  { report }: { readonly report: Report },
): void {
  const address = verificationUriComplete ?? verificationUri
  const message = openBrowser(address)
    ? `Opening ${address}`
    : 'There is no browser here: open the address on another device.'
  report.say({ event: 'open', message }, message)
}
