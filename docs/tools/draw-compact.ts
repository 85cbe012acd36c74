import { box, element, picture, type Scheme, text } from '../../src/pictures/svg.ts'
import type { CompactState } from './compact-lines.ts'
import { type Curve, pointOf } from './curve.ts'
import { type CompactArrow, type CompactLayout, STUB } from './place-compact.ts'
import { at, type Point } from './places.ts'
import { idsOf } from './plan-picture.ts'

/** Pixels: of corners, of the circle where a short arrow begins, and of an arrowhead. */
const CORNER = 7
const DOT = 3.5
const HEAD = { length: 8, width: 7 }

/** Pixels from the upper border of a state with substates to the middle of its name. */
const TITLE = 13

/**
 * Draws a machine as small as it can be read: every state with only its name, and transitions without labels. States beside
 * the main path have the class `aside`.
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
  const { target, isMain } = arrow
  const way = curve ?? stubOf(target, layout)
  const [{ x, y }, tip] = [way[0], way.at(-1)] as [Point, Point]
  const start = pointOf(way, DOT / Math.hypot(tip.x - x, tip.y - y))
  return element(
    'g',
    { class: isMain ? 'arrow main' : 'arrow', 'data-transitions': idsOf(arrow) },
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
