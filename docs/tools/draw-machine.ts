import { FONTS, widthOf } from '../../src/pictures/measure-text.ts'
import { box, element, picture, type Scheme, text, twoWords } from '../../src/pictures/svg.ts'
import { ROLES, type Role } from '../../src/pictures/theme.ts'
import { LABEL_PADDING, LINE, PADDING, SIGN, START, wordsOf } from './content.ts'
import type { Label } from './label.ts'
import {
  at,
  type Box,
  crosses,
  type Layout,
  legsOf,
  type PlacedArrow,
  type PlacedShape,
  type Point,
} from './places.ts'
import { type Branch, idsOf } from './plan-picture.ts'

/** Corner radii in pixels: of states and of arrows. */
const CORNER = 12
const BEND = 9

/** Radius of a start circle in pixels. */
const DOT = 6

/** Size of an arrowhead in pixels. */
const HEAD = { length: 10, width: 9 }

/** Pixels beside the key. */
const LEFT = 8

/** Pixels of a chip of the key: its height, beside its words, and between two. */
const CHIP = { height: 26, x: 11, gap: 8 }

/** Draws a machine and the key of its colours. Its name and its description are those of the picture, for the page to show. */
export function drawMachine(layout: Layout, scheme: Scheme): string {
  const { plan, width, height } = layout
  const { id, description } = plan.machine
  const key = drawKey(chipsOf(layout), width - 2 * LEFT, height + 20)
  return picture(
    { title: `The machine ${id}`, description, width, height: key.bottom + LEFT },
    scheme,
    element('g', { class: 'machine' }, drawParts(layout)),
    key.part,
  )
}

/** Draws the parts of a machine. States have `data-state`; arrows and labels have `data-transitions`. */
export function drawParts({ shapes, arrows, labels }: Layout): string {
  const around = shapes.filter(({ isAround }) => isAround)
  const inside = shapes.filter(({ isAround }) => !isAround)
  return [
    ...around.map((placed) => drawShape(placed, arrows, labels)),
    ...arrows.map(drawArrow),
    ...inside.map((placed) => drawShape(placed, arrows, labels)),
    ...arrows.map(({ arrow, label }) => (label ? drawLabel(arrow.label, label, labels, idsOf(arrow)) : '')),
  ].join('\n')
}

function drawShape(placed: PlacedShape, arrows: readonly PlacedArrow[], labels: Layout['labels']): string {
  const { shape, content, x, y, width, height } = placed
  switch (shape.kind) {
    case 'anywhere': {
      const own = arrows.filter(({ arrow }) => arrow.source === shape.id)
      return drawLabel(
        shape.label,
        placed,
        labels,
        own.map(({ arrow }) => idsOf(arrow)).join(' '),
        content.tag,
      )
    }
    case 'reference':
      return element(
        'g',
        { class: shape.role },
        box('shape', placed, height / 2),
        text('trigger', x + width / 2, y + height / 2, content.name, 'middle'),
      )
    case 'token':
      return element('g', { class: shape.role }, box('shape', placed, CORNER), ...words(placed))
    case 'state':
      return element(
        'g',
        { class: `state ${shape.role}`, 'data-state': shape.state.id },
        ...outlineOf(placed, shape),
        ...(shape.state.type === 'history'
          ? [text('trigger', x + width / 2, y + height / 2, content.name, 'middle')]
          : words(placed)),
      )
  }
}

type StateShape = Extract<PlacedShape['shape'], { kind: 'state' }>

function outlineOf(placed: PlacedShape, { state, isRegion, isInitial }: StateShape): string[] {
  const { content, x, y, width, height, isAround } = placed
  if (state.type === 'history')
    return [
      element('circle', { class: 'shape', cx: x + width / 2, cy: y + height / 2, r: content.width / 2 }),
    ]
  const top = y + PADDING.y + LINE.name / 2
  return [
    ...(isInitial ? [drawStart({ x, y: top })] : []),
    box(`${isAround ? 'around' : 'shape'}${isRegion ? ' region' : ''}`, placed, CORNER),
    ...(state.type === 'final' ? [box('inner', placed, CORNER, 4)] : []),
  ]
}

/** Draws the arrow from the start circle to a state. */
function drawStart(tip: Point): string {
  const from = { x: tip.x - START + DOT, y: tip.y }
  return (
    element('circle', { class: 'dot', cx: from.x, cy: from.y, r: DOT }) +
    element('path', { class: 'way', d: `M${at(from)}L${at(shortOf(tip, from))}` }) +
    drawHead(tip, from)
  )
}

function words({ content: { name, lines, invokes, written }, x, y }: PlacedShape): string[] {
  const left = x + PADDING.x
  let top = y + PADDING.y
  const line = (height: number) => {
    top += height
    return top - height / 2
  }
  return [
    text('name', left, line(LINE.name), name),
    ...lines.map((words) => text('text', left, line(LINE.text), words)),
    ...invokes.flatMap((id) => {
      const middle = line(LINE.sign) + 2
      return [
        element('path', { class: 'play', d: playAt(left, middle) }),
        text('text', left + SIGN, middle, id),
      ]
    }),
    ...written.flatMap((one) => {
      top += LINE.sign - LINE.text
      const sign = (one.leaves ? leaveAt : loopAt)(left, top + LINE.text / 2)
      const attributes = { 'data-transitions': idsOf(one) }
      return [
        element('path', { class: 'sign', d: sign }),
        ...one.words.map((part) => twoWords(left + SIGN, line(LINE.text), part, attributes)),
      ]
    }),
  ]
}

/** The sign of an actor that runs. */
function playAt(x: number, y: number): string {
  return `M${at({ x: x + 1, y: y - 5 })}l9 5l-9 5z`
}

/** The sign of a transition that does not leave its state. */
function loopAt(x: number, y: number): string {
  return `M${at({ x: x + 1, y: y - 4 })}h6a4 4 0 0 1 0 8h-5m3 -3l-3 3l3 3`
}

function drawArrow({ arrow, points, label }: PlacedArrow): string {
  const [tip, before] = [...points].reverse()
  if (tip === undefined || before === undefined) throw new TypeError(`the arrow ${arrow.id} has no way`)
  const way = [...points.slice(0, -1), shortOf(tip, before)]
  return element(
    'g',
    {
      class: `arrow${arrow.isMain ? ' main' : ''}${isLink(arrow) ? ' frame' : ''}`,
      'data-transitions': idsOf(arrow),
    },
    element('path', { class: 'way', d: withoutLabel(way, label).map(roundCorners).join('') }),
    drawHead(tip, before),
  )
}

/** Whether an arrow is not a transition, but leads from one token to the next. */
function isLink({ transitions }: Branch): boolean {
  return transitions.length === 0
}

/** Cuts a way where its label stands. */
function withoutLabel(points: readonly Point[], label: Box | undefined): Point[][] {
  const at = label ? legsOf(points).findIndex((leg) => crosses(leg, label)) : -1
  const [a, b] = points.slice(at)
  if (label === undefined || at < 0 || a === undefined || b === undefined) return [[...points]]
  const { x, y, width, height } = label
  const [near, far] = [
    { x: Math.min(Math.max(a.x, x), x + width), y: Math.min(Math.max(a.y, y), y + height) },
    { x: Math.min(Math.max(b.x, x), x + width), y: Math.min(Math.max(b.y, y), y + height) },
  ]
  return [
    [...points.slice(0, at + 1), near],
    [far, ...points.slice(at + 1)],
  ]
}

function drawHead(tip: Point, from: Point): string {
  const angle = Math.round((Math.atan2(tip.y - from.y, tip.x - from.x) * 180) / Math.PI)
  const d = `M0 0l${-HEAD.length} ${-HEAD.width / 2}l2.5 ${HEAD.width / 2}l-2.5 ${HEAD.width / 2}z`
  return element('path', {
    class: 'head',
    d,
    transform: `translate(${at(tip)}) rotate(${angle})`,
  })
}

/** Where the line ends: inside the arrowhead. */
function shortOf(tip: Point, { x, y }: Point): Point {
  const reach = HEAD.length - 4
  return { x: tip.x - Math.sign(tip.x - x) * reach, y: tip.y - Math.sign(tip.y - y) * reach }
}

/** An SVG path with rounded bends. */
function roundCorners(points: readonly Point[]): string {
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

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function toward(from: Point, to: Point, length: number): Point {
  const part = length / (distance(from, to) || 1)
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

function drawLabel(
  label: Label,
  place: Box,
  anchor: Layout['labels'],
  transitions: string,
  tag?: readonly string[],
): string {
  const x = anchor === 'start' ? place.x + LABEL_PADDING.x : place.x + place.width / 2
  const lines = wordsOf(label)
  const from = tag ?? []
  const top = place.y + (place.height - lines.length * LINE.label - from.length * LINE.tag) / 2
  const under = top + lines.length * LINE.label
  return element(
    'g',
    { class: 'label', 'data-transitions': transitions },
    // An arrow that comes from several states begins at a frame.
    box(tag ? 'box way' : 'box', place, 8),
    ...lines.map((line, index) =>
      twoWords(x, top + (index + 0.5) * LINE.label, line, { 'text-anchor': anchor }),
    ),
    ...from.map((words, index) => text('tag', x, under + (index + 0.5) * LINE.tag, words, anchor)),
  )
}

/** The sign of a transition to a state that is named. */
function leaveAt(x: number, y: number): string {
  return `M${at({ x, y })}h11m-4 -4l4 4l-4 4`
}

/** A chip of the key: what it means, and the colour or the sign that has this meaning. */
interface Chip {
  readonly means: string
  readonly role?: Role
  /** Pixels of its sign, which is drawn from its left end and from its middle line. */
  readonly width: number
  readonly draw: (x: number, y: number) => string
}

/** A word of the key in the letters of triggers. */
const TRIGGER = 'trigger'

/** The chips for what a picture has. */
function chipsOf({ shapes, arrows }: Layout): Chip[] {
  const isThere = (has: (shape: StateShape) => boolean) =>
    shapes.some(({ shape }) => shape.kind === 'state' && has(shape))
  const writes = (leaves: boolean) =>
    shapes.some(({ content: { written } }) => written.some((one) => one.leaves === leaves))
  const sign = (isShown: boolean, means: string, width: number, draw: Chip['draw']): Chip[] =>
    isShown ? [{ means, width, draw }] : []
  const path = (className: string, d: string) => element('path', { class: className, d })
  const arrow = (className: string) => (x: number, y: number) => {
    const way = path('way', `M${at({ x, y })}h20`)
    return element('g', { class: className }, way, drawHead({ x: x + 26, y }, { x, y }))
  }
  const roles = (Object.keys(ROLES) as Role[]).filter((role) =>
    shapes.some(({ shape }) => 'role' in shape && shape.role === role),
  )
  return [
    ...roles.map((role) => ({ means: ROLES[role], role, width: 0, draw: () => '' })),
    ...sign(
      isThere(({ state }) => state.type === 'final'),
      'final',
      16,
      (x, y) => {
        const place = { x, y: y - 8, width: 16, height: 16 }
        return element('g', { class: 'over' }, box('shape', place, 4), box('inner', place, 4, 3))
      },
    ),
    ...sign(
      isThere(({ isRegion }) => isRegion),
      'active together',
      26,
      (x, y) => box('box way frame', { x, y: y - 8, width: 26, height: 16 }, 4),
    ),
    ...sign(
      isThere(({ isInitial }) => isInitial),
      'begins here',
      START,
      (x, y) => drawStart({ x: x + START, y }),
    ),
    ...sign(
      arrows.some(({ arrow }) => arrow.isMain),
      'main path',
      26,
      arrow('main'),
    ),
    ...sign(
      arrows.some(({ arrow }) => isLink(arrow)),
      'replaced by',
      26,
      arrow('frame'),
    ),
    ...sign(true, 'condition', widthOf(TRIGGER, FONTS.trigger), (x, y) => text('trigger', x, y, TRIGGER)),
    ...sign(
      isThere(({ state }) => state.invokes.length > 0),
      'runs in this state',
      11,
      (x, y) => element('g', { class: 'working' }, path('play', playAt(x, y))),
    ),
    ...sign(writes(true), 'goes to the named state', 12, (x, y) => path('sign', leaveAt(x, y))),
    ...sign(writes(false), 'stays in the state', 12, (x, y) => path('sign', loopAt(x, y))),
    ...sign(
      isThere(({ state }) => state.type === 'history'),
      'the substate that was left last',
      18,
      (x, y) =>
        element('circle', { class: 'sign', cx: x + 9, cy: y, r: 9 }) + text('tag', x + 9, y, 'H', 'middle'),
    ),
  ]
}

/** Draws the key as chips, in as many rows as it needs. */
function drawKey(
  chips: readonly Chip[],
  width: number,
  top: number,
): { readonly part: string; readonly bottom: number } {
  let x = 0
  let y = top
  const drawn = chips.map(({ means, role, width: sign, draw }) => {
    const left = sign > 0 ? sign + CHIP.gap : 0
    const own = Math.ceil(left + widthOf(means, FONTS.text)) + 2 * CHIP.x
    if (x > 0 && x + own > width) {
      x = 0
      y += CHIP.height + CHIP.gap
    }
    const place = { x: LEFT + x, y, width: own, height: CHIP.height }
    const middle = y + CHIP.height / 2
    x += own + CHIP.gap
    return [
      element('g', { class: role ?? 'over' }, box(role ? 'shape' : 'inner', place, CHIP.height / 2)),
      draw(place.x + CHIP.x, middle),
      text('text', place.x + CHIP.x + left, middle, means),
    ].join('')
  })
  return { part: element('g', { class: 'key' }, ...drawn), bottom: y + CHIP.height }
}
