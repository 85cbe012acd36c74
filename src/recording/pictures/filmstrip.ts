import { deviceAuthorization } from '../../../machines/device-authorization.ts'
import { FONTS, widthOf, wrap } from '../../pictures/measure-text.ts'
import { roleOfName } from '../../pictures/state-roles.ts'
import { box, element, picture, text } from '../../pictures/svg.ts'
import type { Exchange, Span, Story } from './story.ts'

/** Pixels. */
const WIDTH = 960
const MARGIN = 24
const GAP = 20
const COLUMNS = 3
const FRAME = { width: (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS, height: 266, caption: 66 }
const MIDDLE = FRAME.width / 2
const PILL = { height: 24, padding: 12, gap: 5 }
/** The active state, below the one that it came from and the transition between them. */
const ACTIVE = { x: 36, y: 88, width: FRAME.width - 72, height: 86 }
const NEXT = { y: 204, width: FRAME.width - 28 }

/** What the machine tells about a state. */
type Node = (typeof deviceAuthorization)['root']

/**
 * Draws one frame for each status that a user saw: the state before it, the transition that was taken, the state with
 * its description, the states that could follow, and below the frame the time and what the user saw.
 */
export function filmstrip({ spans, exchanges }: Story): string {
  const row = FRAME.height + FRAME.caption
  const rows = Math.ceil(spans.length / COLUMNS)
  return picture(
    {
      title: 'A recorded login, frame by frame',
      description: `${spans.map(({ name }) => name).join(', ')}.`,
      width: WIDTH,
      height: 2 * MARGIN + rows * row + (rows - 1) * GAP,
    },
    'auto',
    ...spans.map((span, index) => {
      const x = MARGIN + (index % COLUMNS) * (FRAME.width + GAP)
      const y = MARGIN + Math.floor(index / COLUMNS) * (row + GAP)
      const drawn = drawFrame(span, spans[index - 1]?.name, exchanges[span.after ?? -1])
      return element('g', { transform: `translate(${x} ${y})` }, ...drawn)
    }),
  )
}

function drawFrame(
  { from, name, text: words, state }: Span,
  before: string | undefined,
  by?: Exchange,
): string[] {
  const node = nodeOf(state)
  const { x, y, width, height } = ACTIVE
  const next = nextOf(node).filter((other) => other !== name)
  const caption = FRAME.height + 22
  const lines = wrap(words, FRAME.width - 56, FONTS.text)
  return [
    element('rect', {
      class: 'way',
      'stroke-opacity': 0.4,
      width: FRAME.width,
      height: FRAME.height,
      rx: 12,
    }),
    before === undefined
      ? element('circle', { class: 'dot', cx: MIDDLE, cy: 32, r: 6 })
      : drawPills([before], 16),
    element('g', { class: 'main' }, drawArrow(42, y)),
    text('trigger', MIDDLE + 14, 66, by?.outcome ?? ''),
    element(
      'g',
      { class: roleOfName(name) },
      element('rect', { class: 'shape', style: 'stroke-width:3', ...ACTIVE, rx: 12 }),
      ...(node?.type === 'final' ? [box('inner', ACTIVE, 12, 5)] : []),
    ),
    text('name', x + 18, y + 26, name),
    ...wrap(node?.description ?? '', width - 36, FONTS.text).map((line, index) =>
      text('text', x + 18, y + 49 + 17 * index, line),
    ),
    ...(next.length > 0 ? [drawArrow(y + height, NEXT.y - 2), drawPills(next, NEXT.y)] : []),
    text('trigger', 0, caption - 4, `${(from / 1000).toFixed(1)} s`),
    ...lines.map((line, index) => text('text', 56, caption - 4 + 18 * index, line)),
  ]
}

function drawArrow(top: number, bottom: number): string {
  return (
    element('path', { class: 'way', d: `M${MIDDLE} ${top}V${bottom - 8}` }) +
    element('path', { class: 'head', d: `M${MIDDLE} ${bottom}l-5 -10h10z` })
  )
}

/** Draws names of states in centered rows. */
function drawPills(names: readonly string[], top: number): string {
  const widthOfPill = (name: string) => widthOf(name, FONTS.tag) + PILL.padding
  const rows: { readonly names: string[]; width: number }[] = []
  for (const name of names) {
    const row = rows.at(-1)
    const longer = (row?.width ?? 0) + PILL.gap + widthOfPill(name)
    if (row && longer <= NEXT.width) Object.assign(row, { width: longer }).names.push(name)
    else rows.push({ names: [name], width: widthOfPill(name) })
  }
  return rows
    .flatMap(({ names, width }, index) => {
      const y = top + index * (PILL.height + PILL.gap)
      let x = MIDDLE - width / 2
      return names.map((name) => {
        const left = x
        x += widthOfPill(name) + PILL.gap
        return element(
          'g',
          { class: roleOfName(name) },
          box('shape', { x: left, y, width: widthOfPill(name), height: PILL.height }, 8),
          text('tag', left + widthOfPill(name) / 2, y + PILL.height / 2, name, 'middle'),
        )
      })
    })
    .join('')
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
