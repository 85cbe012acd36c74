import { writeText } from 'tinyclip'

/**
 * Copies a text to the clipboard. Where this machine has none, as behind SSH, the terminal is asked to do it.
 *
 * @returns How it went, as a sentence.
 * @see {@link https://invisible-island.net/xterm/ctlseqs/ctlseqs.html XTerm's control sequence OSC 52}
 */
export async function copy(text: string, stream: NodeJS.WriteStream): Promise<string> {
  try {
    await writeText(text)
    return 'The code is on the clipboard.'
  } catch {
    if (!stream.isTTY) return 'There is no clipboard here: copy the code by hand.'
    stream.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`)
    return 'The terminal was asked to copy the code.'
  }
}
