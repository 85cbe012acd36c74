import { deviceAuthorization } from '../../../machines/device-authorization.ts'
import { FONTS, widthOf, wrap } from '../../pictures/measure-text.ts'
import { roleOfName } from '../../pictures/state-roles.ts'
import { box, element, picture, text } from '../../pictures/svg.ts'
import type { Exchange, Span, Story } from './story.ts'

/** Pixels. The whole fits the column of a README. */
const WIDTH = 830
const MARGIN = 16
const GAP = { x: 15, y: 20 }
const COLUMNS = 3
const FRAME = { width: 256, height: 300, caption: 36 }
const PILL = { height: 24, gap: 4 }
const TOP = 14
const ACTIVE = { x: 12, y: 92, width: 128, height: 54 }
/** The names of the states that could follow. */
const NEXT = { x: 164, width: 80 }
const SCREEN = { x: 12, y: 228, width: FRAME.width - 24, height: 60 }
const PADDING = 12

/** The letters of the user code. */
const CODE = '.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:16px}'

/** What the machine tells about a state. */
type Node = (typeof deviceAuthorization)['root']

/**
 * Draws one frame for each status that a user saw: the state between the one that it came from and those that could follow,
 * with the transition that was taken, the screen of the device, and below the frame the time and what the state means.
 */
export function filmstrip({ spans, exchanges }: Story): string {
  const row = FRAME.height + FRAME.caption
  const rows = Math.ceil(spans.length / COLUMNS)
  return picture(
    {
      title: 'A recorded login, frame by frame',
      description: `${spans.map(({ name }) => name).join(', ')}.`,
      width: WIDTH,
      height: 2 * MARGIN + rows * row + (rows - 1) * GAP.y,
    },
    'auto',
    element('style', {}, CODE),
    ...spans.map((span, index) => {
      const x = MARGIN + (index % COLUMNS) * (FRAME.width + GAP.x)
      const y = MARGIN + Math.floor(index / COLUMNS) * (row + GAP.y)
      const drawn = drawFrame(span, exchanges[span.after ?? -1], spans[index - 1], spans[index + 1])
      return element('g', { transform: `translate(${x} ${y})` }, ...drawn)
    }),
  )
}

function drawFrame(span: Span, by?: Exchange, before?: Span, after?: Span): string[] {
  const { from, name, state } = span
  const node = nodeOf(state)
  const next = nextOf(node).filter((other) => other !== name)
  // An end stands in the middle: nothing follows.
  const x = next.length > 0 ? ACTIVE.x : (FRAME.width - ACTIVE.width) / 2
  const middle = x + ACTIVE.width / 2
  const caption = FRAME.height + 16
  const [time, words] = [`${(from / 1000).toFixed(1)} s`, node?.description ?? '']
  const label = by?.outcome ?? ''
  return [
    element('g', { 'stroke-opacity': 0.4 }, box('way', { x: 0, y: 0, ...FRAME }, 12)),
    before === undefined
      ? element('circle', { class: 'dot', cx: middle, cy: TOP + 12, r: 6 })
      : drawPill(before.name, middle, TOP),
    element(
      'g',
      { class: 'main' },
      element('path', { class: 'way', d: `M${middle} ${TOP + (before ? PILL.height : 18)}V${ACTIVE.y - 8}` }),
      element('path', { class: 'head', d: `M${middle} ${ACTIVE.y}l-6 -11h12z` }),
    ),
    ...(label === '' ? [] : drawLabel(label, middle)),
    ...drawNext(next, x + ACTIVE.width, after?.name),
    element(
      'g',
      { class: roleOfName(name) },
      element('rect', { class: 'shape', style: 'stroke-width:3', ...ACTIVE, x, rx: 12 }),
      ...(node?.type === 'final' ? [box('inner', { ...ACTIVE, x }, 12, 5)] : []),
      text('name', middle, ACTIVE.y + ACTIVE.height / 2, name, 'middle'),
    ),
    ...drawScreen(span),
    text('trigger', 2, caption, time),
    ...wrap(words, FRAME.width - 62, FONTS.text).map((line, index) =>
      text('text', 60, caption + 17 * index, line),
    ),
  ]
}

/** Draws what the last response was, on the arrow. */
function drawLabel(words: string, middle: number): string[] {
  const width = widthOf(words, FONTS.trigger) + 8
  const y = (TOP + PILL.height + ACTIVE.y - 11) / 2
  const place = { x: Math.max(2, middle - width / 2), y: y - 10, width, height: 20 }
  return [box('paper', place, 4), text('trigger', place.x + width / 2, y, words, 'middle')]
}

/** Draws the states that could follow, of which one did. */
function drawNext(names: readonly string[], start: number, taken: string | undefined): string[] {
  const each = PILL.height + PILL.gap
  const middle = ACTIVE.y + ACTIVE.height / 2
  const top = Math.max(TOP, middle - (names.length * each - PILL.gap) / 2)
  return names.map((name, index) => {
    const y = top + index * each + PILL.height / 2
    const bend = (start + NEXT.x) / 2
    return element(
      'g',
      name === taken ? {} : { opacity: 0.5 },
      element('path', {
        class: 'way',
        d: `M${start} ${middle}C${bend} ${middle} ${bend} ${y} ${NEXT.x - 6} ${y}`,
      }),
      element('path', { class: 'head', d: `M${NEXT.x} ${y}l-8 -4v8z` }),
      drawPill(name, NEXT.x + NEXT.width / 2, y - PILL.height / 2),
    )
  })
}

function drawPill(name: string, middle: number, y: number): string {
  const width = Math.max(NEXT.width, widthOf(name, FONTS.tag) + 12)
  return element(
    'g',
    { class: roleOfName(name) },
    box('shape', { x: middle - width / 2, y, width, height: PILL.height }, 8),
    text('text tag', middle, y + PILL.height / 2, name, 'middle'),
  )
}

/** Draws the screen of the device: the code, while there is one to enter, and the words below it. */
function drawScreen({ code, text: words }: Span): string[] {
  const { x, y, width, height } = SCREEN
  const said = words.replace(`Enter ${code}`, 'Enter it').replace('https://', '')
  const lines = wrap(said, width - 2 * PADDING, FONTS.tag).map((line) => shorten(line, width - 2 * PADDING))
  const top = code === undefined ? y + height / 2 - lines.length * 8 : y + 25
  return [
    element('g', { class: 'over' }, box('shape', SCREEN, 8)),
    ...(code === undefined ? [] : [text('name code', x + PADDING, y + 14, code)]),
    ...lines.slice(0, 2).map((line, index) => text('text tag', x + PADDING, top + 8 + 16 * index, line)),
  ]
}

/** Cuts what does not fit, such as a long address. */
function shorten(words: string, width: number): string {
  return widthOf(words, FONTS.tag) <= width ? words : shorten(words.replace(/.…?$/u, '…'), width)
}

function nodeOf(id: string): Node | undefined {
  return id
    .split('.')
    .reduce<Node | undefined>(
      (node, name) => (node && Object.hasOwn(node.states, name) ? (node.states[name] as Node) : undefined),
      deviceAuthorization.root,
    )
}

/** The states that a user could see next, in the order of the machine. A poll is not one of them. */
function nextOf(node: Node | undefined): string[] {
  const { polling } = deviceAuthorization.root.states
  const targets = (from: Node): Node[] => [
    ...[...from.transitions.values()].flat().flatMap(({ target = [] }) => target as Node[]),
    ...(from.parent?.parent ? targets(from.parent as Node) : []),
  ]
  const direct = node ? targets(node) : []
  const all = new Set(direct.flatMap((target) => (target === (polling as Node) ? targets(target) : [target])))
  const leaves = [...all].map((target) => (target.initial?.target[0] ?? target) as Node)
  return [
    ...new Set(
      leaves
        .filter(({ type }) => type !== 'history')
        .sort((a, b) => a.order - b.order)
        .map(({ key }) => key),
    ),
  ]
}
