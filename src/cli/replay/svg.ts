import { escapeHtml } from '../../service/pages/escape-html.ts'

/** The classes of the pictures of machines, whose colors the drawings of a recording share. */
const ROLES = new Map([
  ['requesting', 'working'],
  ['slowed', 'retrying'],
  ['retrying', 'retrying'],
  ['authorized', 'good'],
  ['denied', 'bad'],
  ['failed', 'bad'],
  ['expired', 'over'],
  ['cancelled', 'over'],
])

/** The class of a status, which colors it. */
export function roleOf(name: string): string {
  return ROLES.get(name) ?? 'waiting'
}

type Attributes = Readonly<Record<string, string | number>>

/** Creates an element. Texts must be escaped. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? Math.round(value * 10) / 10 : value}"`,
  )
  const content = children.join('')
  return `<${name}${written.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`
}

/** Creates a text. */
export function text(words: string, x: number, y: number, attributes: Attributes): string {
  return element('text', { x, y, ...attributes }, escapeHtml(words))
}

/** For users who asked their system for less motion. */
export const REDUCED_MOTION = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}'

/** Pixels of a letter of 12 px, on average. */
export const LETTER = 6.4

/** Cuts a text of 13 px at spaces into lines of this width in pixels. */
export function wrap(words: string, width: number): string[] {
  const lines: string[] = []
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && longer.length * LETTER * (13 / 12) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** Creates a whole picture: its name and description for those who cannot see it, its style, and what it shows. */
export function page(
  [title, description]: readonly [string, string],
  [width, height]: readonly [number, number],
  style: string,
  ...content: readonly string[]
): string {
  const viewBox = `0 0 ${Math.round(width)} ${Math.round(height)}`
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox, width, height, role: 'img' },
    element('title', {}, escapeHtml(title)),
    element('desc', {}, escapeHtml(description)),
    style,
    element('rect', { class: 'paper', width, height, rx: 12 }),
    ...content,
  )
}

/** Milliseconds that an animation shows the result before it starts again. */
const REST = 3000

/** Timing of an animation that plays a login again and again. */
export interface Timing {
  /** Milliseconds of a round, with the rest at its end. */
  readonly round: number
  /** The percentage of a round at which a moment of the login is shown. */
  percentAt(moment: number): number
}

/** Plays a login of any length in 6 to 15 seconds. */
export function timingOf(length: number): Timing {
  const playing = Math.min(15_000, Math.max(6000, length / 4))
  const round = playing + REST
  return { round, percentAt: (moment) => ((moment / (length || 1)) * playing * 100) / round }
}

/** Keyframes that show something from one percentage to another; `shown` and `hidden` are declarations. */
export function shownBetween(
  name: string,
  spans: readonly (readonly [from: number, to: number])[],
  { shown, hidden }: { readonly shown: string; readonly hidden: string },
): string {
  const frames = spans.flatMap(([from, to]) => [
    ...(from > 0 ? [`${percent(from)}{${hidden}}`] : []),
    `${percent(from + 0.01)},${percent(to)}{${shown}}`,
    ...(to < 100 ? [`${percent(to + 0.01)}{${hidden}}`] : []),
  ])
  const first = spans[0]?.[0] ?? 0
  return `@keyframes ${name}{${first > 0 ? `0%{${hidden}}` : ''}${frames.join('')}}`
}

function percent(value: number): string {
  return `${Math.min(100, Math.round(value * 100) / 100)}%`
}
