import { styleText } from 'node:util'
import stringWidth from 'fast-string-width'
import { INVISIBLE } from '../protocol/syntax.ts'

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Columns before the lines below a label, at most. */
const INDENT = 4

/** Columns to which the narrowest terminal wraps the lines again. */
const LEAST_LINE = 20

/** The indent of a line, with its mark or the label of a fact. */
const LABEL = /^ *(?:[✓✗●!–] |\S+(?: \S+)* {2,})?/

/** A command to type, with its options: the one of this package, or the one of an app that users log in with. */
const COMMAND =
  /(?:(?<!\S)authgraph|(?<=\brun )[\w.-]+(?= login\b))(?: mcp)? [a-z-]+(?: --[a-z-]+(?: [^\s-]\S*(?<![.,;:]))?)*/g

const ADDRESS = /^\W?https?:\/\//

/** Columns beside a label. With less room, the text begins below the label; so does a longer word. */
const LEAST_BESIDE = 16

type Style = Parameters<typeof styleText>[0]

/** A part of a line, with its style if colors are enabled. */
export interface Styled {
  readonly style: Style
  readonly text: string
  /** No line breaks it. */
  readonly isWhole?: boolean
}

type LineParts = readonly (string | Styled)[]

/** One line of text. */
export type Line = string | LineParts

/**
 * Prints lines for users, wrapped at the width of a terminal. Control characters are removed: no text can move the cursor
 * or hide other text.
 */
export interface Writer {
  readonly stream: NodeJS.WriteStream
  render(line: Line): string
  print(...lines: readonly Line[]): void
}

/** Creates a styled part of a line. */
export function styled(style: Style, text: string): Styled {
  return { style, text }
}

/** A command to type. No line breaks it, so that it can be copied. */
export function toType(command: string): Styled {
  return { ...styled('cyan', command), isWhole: true }
}

/** A line of a list of facts, below the line that they are about. */
export function fact(name: string, value: string | Styled): Line {
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
  const width =
    stream.isTTY && stream.columns ? Math.max(stream.columns, LEAST_LINE) : Number.POSITIVE_INFINITY
  const render = (line: Line) =>
    wrapLine(line, width)
      .map((parts) => parts.map(piece).join(''))
      .join('\n')
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
  return line.reduce((width, part) => width + stringWidth(textOf(part)), 0)
}

/**
 * Begins a text with a capital letter, unless it begins with a name such as `clientId`, `github.com` or a path, with an
 * option, such as `store must have …`, or with a host, such as `intranet cannot be reached`.
 */
export function capitalized(text: string): string {
  return text.replace(/^[a-z](?=[a-z]*[ ,])(?![a-z]* (?:must |cannot be reached))/, (letter) =>
    letter.toUpperCase(),
  )
}

/** An error or a warning, behind its mark. */
export function markedLine(mark: Styled, text: string): Line {
  return [mark, ` ${capitalized(text)}`]
}

/** Wraps a line between words, beside its label. A command stays whole. */
function wrapLine(line: Line, width: number): LineParts[] {
  const parts = (typeof line === 'string' ? [line] : line).flatMap(withCommands)
  if (columnsOf(line) <= width) return [parts]
  const [label = ''] = LABEL.exec(parts.map(textOf).join('')) ?? []
  const [first = [], ...words] = wordsOf(parts, label.length)
  const beside = columnsOf(label)
  const below = label.trim() === '' ? beside : Math.min(beside, INDENT)
  const room = width - beside
  const hasRoom = room >= LEAST_BESIDE || beside === below
  const fits = words.every((word) => columnsOf(trimmed(word)) <= room)
  const indent = ' '.repeat(hasRoom && fits ? beside : below)
  const lines = hasRoom ? [first] : [first, [indent]]
  for (const word of words.flatMap((word) => pieces(word, width - below))) {
    const last = lines.at(-1) ?? []
    const longer = [...last, ...word]
    const hasText = last.some((part) => textOf(part).trim() !== '')
    if (hasText && columnsOf(trimmed(longer)) > width) lines.push([indent, ...word])
    else lines[lines.length - 1] = longer
  }
  return lines.map((parts) => trimmed(parts.reduce(joined, [])))
}

/** Wraps a plain text. */
export function wrapText(text: string, width: number): string[] {
  return wrapLine(text, width).map((parts) => parts.map(textOf).join(''))
}

/** Marks the commands of a plain part. */
function withCommands(part: string | Styled): LineParts {
  if (typeof part !== 'string') return [part]
  const commands = [...part.matchAll(COMMAND)].map(([command]) => toType(command))
  return part
    .split(COMMAND)
    .flatMap((text, index) => [text, commands[index] ?? ''])
    .filter((piece) => piece !== '')
}

/** The label of a line and its words, with the blanks after them. */
function wordsOf(parts: LineParts, labelLength: number): LineParts[] {
  const words: (string | Styled)[][] = [[]]
  let left = labelLength
  let before = ' '
  for (const part of parts) {
    const text = textOf(part)
    const label = text.slice(0, left)
    const rest = text.slice(label.length)
    left -= label.length
    if (label) words[0]?.push(withText(part, label))
    for (const piece of isWhole(part) ? [rest] : rest.split(/(?<= )(?! )/)) {
      if (piece === '') continue
      if (before.endsWith(' ')) words.push([])
      words.at(-1)?.push(withText(part, piece))
      before = piece
    }
  }
  return words
}

/** Splits a word that is longer than a line: a path after its slashes, another one anywhere. An address stays whole. */
function pieces(word: LineParts, room: number): LineParts[] {
  const fits = (parts: LineParts) => columnsOf(trimmed(parts)) <= room
  if (fits(word) || ADDRESS.test(word.map(textOf).join(''))) return [word]
  return word.flatMap((part): LineParts[] => {
    if (isWhole(part)) return [[part]]
    const segments = textOf(part).split(/(?<=\/)/)
    return segments
      .flatMap((segment) => (fits([segment]) ? [segment] : [...segment]))
      .map((text) => [withText(part, text)])
  })
}

/** Appends a part, to the last one if both have the same style. */
function joined(parts: LineParts, part: string | Styled): LineParts {
  const last = parts.at(-1)
  const isSame = last !== undefined && styleOf(last) === styleOf(part) && isWhole(last) === isWhole(part)
  return isSame ? [...parts.slice(0, -1), withText(last, textOf(last) + textOf(part))] : [...parts, part]
}

function styleOf(part: string | Styled): Style | undefined {
  return typeof part === 'string' ? undefined : part.style
}

function trimmed(parts: LineParts): LineParts {
  const last = parts.at(-1)
  return last === undefined ? parts : [...parts.slice(0, -1), withText(last, textOf(last).trimEnd())]
}

function isWhole(part: string | Styled): boolean {
  return typeof part !== 'string' && part.isWhole === true
}

function textOf(part: string | Styled): string {
  return typeof part === 'string' ? part : part.text
}

function withText(part: string | Styled, text: string): string | Styled {
  return typeof part === 'string' ? text : { ...part, text }
}

function cut(text: string): string {
  return text.replaceAll(EVERY_INVISIBLE, '')
}
