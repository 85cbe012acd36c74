import { contentOf, PADDING } from './content.ts'
import { findWays } from './find-ways.ts'
import { type Grid, type Measures, placeInGrid } from './place-in-grid.ts'
import { type Box, type Layout, type PlacedArrow, type PlacedShape, startOf } from './places.ts'
import type { Arrow, Plan } from './plan-picture.ts'
import { squeeze, withStart } from './squeeze.ts'
import { untangle } from './untangle.ts'

/** Pixels around a picture. */
const MARGIN = 8

/** The cost at which an arrow is harder to follow than a line in the state that it leaves. */
const HARD = 600

/** Pixels at which the text of states beside the main path wraps. */
const ASIDE = 150

/** Pixels between rows, which leave room for arrows and labels. */
const ROW = 140

const MEASURES: Omit<Measures, 'gap'> = {
  near: { x: 15, y: 22 },
  inside: { x: 16, top: 10 - PADDING.y, bottom: 18 },
  sizeOf: (shape, { shapes }, width) => {
    const content = contentOf(shape, shapes, width)
    return { ...content, width: content.width - startOf(shape) }
  },
  besideOf: (shape) => ({ left: startOf(shape), right: 0 }),
}

/** Pixels between columns that are tried. */
const GAPS = [57, 36]

/**
 * Gives every shape, arrow and label of a plan its place: shapes in a grid, arrows around them. An arrow that would be hard to
 * follow is written into the state that it leaves. The same plan always gets the same places.
 *
 * @param widest Pixels.
 */
export function layOut(plan: Plan, grid: Grid, widest: number): Layout {
  for (const gap of GAPS) {
    const layout = squeeze(arrange(narrowed(plan), grid, gap))
    if (layout.width <= widest) return { ...layout, plan }
  }
  throw new TypeError(`the picture of ${plan.machine.id} is wider than ${widest} pixels`)
}

/** Wraps the text of states beside the main path earlier. */
function narrowed(plan: Plan): Plan {
  const ends = plan.arrows.flatMap(({ isMain, source, target }) => (isMain ? [source, target] : []))
  const shapes = plan.shapes.map((shape) =>
    shape.kind === 'state' && !ends.includes(shape.id) ? { ...shape, room: ASIDE } : shape,
  )
  return { ...plan, shapes }
}

function arrange(plan: Plan, grid: Grid, gap: number): Layout {
  const shapes = placeInGrid(plan, grid, { ...MEASURES, gap: { x: gap, y: ROW } }).map((one) => ({
    ...one,
    content: contentOf(one.shape, plan.shapes, one.isAround ? one.width : undefined),
  }))
  const arrows = plan.arrows.toSorted((a, b) => Number(b.isMain) - Number(a.isMain))
  const choices = untangle(arrows.map((arrow) => findWays(arrow, shapes)))
  const hard = arrows
    .map((arrow, index) => ({ arrow, cost: choices[index]?.cost ?? Number.POSITIVE_INFINITY }))
    .filter(({ arrow, cost }) => cost > HARD && !arrow.isMain && isState(arrow.source, plan))
    .toSorted((a, b) => b.cost - a.cost)
  if (hard.length > 0) {
    // The others are easier to follow without the hardest.
    const hardest = hard.slice(0, Math.ceil(hard.length / 3))
    return arrange(
      hardest.reduce((fewer, { arrow }) => write(fewer, arrow), plan),
      grid,
      gap,
    )
  }
  const placed = arrows.map((arrow, index) => {
    const way = choices[index]?.way
    if (way === undefined) throw new TypeError(`the arrow ${arrow.id} has no way`)
    return { arrow, points: way.points, label: way.label }
  })
  return framed(plan, shapes, placed)
}

function isState(id: string, { shapes }: Plan): boolean {
  return shapes.some((shape) => shape.id === id && shape.kind === 'state')
}

/** Writes an arrow as a line into the state that it leaves. */
function write(plan: Plan, arrow: Arrow): Plan {
  return {
    ...plan,
    arrows: plan.arrows.filter((other) => other !== arrow),
    shapes: plan.shapes.map((shape) =>
      shape.kind === 'state' && shape.id === arrow.source
        ? { ...shape, written: [...shape.written, arrow] }
        : shape,
    ),
  }
}

/** Moves everything to the right of the left margin and below the upper one. */
function framed(plan: Plan, shapes: readonly PlacedShape[], arrows: readonly PlacedArrow[]): Layout {
  const boxes = [
    ...shapes.map(withStart),
    ...arrows.flatMap(({ label }) => label ?? []),
    ...arrows.flatMap(({ points }) => points.map(({ x, y }) => ({ x, y, width: 0, height: 0 }))),
  ]
  const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN
  const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN
  const moved = <Moved extends Pick<Box, 'x' | 'y'>>(one: Moved): Moved => ({
    ...one,
    x: one.x - left,
    y: one.y - top,
  })
  return {
    plan,
    labels: 'middle',
    width: Math.max(...boxes.map(({ x, width }) => x + width)) - left + MARGIN,
    height: Math.max(...boxes.map(({ y, height }) => y + height)) - top + MARGIN,
    shapes: shapes.map(moved),
    arrows: arrows.map(({ arrow, points, label }) => ({
      arrow,
      points: points.map(moved),
      label: label && moved(label),
    })),
  }
}
