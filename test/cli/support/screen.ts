import type { Cell } from '../../../docs/tools/draw-terminal.ts'

/** A control sequence, a line break, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this matches control sequences.
const PART = /\u001b\[[?\d;]*[A-Za-z]|\u001b\][^\u0007]*\u0007|[\r\n]|./gsu

/** An incomplete control sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const BEGUN = /\u001b(\[[?\d;]*)?$|\u001b\][^\u0007]*$/

/** Sequences that do not move the cursor: cursor style, modes, clipboard and the end of a command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STILL = /^\u001b(\[[?\d;]*[hl]|\](52|133);)/

/** How characters look after a color sequence. */
const LOOKS: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  4: 'under',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
}
const COLORS = ['red', 'green', 'yellow', 'cyan']

const BLANK: Cell = { text: ' ', look: '' }

/** A small model of a terminal: what it shows after the output, including lines that have scrolled away. */
export function screen(columns: number) {
  const rows: Cell[][] = [[]]
  let row = 0
  let column = 0
  let begun = ''
  let look: readonly string[] = []

  const put = (character: string) => {
    if (column === columns) down(0)
    const line = rows[row] as Cell[]
    while (line.length < column) line.push(BLANK)
    line[column++] = { text: character, look: look.join(' ') }
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
    else if (sequence.endsWith('[0J')) rows.splice(row, rows.length, (rows[row] ?? []).slice(0, column))
    else if (sequence.endsWith('G')) column = Number(sequence.slice(2, -1)) - 1
    else if (sequence.endsWith('m'))
      look = sequence.slice(2, -1).split(';').map(Number).reduce(lookAfter, look)
    else if (!STILL.test(sequence)) throw new Error(`unknown: ${JSON.stringify(sequence)}`)
  }

  function textOf(write: (line: readonly Cell[]) => string): string {
    return rows
      .map((line) => write(line).trimEnd())
      .join('\n')
      .trimEnd()
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
    text: () => textOf((line) => line.map(({ text }) => text).join('')),
    /** The lines with their colors, each as one sequence before the characters that have it. */
    colored: () => textOf(coloredLine),
    /** The characters of each line. */
    cells: (): readonly (readonly Cell[])[] => rows.map((line) => [...line]),
  }
}

function lookAfter(look: readonly string[], code: number): readonly string[] {
  if (code === 0) return []
  if (code === 22) return look.filter((name) => name !== 'bold' && name !== 'dim')
  if (code === 24) return look.filter((name) => name !== 'under')
  const others = code >= 30 ? look.filter((name) => !COLORS.includes(name)) : look
  const name = LOOKS[code]
  return name === undefined || others.includes(name) ? others : [...others, name]
}

function coloredLine(line: readonly Cell[]): string {
  const codes = Object.entries(LOOKS)
  return line
    .map(({ text, look }, at) => {
      if (look === line[at - 1]?.look) return text
      const set = look === '' ? [] : look.split(' ')
      return `\u001b[0${set.map((name) => `;${codes.find(([, known]) => known === name)?.[0]}`).join('')}m${text}`
    })
    .join('')
}
