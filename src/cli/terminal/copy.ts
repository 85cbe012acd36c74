import { writeText } from 'tinyclip'

/**
 * Copies a text to the clipboard. Without a clipboard, such as over SSH, asks the terminal to copy it.
 *
 * @returns A sentence that describes the result.
 * @see {@link https://invisible-island.net/xterm/ctlseqs/ctlseqs.html XTerm control sequences}, OSC 52
 */
export async function copy(text: string, stream: NodeJS.WriteStream): Promise<string> {
  try {
    await writeText(text)
    return 'Copied the code to the clipboard.'
  } catch {
    if (!stream.isTTY) return 'No clipboard available: copy the code manually.'
    stream.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`)
    return 'Asked the terminal to copy the code.'
  }
}
