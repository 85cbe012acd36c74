/** A control sequence, a line break, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control sequences.
const PART = /\u001b\[[?\d;]*[A-Za-z]|\u001b\][^\u0007]*\u0007|[\r\n]|./gsu

/** An incomplete control sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const BEGUN = /\u001b(\[[?\d;]*)?$|\u001b\][^\u0007]*$/

/** Sequences that do not move the cursor: colors, cursor style, modes, clipboard and the end of a command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STILL = /^\u001b(\[[?\d;]*[mhl]|\](52|133);)/

/** A small model of a terminal: its text after the output, including lines that have scrolled away. */
export function screen(columns: number) {
  const rows: string[][] = [[]]
  let row = 0
  let column = 0
  let begun = ''

  const put = (character: string) => {
    if (column === columns) down(0)
    const line = rows[row] as string[]
    while (line.length < column) line.push(' ')
    line[column++] = character
  }
  const down = (to: number) => {
    row++
    column = to
    rows[row] ??= []
  }

  function control(sequence: string): void {
    if (sequence === '\r') column = 0
    else if (sequence === '\n') down(column)
    else if (sequence.endsWith('[2K')) rows[row] = []
    else if (!STILL.test(sequence)) throw new Error(`unknown: ${JSON.stringify(sequence)}`)
  }

  return {
    write(chunk: string): void {
      const text = begun + chunk
      begun = BEGUN.exec(text)?.[0] ?? ''
      for (const [part] of text.slice(0, text.length - begun.length).matchAll(PART)) {
        if (/^\p{Cc}/u.test(part)) control(part)
        else put(part)
      }
    },
    /** The lines, without trailing blanks. */
    text(): string {
      return rows
        .map((line) =>
          Array.from(line, (character) => character ?? ' ')
            .join('')
            .trimEnd(),
        )
        .join('\n')
        .trimEnd()
    },
  }
}
