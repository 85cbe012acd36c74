import { FONTS } from './measure-text.ts'
import { type Color, DARK, LIGHT, ROLES } from './theme.ts'

/** What a picture is drawn for: either of the two, or whichever its reader prefers. */
export type Scheme = 'light' | 'dark' | 'auto'

/** Writes an element. Attributes that are `undefined` are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly string[]
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeXml(String(value))}"`)
    .join('')
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`
}

/** Writes one line of text, whose middle line is at `y`. Not every viewer knows `dominant-baseline`. */
export function text(
  className: string,
  x: number,
  y: number,
  words: string,
  anchor?: 'start' | 'middle' | 'end',
): string {
  return element('text', { class: className, x, y, dy: '.35em', 'text-anchor': anchor }, escapeXml(words))
}

export function twoWords(
  x: number,
  y: number,
  { bold, rest }: { readonly bold: string; readonly rest: string },
  attributes: Readonly<Record<string, string | undefined>> = {},
): string {
  const parts = [
    ...(bold === '' ? [] : [element('tspan', { class: 'trigger' }, escapeXml(bold))]),
    ...(rest === '' ? [] : [element('tspan', { class: 'text' }, escapeXml(rest))]),
  ]
  return element('text', { x, y, dy: '.35em', ...attributes }, parts.join(' '))
}

/** Where something is, in pixels. */
interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function box(className: string, area: Area, radius: number, inset = 0): string {
  return element('rect', {
    class: className,
    x: area.x + inset,
    y: area.y + inset,
    width: area.width - 2 * inset,
    height: area.height - 2 * inset,
    rx: radius - inset,
  })
}

/** A whole picture: its name and description for those who cannot see it, its style, and what it shows. */
export function picture(
  { title, description, ...size }: Pick<Area, 'width' | 'height'> & Record<'title' | 'description', string>,
  scheme: Scheme,
  ...content: readonly string[]
): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${round(size.width)} ${round(size.height)}`,
    ...size,
    role: 'img',
  }
  const lines = [
    element('title', {}, escapeXml(title)),
    element('desc', {}, escapeXml(description)),
    element('style', {}, style(scheme)),
    box('paper', { x: 0, y: 0, ...size }, 16),
    ...content,
  ]
  return `${element('svg', attributes, `\n${lines.join('\n')}\n`)}\n`
}

function style(scheme: Scheme): string {
  if (scheme === 'dark') return styleSheet((color) => DARK[color])
  const light = styleSheet((color) => LIGHT[color])
  if (scheme === 'light') return light
  return `${light}@media (prefers-color-scheme:dark){${colors((color) => DARK[color])}}`
}

/** The rules of a picture, with its colours given by name. */
export function styleSheet(colorOf: (color: Color) => string): string {
  const { name, text, tag, trigger } = FONTS
  return [
    'text{font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}',
    `.name{font-size:${name.size}px;font-weight:700}`,
    `text,.text,.trigger{font-size:${text.size}px}`,
    `.trigger{font-weight:${trigger.kind === 'bold' ? 700 : 400}}`,
    `.tag{font-size:${tag.size}px}`,
    '.around{stroke-width:1.5}.frame,.region{stroke-dasharray:7 5}',
    '.shape{stroke-width:1.75}.inner{stroke-width:1.25;fill:none}',
    '.way,.sign{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}.main .way{stroke-width:3}',
    colors(colorOf),
  ].join('')
}

function colors(colorOf: (color: Color) => string): string {
  const roles = Object.keys(ROLES) as (keyof typeof ROLES)[]
  return [
    `.paper{fill:${colorOf('paper')}}.name,.trigger{fill:${colorOf('ink')}}.text{fill:${colorOf('quiet')}}`,
    `.way,.sign{stroke:${colorOf('edge')}}.head,.dot{fill:${colorOf('edge')}}`,
    `.main .way{stroke:${colorOf('ink')}}.main .head{fill:${colorOf('ink')}}`,
    `.box{fill:none}.tag{fill:${colorOf('quiet')}}`,
    ...roles.map(
      (role) =>
        `.${role} .shape,.${role} .around,.${role} .inner{stroke:${colorOf(`${role}-line`)}}.${role} .shape,.${role} .around{fill:${colorOf(`${role}-fill`)}}.${role} .play{fill:${colorOf(`${role}-line`)}}`,
    ),
    `.around{fill-opacity:.45}`,
  ].join('')
}

export function escapeXml(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** Tenths of a pixel are enough. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}
