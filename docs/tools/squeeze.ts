import { type Box, type Layout, legsOf, type PlacedShape, type Point, startOf, wordsBox } from './places.ts'

/** Pixels of such a band between columns. */
const COLUMN = 20

/** Pixels of an empty band between rows that nothing but arrows cross. */
const ROW = 30

/** Takes wide empty bands out of a layout, first from top to bottom and then from left to right. */
export function squeeze(layout: Layout): Layout {
  return along('x', along('y', layout, ROW), COLUMN)
}

function along(axis: 'x' | 'y', layout: Layout, band: number): Layout {
  const side = axis === 'x' ? 'width' : 'height'
  const shift = shiftOf(takenAlong(axis, layout), band)
  const movedPoint = (point: Point): Point => ({ ...point, [axis]: shift(point[axis]) })
  const moved = <Moved extends Box>(box: Moved): Moved => ({
    ...box,
    [axis]: shift(box[axis]),
    [side]: shift(box[axis] + box[side]) - shift(box[axis]),
  })
  return {
    ...layout,
    [side]: shift(layout[side]),
    shapes: layout.shapes.map(moved),
    arrows: layout.arrows.map(({ arrow, points, label }) => ({
      arrow,
      points: points.map(movedPoint),
      label: label && moved(label),
    })),
  }
}

type Interval = readonly [number, number]

/** Where something is: shapes, words, borders, and the legs of arrows that run across. */
function takenAlong(axis: 'x' | 'y', { shapes, arrows }: Layout): Interval[] {
  const side = axis === 'x' ? 'width' : 'height'
  const boxes = [
    ...shapes.map((placed) => withStart(placed.isAround ? { ...placed, ...wordsBox(placed) } : placed)),
    ...arrows.flatMap(({ label }) => label ?? []),
  ]
  const borders = shapes.filter(({ isAround }) => isAround).map((box) => box[axis] + box[side])
  const legs = arrows.flatMap(({ points }) => legsOf(points)).filter(([a, b]) => a[axis] === b[axis])
  const lines = [...borders, ...legs.map(([a]) => a[axis])]
  return [
    ...boxes.map((box): Interval => [box[axis], box[axis] + box[side]]),
    ...lines.map((at): Interval => [at, at]),
  ]
}

/** The place of a shape, with the start circle at its left. */
export function withStart({ x, y, width, height, shape }: PlacedShape): Box {
  const start = startOf(shape)
  return { x: x - start, y, width: width + start, height }
}

/** Moves a coordinate by what the bands before it lose. */
function shiftOf(taken: readonly Interval[], most: number): (at: number) => number {
  const bands: Interval[] = []
  let reached = 0
  for (const [from, to] of taken.toSorted(([a], [b]) => a - b)) {
    if (from - reached > most) bands.push([reached, from])
    reached = Math.max(reached, to)
  }
  return (at) =>
    bands.reduce((moved, [from, to]) => {
      const excess = to - from - most
      return moved - Math.max(0, Math.min(at - from, excess))
    }, at)
}
