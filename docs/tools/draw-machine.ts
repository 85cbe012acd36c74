import { FONTS, LINE, labelLines, labelSize, PADDING, STAYS } from './content.ts'
import type { Box, Layout, PlacedArrow, PlacedShape, Point } from './lay-out.ts'
import { widthOf, wrap } from './measure-text.ts'
import type { Label } from './plan-picture.ts'
import { box, element, picture, round, type Scheme, text } from './svg.ts'
import { ROLES, type Role, roleOf } from './theme.ts'

/** Corner radii in pixels: of states and of arrows. */
const CORNER = 12
const BEND = 9

/** Size of an arrowhead in pixels. */
const HEAD = { length: 9, width: 8 }

/** Pixels left of the name of the machine, above the machine for its name, and below it for the key of the colours. */
const LEFT = 24
const TOP = 44
const KEY = 22

/** Draws a machine with its name and a colour key. */
export function drawMachine(layout: Layout, scheme: Scheme): string {
  const { plan, width, height } = layout
  const { id, description } = plan.machine
  const roles = new Set(plan.shapes.flatMap((shape) => (shape.kind === 'state' ? [roleOf(shape.state)] : [])))
  const lines = wrap(description, width - 2 * LEFT, FONTS.text)
  const top = TOP + lines.length * LINE.text
  const key = drawKey(roles, width - 2 * LEFT, top + height + 12)
  return picture(
    { title: `The machine ${id}`, description, width, height: key.bottom + 18 },
    scheme,
    text('name', LEFT, 30, id),
    ...lines.map((words, index) => text('text', LEFT, 53 + index * LINE.text, words)),
    element('g', { transform: `translate(0 ${top})` }, drawParts(layout)),
    key.part,
  )
}

/** Draws the parts of a machine. States have `data-state`; arrows and labels have `data-transitions`. */
export function drawParts({ shapes, arrows }: Layout): string {
  const around = shapes.filter(({ isAround }) => isAround)
  const inside = shapes.filter(({ isAround }) => !isAround)
  return [
    ...around.map((placed) => drawShape(placed, arrows)),
    ...arrows.map(drawArrow),
    ...inside.map((placed) => drawShape(placed, arrows)),
    ...arrows.map(({ arrow, label }) =>
      label ? drawLabel(arrow.label, label, transitionsOf({ arrow })) : '',
    ),
  ].join('\n')
}

function drawShape(placed: PlacedShape, arrows: readonly PlacedArrow[]): string {
  const { shape, content, x, y, width, height } = placed
  switch (shape.kind) {
    case 'start':
      return element('circle', { class: 'dot', cx: x + width / 2, cy: y + height / 2, r: width / 2 - 1 })
    case 'anywhere': {
      const own = arrows.filter(({ arrow }) => arrow.source === shape.id)
      return drawLabel(shape.label, placed, own.map(transitionsOf).join(' '), content.tag)
    }
    case 'reference':
      return element(
        'g',
        { class: roleOf(shape.state) },
        box('shape', placed, height / 2),
        text('trigger', x + width / 2, y + height / 2, content.name, 'middle'),
      )
    case 'state': {
      const { state } = shape
      const outline = placed.isAround
        ? [box('around', placed, CORNER)]
        : [box('shape', placed, CORNER), ...(state.type === 'final' ? [box('inner', placed, CORNER, 4)] : [])]
      return element(
        'g',
        { class: `state ${roleOf(state)}`, 'data-state': state.id },
        ...outline,
        ...words(placed),
      )
    }
  }
}

function words({ shape, content: { tag, name, lines, invokes, stays }, x, y }: PlacedShape): string[] {
  const left = x + PADDING.x
  let top = y + PADDING.y
  const line = (height: number) => {
    top += height
    return top - height / 2
  }
  return [
    ...(tag ? [text('tag', left, line(LINE.tag), tag.toUpperCase())] : []),
    text('name', left, line(LINE.name), name),
    ...lines.map((words) => text('text', left, line(LINE.text), words)),
    ...invokes.map((id) => drawInvoke(left, line(LINE.invoke) + 2, id)),
    ...(stays.length > 0 && shape.kind === 'state'
      ? [drawStays(stays, left, top + STAYS.gap, transitionsOf({ arrow: { transitions: shape.stays } }))]
      : []),
  ]
}

function drawInvoke(x: number, y: number, id: string): string {
  return (
    element('path', { class: 'play', d: `M${round(x)} ${round(y - 5)}l9 5l-9 5z` }) +
    text('invoke', x + 16, y, `invoke ${id}`)
  )
}

/** Draws the label with an arrow that returns to its own state. */
function drawStays(label: Label, x: number, y: number, transitions: string): string {
  const size = labelSize(label)
  const middle = y + size.height / 2
  const right = x + size.width
  const back = `M${round(right)} ${round(middle - 9)}h8a9 9 0 0 1 0 18h-4`
  return element(
    'g',
    { class: 'arrow', 'data-transitions': transitions },
    element('path', { class: 'way', d: back }),
    drawHead({ x: right, y: middle + 9 }, { x: right + 12, y: middle + 9 }),
    drawLabel(label, { x, y, ...size }, transitions),
  )
}

function drawArrow({ arrow, points }: PlacedArrow): string {
  const [tip, before] = [...points].reverse()
  if (tip === undefined || before === undefined) throw new TypeError(`the arrow ${arrow.id} has no way`)
  const way = [...points.slice(0, -1), shortOf(tip, before)]
  return element(
    'g',
    { class: 'arrow', 'data-transitions': transitionsOf({ arrow }) },
    element('path', { class: 'way', d: rounded(way) }),
    drawHead(tip, before),
  )
}

function transitionsOf({
  arrow,
}: {
  readonly arrow: { readonly transitions: readonly { readonly id: string }[] }
}): string {
  return arrow.transitions.map(({ id }) => id).join(' ')
}

function drawHead(tip: Point, from: Point): string {
  const angle = Math.round((Math.atan2(tip.y - from.y, tip.x - from.x) * 180) / Math.PI)
  const d = `M0 0l${-HEAD.length} ${-HEAD.width / 2}l2.5 ${HEAD.width / 2}l-2.5 ${HEAD.width / 2}z`
  return element('path', {
    class: 'head',
    d,
    transform: `translate(${round(tip.x)} ${round(tip.y)}) rotate(${angle})`,
  })
}

/** Where the line ends: inside the arrowhead. */
function shortOf(tip: Point, { x, y }: Point): Point {
  const reach = HEAD.length - 4
  return { x: tip.x - Math.sign(tip.x - x) * reach, y: tip.y - Math.sign(tip.y - y) * reach }
}

/** An SVG path with rounded bends. */
function rounded(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1]
      const after = points[index + 1]
      if (before === undefined) return `M${at(point)}`
      if (after === undefined) return `L${at(point)}`
      const radius = Math.min(BEND, distance(before, point) / 2, distance(point, after) / 2)
      return `L${at(toward(point, before, radius))}Q${at(point)} ${at(toward(point, after, radius))}`
    })
    .join('')
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function toward(from: Point, to: Point, length: number): Point {
  const part = length / (distance(from, to) || 1)
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

function drawLabel(label: Label, place: Box, transitions: string, tag?: string): string {
  const lines = labelLines(label)
  const middle = place.x + place.width / 2
  const top = place.y + (place.height - lines.length * LINE.label + (tag ? LINE.tag : 0)) / 2
  return element(
    'g',
    { class: 'label', 'data-transitions': transitions },
    box('box', place, 10),
    ...(tag ? [text('tag', middle, top - LINE.tag / 2 + 2, tag.toUpperCase(), 'middle')] : []),
    ...lines.map(({ kind, text: words }, index) =>
      text(kind, middle, top + (index + 0.5) * LINE.label, words, 'middle'),
    ),
  )
}

/** Draws the colour key, in as many rows as it needs. */
function drawKey(
  roles: ReadonlySet<Role>,
  width: number,
  top: number,
): { readonly part: string; readonly bottom: number } {
  let x = 0
  let y = top
  const drawn = (Object.keys(ROLES) as Role[])
    .filter((role) => roles.has(role))
    .map((role) => {
      const own = 22 + widthOf(ROLES[role], FONTS.text)
      if (x > 0 && x + own > width) {
        x = 0
        y += KEY
      }
      const left = LEFT + x
      x += own + 22
      return element(
        'g',
        { class: role },
        box('shape', { x: left, y: y - 7, width: 14, height: 14 }, 4),
        text('text', left + 22, y, ROLES[role]),
      )
    })
  return { part: drawn.join(''), bottom: y + 10 }
}
