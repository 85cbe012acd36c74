import { labelSize } from './content.ts'
import type { GridShape } from './place-in-grid.ts'
import {
  type Box,
  boxAround,
  crosses,
  grown,
  type Leg,
  legsOf,
  type PlacedShape,
  type Point,
  startBox,
  wordsBox,
} from './places.ts'
import type { Arrow } from './plan-picture.ts'

/** One way for an arrow, with a place for its label. The cost says how hard it is to follow. */
export interface Way {
  readonly points: readonly Point[]
  readonly legs: readonly Leg[]
  readonly label: Box | undefined
  /** Around all of it. */
  readonly around: Box
  readonly cost: number
}

/** Pixels between the ends of arrows at one side of a state, from them to its corners, and between the lanes of arrows. */
const PORT = 22
const CORNER = 15
const LANE = 14

/** Pixels of an arrow that must be visible at its ends, and beside its label. */
const STUB = 20
const VISIBLE = 14

/** Pixels around shapes that stay free, and around all of them for arrows. */
const CLEAR = 8
const AROUND = 84

/** How many ways of an arrow are compared with those of others. */
const MOST = 400

/** What a bend costs, a pixel, and a pixel beside the axis. */
const COST = { bend: 60, length: 0.3, aside: 0.6, labelAside: 0.4 }

/** The cost of a way that nobody would follow, and how much more each costs on the main path. */
const WORST = 800
const MAIN = 3

/** Parts of a leg at which its label may be. */
const PARTS = [0.5, 0.35, 0.65, 0.2, 0.8]

type Side = 'top' | 'bottom' | 'left' | 'right'
const SIDES: readonly Side[] = ['top', 'bottom', 'left', 'right']

/** A shape where arrows may end. */
type End = PlacedShape & GridShape

/** Where an arrow may begin or end. */
interface Port extends Point {
  readonly side: Side
  readonly aside: number
}

/** Finds the ways that an arrow can take without touching a shape, the best first. */
export function findWays(arrow: Arrow, shapes: readonly End[]): Way[] {
  const [source, target] = [arrow.source, arrow.target].map((end) =>
    shapes.find(({ shape }) => shape.id === end),
  )
  if (source === undefined || target === undefined) throw new TypeError(`the arrow ${arrow.id} has no end`)
  const obstacles = obstaclesOf(arrow, shapes)
  const isFree = (box: Box) => obstacles.every((other) => !meet(box, other, CLEAR))
  const ends = [source, target].map((end) => grown(end, -1))
  const lanes = lanesOf(shapes)
  // The main path leads straight down its column.
  const isStraight = arrow.isMain && source.axis === target.axis && source.y < target.y
  const routes = portsOf(source, target).flatMap((from) =>
    portsOf(target, source).flatMap((to) =>
      routesOf(from, to, lanes).flatMap((points) => {
        if (isStraight && points.some(({ x }) => x !== source.axis)) return []
        const cost = costOf(points) + COST.aside * (from.aside + to.aside)
        return cost > WORST ? [] : [{ points, cost: arrow.isMain ? MAIN * cost : cost }]
      }),
    ),
  )
  const closed = [...obstacles, ...ends]
  const ways: Way[] = []
  const size = arrow.label.length > 0 ? labelSize(arrow.label) : undefined
  for (const { points, cost } of routes.toSorted((a, b) => a.cost - b.cost)) {
    if (ways.length >= MOST) break
    if (closed.some((box) => crosses(points, box))) continue
    const legs = legsOf(points)
    if (size === undefined) ways.push({ points, legs, label: undefined, around: boxAround(points), cost })
    else
      for (const { label, aside } of labelsOf(legs, size))
        if (isFree(label) && [source, target].every((end) => end.isAround || !meet(label, end, 4)))
          ways.push({
            points,
            legs,
            label,
            around: boxAround(points, label),
            cost: cost + COST.labelAside * aside,
          })
  }
  return ways
}

function costOf(points: readonly Point[]): number {
  const length = points.reduce((sum, { x, y }, index) => {
    const before = points[index - 1]
    return before ? sum + Math.abs(before.x - x) + Math.abs(before.y - y) : 0
  }, 0)
  return COST.bend * (points.length - 2) + COST.length * length
}

/** Shapes with space around them, and the words of those that the arrow leads into or out of. */
function obstaclesOf({ source, target }: Arrow, shapes: readonly End[]): Box[] {
  return shapes.flatMap((placed) => {
    const { id } = placed.shape
    const start = startBox(placed)
    if (id === source || id === target) return start
    const isAround = [source, target].some((end) => end.startsWith(`${id}.`))
    return [...start, isAround ? wordsBox(placed) : grown(placed, CLEAR)]
  })
}

/** Whether two boxes overlap or are nearer to each other than this. */
export function meet(one: Box, other: Box, clear: number): boolean {
  return (
    one.x < other.x + other.width + clear &&
    other.x < one.x + one.width + clear &&
    one.y < other.y + other.height + clear &&
    other.y < one.y + one.height + clear
  )
}

/** Places at the borders of a shape: at its axis, beside it, and straight across from the axis of the other. */
function portsOf(shape: End, other: End): Port[] {
  const { x, y, width, height, axis } = shape
  const middle = y + height / 2
  const across = placesIn(x, x + width, axis, other.axis)
  const down = placesIn(y, y + height, middle, other.y + other.height / 2)
  return SIDES.flatMap((side): Port[] =>
    side === 'top' || side === 'bottom'
      ? across.map((at) => ({ side, x: at, y: side === 'top' ? y : y + height, aside: Math.abs(at - axis) }))
      : down.map((at) => ({ side, x: side === 'left' ? x : x + width, y: at, aside: Math.abs(at - middle) })),
  )
}

function placesIn(from: number, to: number, middle: number, other: number): number[] {
  const places = [middle, other]
  for (let step = PORT; step < to - from; step += PORT) places.push(middle - step, middle + step)
  return [...new Set(places)].filter((at) => at === middle || (at >= from + CORNER && at <= to - CORNER))
}

/** Lines beside the shapes along which arrows may lead. */
function lanesOf(shapes: readonly End[]): Readonly<Record<'x' | 'y', number[]>> {
  const along = (least: number, most: number) =>
    Array.from(
      { length: Math.ceil((most - least + 2 * AROUND) / LANE) },
      (_, index) => least - AROUND + index * LANE,
    )
  return {
    x: along(Math.min(...shapes.map(({ x }) => x)), Math.max(...shapes.map(({ x, width }) => x + width))),
    y: along(Math.min(...shapes.map(({ y }) => y)), Math.max(...shapes.map(({ y, height }) => y + height))),
  }
}

/** The ways between two ports with at most two bends. */
function routesOf(from: Port, to: Port, lanes: Readonly<Record<'x' | 'y', number[]>>): Point[][] {
  const leavesAcross = from.side === 'left' || from.side === 'right'
  const entersAcross = to.side === 'left' || to.side === 'right'
  const start = { x: from.x, y: from.y }
  const end = { x: to.x, y: to.y }
  if (leavesAcross !== entersAcross) {
    const bend = leavesAcross ? { x: end.x, y: start.y } : { x: start.x, y: end.y }
    return isOutside(from, bend) && isOutside(to, bend) ? [[start, bend, end]] : []
  }
  const [axis, other] = leavesAcross ? (['x', 'y'] as const) : (['y', 'x'] as const)
  if (start[other] === end[other]) return isOutside(from, end) && isOutside(to, start) ? [[start, end]] : []
  return lanes[axis].flatMap((lane) => {
    const first = leavesAcross ? { x: lane, y: start.y } : { x: start.x, y: lane }
    const second = leavesAcross ? { x: lane, y: end.y } : { x: end.x, y: lane }
    return isOutside(from, first) && isOutside(to, second) ? [[start, first, second, end]] : []
  })
}

/** Whether a port can be left straight to a point, far enough for the arrow to be seen. */
function isOutside({ side, x, y }: Port, point: Point): boolean {
  if (side === 'top') return point.y <= y - STUB
  if (side === 'bottom') return point.y >= y + STUB
  return side === 'left' ? point.x <= x - STUB : point.x >= x + STUB
}

/** Places of a label on the legs of a way that are long enough. */
function labelsOf(legs: readonly Leg[], { width, height }: Pick<Box, 'width' | 'height'>) {
  return legs.flatMap(([a, b], index) => {
    const isAcross = a.y === b.y
    const length = Math.abs(a.x - b.x) + Math.abs(a.y - b.y)
    const own = isAcross ? width : height
    const ends = VISIBLE + (index === legs.length - 1 ? VISIBLE + 6 : VISIBLE)
    if (length < own + ends) return []
    return PARTS.flatMap((part) => {
      const from = part * length - own / 2
      if (from < VISIBLE || length - from - own < ends - VISIBLE) return []
      const middle = { x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y) }
      return [
        {
          label: { x: middle.x - width / 2, y: middle.y - height / 2, width, height },
          aside: Math.abs(part - 0.5) * length,
        },
      ]
    })
  })
}
