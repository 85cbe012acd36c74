import { styleText } from 'node:util'
import stringWidth from 'fast-string-width'
import { INVISIBLE } from '../protocol/syntax.ts'

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Columns before a line: for the mark, and for the indent of a report in a terminal. */
const INDENT = 4

/** Columns of a line in the narrowest terminal, and in a file or a pipe. */
const LEAST_LINE = 20
const LONGEST_LINE = 10_000

type Style = Parameters<typeof styleText>[0]

/** A part of a line, with its style if colors are enabled. */
export interface Styled {
  readonly style: Style
  readonly text: string
}

/** One line of text. */
export type Line = string | readonly (string | Styled)[]

/** Prints lines for users. Control characters are removed: no text can move the cursor or hide other text. */
export interface Writer {
  readonly stream: NodeJS.WriteStream
  render(line: Line): string
  print(...lines: readonly Line[]): void
}

/** Creates a styled part of a line. */
export function styled(style: Style, text: string): Styled {
  return { style, text }
}

/** A line of a list of facts, below the line that they are about. */
export function fact(name: string, value: string): Line {
  return [styled('dim', `  ${name.padEnd(12)}`), value]
}

/** Creates a writer. Colors need a terminal and can be disabled. */
export function writerTo(stream: NodeJS.WriteStream, { color }: { readonly color: boolean }): Writer {
  const { NO_COLOR, TERM } = process.env
  const colors = color && stream.isTTY && !NO_COLOR && TERM !== 'dumb'
  const piece = (part: string | Styled) => {
    if (typeof part === 'string') return cut(part)
    const text = cut(part.text)
    return colors ? styleText(part.style, text, { validateStream: false }) : text
  }
  const render = (line: Line) => (typeof line === 'string' ? cut(line) : line.map(piece).join(''))
  return {
    stream,
    render,
    print: (...lines) => {
      stream.write(lines.map((line) => `${render(line)}\n`).join(''))
    },
  }
}

/** Serializes a value as one line of JSON in which every invisible character is escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(EVERY_INVISIBLE, (characters) =>
    Array.from(
      { length: characters.length },
      (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** Counts the columns of a line: characters of East Asian scripts, and most emoji, take two. */
export function columnsOf(line: Line): number {
  if (typeof line === 'string') return stringWidth(line)
  return line.reduce((width, part) => width + stringWidth(typeof part === 'string' ? part : part.text), 0)
}

/**
 * Begins a text with a capital letter, unless it begins with a name such as `clientId`, `github.com` or a path, or with an
 * option, such as `store must have …`.
 */
export function capitalized(text: string): string {
  return text.replace(/^[a-z](?=[a-z]*[ ,])(?![a-z]* must )/, (letter) => letter.toUpperCase())
}

/** Wraps a sentence at the width of a stream, behind a mark. */
export function markedLines(
  mark: Styled,
  text: string,
  stream: { readonly columns?: number },
): readonly Line[] {
  return wrapFor(stream, capitalized(text)).map((line, index) =>
    index === 0 ? [mark, ` ${line}`] : `  ${line}`,
  )
}

/** Wraps a text at the width of a stream. */
export function wrapFor({ columns = LONGEST_LINE }: { readonly columns?: number }, text: string): string[] {
  return wrapWords(text, Math.max(columns - INDENT, LEAST_LINE))
}

/** Wraps a text between words, and a word that is longer than a line anywhere. */
export function wrapWords(text: string, width: number): string[] {
  const pieces = text.split(' ').flatMap((word) => joinPieces([...word], '', width))
  return joinPieces(pieces, ' ', width)
}

/** Joins pieces into lines that are not wider than `width`. */
function joinPieces(pieces: readonly string[], separator: string, width: number): string[] {
  const [first = '', ...others] = pieces
  const lines = [first]
  for (const piece of others) {
    const longer = `${lines.at(-1)}${separator}${piece}`
    if (columnsOf(longer) > width) lines.push(piece)
    else lines[lines.length - 1] = longer
  }
  return lines
}

function cut(text: string): string {
  return text.replaceAll(EVERY_INVISIBLE, '')
}
