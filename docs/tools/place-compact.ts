import { FONTS, widthOf } from '../../src/pictures/measure-text.ts'
import { type CompactState, curvesOf, LINE, linesOf, type StateShape } from './compact-lines.ts'
import { type Curve, pointOf } from './curve.ts'
import { type Grid, type Measures, placeInGrid } from './place-in-grid.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** Pixels around a picture, for lines that lead around the widest row too. */
const MARGIN = { x: 17, y: 5 }

/** Pixels around a name. */
const PADDING = 6

/** Pixels beside a state for the beginning of a short arrow: into the initial state, or from several states. */
export const STUB = 16

const MEASURES: Measures = {
  gap: { x: 18, y: 22 },
  near: { x: 7, y: 7 },
  inside: { x: 7, top: 0, bottom: 7 },
  sizeOf: (shape) => ({
    width: shape.kind === 'state' ? Math.ceil(widthOf(shape.state.name, FONTS.trigger)) + 2 * PADDING : 0,
    height: LINE,
  }),
  isCentred: true,
  besideOf: stubsOf,
}

/** Transitions between two states, drawn as one line. Those that begin in several states have no line. */
export interface CompactArrow {
  readonly arrow: Arrow
  readonly curve: Curve | undefined
  /** Whether it leads back along the line of another one. */
  readonly isBack: boolean
}

/** A picture in which every state has only its name. */
export interface CompactLayout {
  readonly plan: Plan
  readonly width: number
  readonly height: number
  readonly states: readonly CompactState[]
  readonly arrows: readonly CompactArrow[]
}

/**
 * Gives every state a small box in a grid, and leads the lines between them through its gaps. The same plan always gets the
 * same places.
 */
export function placeCompact(plan: Plan, grid: Grid): CompactLayout {
  const lines = linesOf(plan)
  const shapes = plan.shapes.filter((shape): shape is StateShape => shape.kind === 'state')
  const placed = placeInGrid({ ...plan, shapes }, withoutLabels(grid), MEASURES)
  const left = Math.min(...placed.map(({ x }) => x)) - MARGIN.x
  const width = Math.max(...placed.map(({ x, width }) => x + width)) - left + MARGIN.x
  const states = placed.map(
    (one): CompactState => ({
      ...one,
      shape: one.shape as StateShape,
      x: one.x - left,
      y: one.y + STUB,
    }),
  )
  const curves = curvesOf(lines, states, width)
  const lowest = Math.max(
    ...states.map(({ y, height }) => y + height),
    ...curves.map((curve) => pointOf(curve, 0.5).y),
  )
  const arrows = plan.arrows.map((arrow): CompactArrow => {
    const index = lines.findIndex((line) => line.arrows.includes(arrow))
    const curve = curves[index]
    const isBack = curve !== undefined && lines[index]?.ends[0] !== arrow.source
    return { arrow, curve: isBack ? curve.toReversed() : curve, isBack }
  })
  return { plan, width, height: lowest + MARGIN.y, states, arrows }
}

/** The grid without the labels of transitions from several states. */
function withoutLabels(grid: Grid): Grid {
  return Object.fromEntries(
    Object.entries(grid).map(([parent, rows]) => [
      parent,
      rows.map((row) => row.replaceAll(/>\w+/g, '.')).filter((row) => /\w/.test(row)),
    ]),
  )
}

function stubsOf(shape: Shape, { arrows }: Plan): { left: number; right: number } {
  const isManifold =
    shape.parent !== '' &&
    arrows.some(({ source, target }) => target === shape.id && source.startsWith('anywhere'))
  const isInitial = shape.kind === 'state' && shape.isInitial && shape.parent !== ''
  return { left: isInitial ? STUB : 0, right: isManifold ? STUB : 0 }
}
