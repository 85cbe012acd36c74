import { element, escapeXml, round } from '../../src/pictures/svg.ts'
import { type Color, DARK, LIGHT } from '../../src/pictures/theme.ts'

/** Pixels: one character, the padding, and the title bar. */
const CELL = { width: 8.4, height: 18 }
const AROUND = 20
const BAR = 34

const BLOCKS = '█▀▄'

/** The colors of a terminal, by the class of what has them. */
const COLORS: Readonly<Record<string, Color>> = {
  ink: 'ink',
  dim: 'quiet',
  cyan: 'act',
  green: 'good-ink',
  red: 'bad-ink',
  yellow: 'retrying-ink',
}

/** One character, and how it looks: the names of classes, separated by blanks. */
export interface Cell {
  readonly text: string
  readonly look: string
}

/** What a picture of a terminal shows. */
export interface TerminalPicture {
  readonly title: string
  readonly description: string
  readonly columns: number
}

/** Draws the window of a terminal and the lines in it. */
export function drawTerminal(
  { title, description, columns }: TerminalPicture,
  lines: readonly (readonly Cell[])[],
): string {
  const width = Math.round(columns * CELL.width + 2 * AROUND)
  const height = BAR + lines.length * CELL.height + AROUND
  const rules = [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    '.bold{font-weight:700}.under{text-decoration:underline}',
    `${colors(LIGHT)}@media (prefers-color-scheme:dark){${colors(DARK)}}`,
  ]
  const size = { viewBox: `0 0 ${width} ${height}`, width, height }
  const frame = { class: 'paper', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 10 }
  const content = [
    element('title', {}, escapeXml(title)),
    element('desc', {}, escapeXml(description)),
    element('style', {}, rules.join('')),
    element('rect', frame),
    [20, 38, 56].map((cx) => element('circle', { class: 'dot', cx, cy: 18, r: 5.5 })).join(''),
    ...lines.map(drawLine).filter((line) => line !== ''),
  ]
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', ...size, role: 'img' }
  return `${element('svg', attributes, `\n${content.join('\n')}\n`)}\n`
}

/** The colors as they are: not every viewer knows variables. */
function colors(theme: Readonly<Record<Color, string>>): string {
  const { paper, line, ink } = theme
  return [
    `.paper{fill:${paper};stroke:${line}}.dot{fill:${line}}text,.block{fill:${ink}}`,
    ...Object.entries(COLORS).map(([name, color]) => `.${name}{fill:${theme[color]}}`),
  ].join('')
}

/** Draws half blocks as shapes, because fonts leave gaps between them; everything else is text. */
function drawLine(cells: readonly Cell[], row: number): string {
  const top = BAR + row * CELL.height
  const runs: { start: number; look: string; text: string }[] = []
  let blocks = ''
  cells.forEach(({ text, look }, at) => {
    if (BLOCKS.includes(text)) {
      const half = CELL.height / 2
      const height = text === '█' ? CELL.height : half
      const y = text === '▄' ? top + half : top
      blocks += `M${round(AROUND + at * CELL.width)} ${y}h${CELL.width}v${height}h-${CELL.width}z`
      return
    }
    const last = runs.at(-1)
    if (last?.look === look && last.start + last.text.length === at) last.text += text
    else runs.push({ start: at, look, text })
  })
  const words = runs
    .map(({ start, look, text }) => ({ start: start + text.search(/\S|$/), look, text: text.trim() }))
    .filter(({ text }) => text !== '')
    .map(({ start, look, text }) => {
      const place = { x: AROUND + start * CELL.width, y: top + 13, textLength: text.length * CELL.width }
      return element('text', { class: look === '' ? undefined : look, ...place }, escapeXml(text))
    })
  return (blocks && element('path', { class: 'block', d: blocks })) + words.join('')
}
