import type { ShownCodes } from '../client/options.ts'
import { isLoopback } from '../protocol/syntax.ts'
import { largeText } from './large-text.ts'
import { qrCode } from './qr-code.ts'
import type { TerminalTexts } from './texts.ts'
import { columnsOf, type Line, type Styled, styled } from './writer.ts'

/** Columns between the code and the QR code. */
const GAP = 4

/** Lines to leave free below the card for the states. */
const LINES_BELOW = 5

/** The codes that a user needs. Programs may also want the interval. */
export type CodesOnScreen = Omit<ShownCodes, 'interval'> & Partial<ShownCodes>

/** The size of the terminal and what to show. */
export interface Room {
  readonly columns: number
  readonly rows: number
  /** Whether to draw a QR code if it fits. */
  readonly qr: boolean
  /** Whether the user can press keys. */
  readonly hasKeys: boolean
  /** Whether a key can open the browser. */
  readonly opens: boolean
}

/**
 * Draws the address, the code, in large letters if they fit, and a QR code if it fits. A double click selects the whole
 * code, because it also stands as text, alone or beside the key that copies it, and without spaces.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3.1 RFC 8628, section 3.3.1} for the QR code
 */
export function codesCard(
  codes: CodesOnScreen,
  { columns, rows, qr, hasKeys, opens }: Room,
  texts: TerminalTexts,
): Line[] {
  const { verificationUri, userCode } = codes
  const letters = large(userCode, columns)
  const keys = hasKeys ? hints(userCode, opens, texts) : []
  const isLarge = letters.length > 0 && hasKeys
  const words: Line[] = [
    [label(texts.open, texts), styled('underline', verificationUri)],
    ...(isLarge ? [] : [[label(texts.enter, texts), styled('bold', userCode)]]),
    '',
    ...letters,
  ]
  const below = hasKeys ? [...inRow(keys, columns), ''] : []
  // A phone cannot open a loopback address.
  const drawn =
    qr && !isLoopback(new URL(verificationUri).hostname)
      ? qrCode(codes.verificationUriComplete ?? verificationUri)
      : undefined
  if (!drawn) return ['', ...words, ...below]
  const left = [...words, ...keys.map((key): Line => ['  ', ...key])]
  const width = Math.max(...left.map(columnsOf)) + GAP
  const drawnWidth = columnsOf(drawn[0] ?? '')
  if (width + drawnWidth < columns && drawn.length + LINES_BELOW < rows)
    return ['', ...beside(left, drawn, width), '']
  if (drawnWidth + 2 < columns && words.length + drawn.length + below.length + LINES_BELOW < rows)
    return ['', ...words, ...drawn.map((line) => `  ${line}`), '', ...below]
  return ['', ...words, ...below]
}

function label(text: string, { open, enter }: TerminalTexts): string {
  const width = Math.max(columnsOf(open), columnsOf(enter))
  return `  ${text}${' '.repeat(width - columnsOf(text))}  `
}

function hints(
  code: string,
  opens: boolean,
  { keys }: TerminalTexts,
): readonly (readonly [string, Styled])[] {
  return [
    ...(opens ? [['Enter', styled('dim', ` ${keys.open}`)] as const] : []),
    ['C', styled('dim', ` ${keys.copy(code)}`)],
    ['Ctrl-C', styled('dim', ` ${keys.stop}`)],
  ]
}

/** The keys in one line if they fit, or one below the other. */
function inRow(keys: readonly (readonly (string | Styled)[])[], columns: number): Line[] {
  const row = keys.flatMap((key, index) => [index === 0 ? '  ' : '   ', ...key])
  return columnsOf(row) < columns ? [row] : keys.map((key) => ['  ', ...key])
}

function large(text: string, columns: number): Line[] {
  const lines = largeText(text)
  if (!lines || columnsOf(lines[0] ?? '') + 2 > columns) return []
  return [...lines.map((line) => ['  ', styled('bold', line)]), '']
}

function beside(words: readonly Line[], drawn: readonly string[], width: number): Line[] {
  return drawn.map((line, index) => {
    const left = words[index] ?? ''
    const parts = typeof left === 'string' ? [left] : left
    return [...parts, ' '.repeat(width - columnsOf(left)), line]
  })
}
