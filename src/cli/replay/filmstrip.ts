import type { Exchange, Span, Story } from './story.ts'
import { element, page, roleOf, text, wrap } from './svg.ts'

/** Pixels. */
const WIDTH = 960
const MARGIN = 24
const GAP = 20
const COLUMNS = 3
const FRAME = { width: (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS, head: 30, view: 200, text: 78 }
const ROW = FRAME.head + FRAME.view + FRAME.text

/** Places in the picture of a machine, in its pixels. */
interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Draws one frame for each status that a user saw: the part of the machine around its state, what led there, and what the
 * user saw.
 *
 * @param picture An SVG of the machine whose states have `data-state`.
 */
export function filmstrip({ spans, exchanges }: Story, picture: string): string {
  const [, style = '', machine = ''] = /(<style>.*?<\/style>)(.*)<\/svg>/s.exec(picture) ?? []
  const rows = Math.ceil(spans.length / COLUMNS)
  return page(
    ['A recorded login, frame by frame', `${spans.map(({ name }) => name).join(', ')}.`],
    [WIDTH, 2 * MARGIN + rows * ROW + (rows - 1) * GAP],
    style,
    element('defs', {}, element('g', { id: 'machine' }, machine)),
    ...spans.map((span, index) => {
      const x = MARGIN + (index % COLUMNS) * (FRAME.width + GAP)
      const y = MARGIN + Math.floor(index / COLUMNS) * (ROW + GAP)
      const drawn = drawFrame(span, index, drawnState(span.state, machine), exchanges[span.after ?? -1])
      return element('g', { transform: `translate(${x} ${y})` }, ...drawn)
    }),
  )
}

function drawFrame(
  { from, name, text: words }: Span,
  index: number,
  { role, box }: ReturnType<typeof drawnState>,
  after: Exchange | undefined,
): string[] {
  const view = { x: 0, y: FRAME.head, width: FRAME.width, height: FRAME.view }
  const [left, top] = [box.x + box.width / 2 - view.width / 2, box.y + box.height / 2 - view.height / 2]
  const seen = `${Math.round(left)} ${Math.round(top)} ${view.width} ${view.height}`
  const lines = wrap(words, FRAME.width)
  return [
    element('g', { class: roleOf(name) }, element('circle', { class: 'shape', cx: 8, cy: 13, r: 7 })),
    text(name, 24, 19, { class: 'name' }),
    text(`${(from / 1000).toFixed(1)} s`, FRAME.width, 19, { class: 'text', 'text-anchor': 'end' }),
    element(
      'svg',
      { ...view, viewBox: seen },
      element('use', { href: '#machine', opacity: 0.32 }),
      element('clipPath', { id: `lit${index}` }, element('rect', { ...box, rx: 12 })),
      element('g', { 'clip-path': `url(#lit${index})` }, element('use', { href: '#machine' })),
      element(
        'g',
        { class: role },
        element('rect', { class: 'shape', style: 'fill:none;stroke-width:4', ...box, rx: 12 }),
      ),
    ),
    element('rect', { class: 'way', 'stroke-opacity': 0.4, ...view, rx: 12 }),
    ...lines.map((line, number) =>
      text(line, 0, FRAME.head + FRAME.view + 22 + 18 * number, { class: 'text' }),
    ),
    ...(after
      ? [text(told(after), 0, FRAME.head + FRAME.view + 22 + 18 * lines.length, { class: 'tag' })]
      : []),
  ]
}

function told({ request, outcome }: Exchange): string {
  return `${request.replace(/^\w+ /, '')} → ${outcome}`
}

/** Where a state is drawn, and in which colors. The parts of the machine are below its name. */
function drawnState(id: string, machine: string): { readonly role: string; readonly box: Box } {
  const below = Number(/<g transform="translate\(0 (\d+)\)">/.exec(machine)?.[1] ?? 0)
  const place = 'x="([\\d.]+)" y="([\\d.]+)" width="([\\d.]+)" height="([\\d.]+)"'
  const state = new RegExp(
    `class="state (\\w+)" data-state="${id}">.*?<rect class="(?:shape|around)" ${place}`,
  )
  const [, role = '', ...drawn] = state.exec(machine) ?? []
  const [x = 0, y = 0, width = 0, height = 0] = drawn.map(Number)
  return { role, box: { x, y: y + below, width, height } }
}
