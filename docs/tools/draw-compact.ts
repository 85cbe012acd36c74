import { FONTS, widthOf } from '../../src/pictures/measure-text.ts'
import { box, element, picture, round, type Scheme, text } from '../../src/pictures/svg.ts'
import { type CompactState, LINE } from './compact-lines.ts'
import { type Curve, pointOf } from './curve.ts'
import { triggerText } from './label.ts'
import { type CompactArrow, type CompactLayout, STUB } from './place-compact.ts'
import type { Box, Point } from './places.ts'
import type { Machine, Transition } from './read-machine.ts'

/** Pixels: of corners, of the circle where a short arrow begins, of an arrowhead, and of a label. */
const CORNER = 7
const DOT = 3.5
const HEAD = { length: 8, width: 7 }
const LABEL = { height: 18, padding: 5 }

/** Where beside its line a label may be, and where lines are looked at. */
const PARTS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]
const SAMPLES = Array.from({ length: 41 }, (_, index) => index / 40)

/** How much worse it is to cover a pixel of a name than a point of a line. */
const NAME = 2

/** Pixels from the upper border of a state with substates to the middle of its name. */
const TITLE = 13

/**
 * Draws a machine as small as it can be read: every state with only its name. Each transition has a label, which a page
 * shows when it is taken. States beside the usual way have the class `aside`.
 */
export function drawCompact(layout: CompactLayout, scheme: Scheme): string {
  const { plan, width, height, states, arrows } = layout
  const { id, description } = plan.machine
  const way = new Set(
    plan.arrows.filter(({ isMain }) => isMain).flatMap(({ source, target }) => [source, target]),
  )
  const draw = (state: CompactState) => drawState(state, way.has(state.shape.id))
  return picture(
    { title: `The machine ${id}`, description, width, height },
    scheme,
    ...states.filter(({ isAround }) => isAround).map(draw),
    ...arrows.map((one) => drawArrow(one, layout)),
    ...states.filter(({ isAround }) => !isAround).map(draw),
    ...arrows.flatMap(({ arrow, curve }) =>
      drawLabels(arrow.transitions, curve ?? stubOf(arrow.target, layout), layout),
    ),
    ...states.flatMap(({ shape, isAround, x, y, width, height }) => {
      const middle = { x: x + width / 2, y: y + (isAround ? TITLE : height / 2) }
      return shape.written.flatMap(({ transitions }) =>
        drawLabels(transitions, straight(middle, middle), layout),
      )
    }),
  )
}

function drawState({ shape, isAround, ...place }: CompactState, isOnWay: boolean): string {
  const { state, role, isInitial, isRegion } = shape
  const { x, y, width, height } = place
  const isFinal = state.type === 'final'
  const middle = isAround ? y + TITLE : y + height / 2
  const start = {
    x: x + (shape.parent === '' ? STUB : DOT - STUB),
    y: shape.parent === '' ? y - STUB + DOT : middle,
  }
  const tip = shape.parent === '' ? { x: start.x, y } : { x, y: middle }
  return element(
    'g',
    { class: `state ${role}${isOnWay ? '' : ' aside'}`, 'data-state': state.id },
    ...(isInitial
      ? [element('circle', { class: 'dot', cx: start.x, cy: start.y, r: DOT }), drawWay(straight(start, tip))]
      : []),
    box(`${isAround ? 'around' : 'shape'}${isRegion ? ' region' : ''}`, place, CORNER),
    ...(isFinal ? [box('inner', place, CORNER, 2.5)] : []),
    text('trigger', x + width / 2, middle, state.type === 'history' ? 'H' : state.name, 'middle'),
  )
}

/** A short arrow into a state, from several states: from above, or from the right where there is a name above. */
function stubOf(target: string, { states }: CompactLayout): Curve {
  const state = states.find(({ shape }) => shape.id === target)
  if (state === undefined) throw new TypeError(`there is no state ${target}`)
  const { shape, x, y, width, height } = state
  const right = x + width
  if (shape.parent === '') return straight({ x: right - STUB, y: y - STUB + DOT }, { x: right - STUB, y })
  return straight({ x: right + STUB - DOT, y: y + height / 2 }, { x: right, y: y + height / 2 })
}

function straight(from: Point, to: Point): Curve {
  return [from, from, to, to]
}

function drawArrow({ arrow, curve, isBack }: CompactArrow, layout: CompactLayout): string {
  const { target, transitions, isMain } = arrow
  const way = curve ?? stubOf(target, layout)
  const [{ x, y }, tip] = [way[0], way.at(-1)] as [Point, Point]
  const start = pointOf(way, DOT / Math.hypot(tip.x - x, tip.y - y))
  return element(
    'g',
    { class: isMain ? 'arrow main' : 'arrow', 'data-transitions': idsOf(transitions) },
    ...(curve ? [] : [element('circle', { class: 'way', cx: x, cy: y, r: DOT })]),
    drawWay(curve ? way : straight(start, tip), isBack ? 'way back' : 'way'),
  )
}

/** A line with its head. */
function drawWay(curve: Curve, className = 'way'): string {
  const [from, ...rest] = curve as [Point, ...Point[]]
  const [second, tip] = curve.slice(-2) as [Point, Point]
  // Lines end straight across or straight up or down.
  const back = second.x === tip.x && second.y === tip.y ? from : second
  const down = Math.sign(Math.round(tip.y - back.y))
  const angle = down === 0 ? (tip.x < back.x ? 180 : 0) : 90 * down
  const head = `M0 0l${-HEAD.length} ${-HEAD.width / 2}l2 ${HEAD.width / 2}l-2 ${HEAD.width / 2}z`
  return (
    element('path', { class: className, d: `M${at(from)}C${rest.map(at).join(' ')}` }) +
    element('path', { class: 'head', d: head, transform: `translate(${at(tip)}) rotate(${angle})` })
  )
}

/** The labels of transitions, each where it covers as little as it can. */
function drawLabels(transitions: readonly Transition[], curve: Curve, layout: CompactLayout): string[] {
  const words = new Map<string, Transition[]>()
  for (const transition of transitions) {
    const told = wordsOf(transition, layout.plan.machine)
    words.set(told, [...(words.get(told) ?? []), transition])
  }
  return [...words].map(([told, group]) => {
    const place = placeOf(told, curve, layout)
    return element(
      'g',
      { class: 'label', 'data-transitions': idsOf(group), display: 'none' },
      text('trigger', place.x + place.width / 2, place.y + place.height / 2, told, 'middle'),
    )
  })
}

/** An event by its name, and anything else by what it is: of "response: expired" the end, for which there is room. */
function wordsOf({ trigger, description }: Transition, machine: Machine): string {
  if (trigger.kind === 'event') return trigger.name
  return description?.replace(/^.*: /, '') ?? triggerText(trigger, machine)
}

/** On the line or beside it, where it covers no name, and few lines. */
function placeOf(words: string, curve: Curve, { states, arrows, width, height }: CompactLayout): Box {
  const size = { width: Math.ceil(widthOf(words, FONTS.trigger)) + 2 * LABEL.padding, height: LABEL.height }
  const places = PARTS.flatMap((part) =>
    [0, -1, 1].flatMap((across) =>
      [0, -20, 20, -30, 30].map((aside) => {
        const { x, y } = pointOf(curve, part)
        return {
          x: within(x + ((across - 1) * size.width) / 2, width - size.width),
          y: within(y - size.height / 2 + aside, height - size.height),
          ...size,
        }
      }),
    ),
  )
  const names = states.map(({ isAround, ...state }) => (isAround ? { ...state, height: LINE } : state))
  const points = arrows.flatMap((arrow) =>
    SAMPLES.flatMap((part) => (arrow.curve ? [pointOf(arrow.curve, part)] : [])),
  )
  const covered = (place: Box) =>
    names.reduce((sum, name) => sum + NAME * common(place, name), 0) +
    points.filter(({ x, y }) => common(place, { x, y, width: 1, height: 1 }) > 0).length
  return places
    .map((place) => ({ place, cost: covered(place) }))
    .reduce((best, one) => (one.cost < best.cost ? one : best)).place
}

/** The area that two boxes share. */
function common(one: Box, other: Box): number {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  return Math.max(0, across) * Math.max(0, down)
}

function within(value: number, most: number): number {
  return Math.max(0, Math.min(value, most))
}

function idsOf(transitions: readonly Transition[]): string {
  return [...new Set(transitions.map(({ id }) => id))].join(' ')
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`
}
