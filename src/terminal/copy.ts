import { writeText } from 'tinyclip'
import type { TerminalTexts } from './texts.ts'
import { isSsh } from './why-no-browser.ts'

/**
 * Copies a text to the clipboard. Over SSH, and without a clipboard, asks the terminal to copy it.
 *
 * @returns A sentence that describes the result.
 * @see {@link https://invisible-island.net/xterm/ctlseqs/ctlseqs.html XTerm control sequences}, OSC 52
 */
export async function copy(text: string, stream: NodeJS.WriteStream, texts: TerminalTexts): Promise<string> {
  try {
    if (isSsh(process.env)) throw new Error('the clipboard of another machine')
    await writeText(text)
    return texts.copied
  } catch {
    if (!stream.isTTY) return texts.noClipboard
    stream.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`)
    return texts.askedToCopy
  }
}
