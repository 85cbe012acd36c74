import { type Curve, curveBetween } from './curve.ts'
import { groupBy } from './group-by.ts'
import type { Box } from './places.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** Height in pixels of a state with one line, its name. */
export const LINE = 25

/** Pixels of the corner of a state, where no line ends, and of a step aside that is too small to mean anything. */
const CORNER = 7
const JOG = 16

/** A state in a compact picture. */
export interface CompactState extends Box {
  readonly shape: StateShape
  readonly isAround: boolean
}

export type StateShape = Extract<Shape, { kind: 'state' }>

/** Arrows between two states, which share one line. */
export interface Line {
  readonly ends: readonly [string, string]
  readonly arrows: readonly Arrow[]
}

/** Both directions between two states share one line. */
export function linesOf({ shapes, arrows }: Plan): Line[] {
  const isState = (id: string) => shapes.some((shape) => shape.id === id && shape.kind === 'state')
  const groups = groupBy(
    arrows.filter(({ source }) => isState(source)),
    ({ source, target }) => [source, target].toSorted().join(' '),
  )
  return [...groups.values()].map((group) => {
    const { source, target } = group[0] as Arrow
    return { ends: [source, target], arrows: group }
  })
}

/** The lines that leave one side of a state begin beside each other, in the order of their other ends. */
export function curvesOf(lines: readonly Line[], states: readonly CompactState[]): Curve[] {
  const boxes = new Map(states.map((state) => [state.shape.id, state]))
  const leaves = states.filter(({ isAround }) => !isAround)
  const ends = lines.map(({ ends }) => ends.map((id) => boxes.get(id)) as [CompactState, CompactState])
  const sides = new Map<string, { line: number; to: number }[]>()
  ends.forEach(([one, other], line) => {
    for (const [box, end] of [
      [one, other],
      [other, one],
    ] as const) {
      const side = sides.get(sideOf(box, end)) ?? []
      side.push({ line, to: middleOf(end) })
      sides.set(sideOf(box, end), side)
    }
  })
  for (const side of sides.values()) side.sort((a, b) => a.to - b.to)
  const port = (line: number, box: CompactState, other: CompactState) => {
    const side = sides.get(sideOf(box, other)) ?? []
    return box.x + (box.width * (side.findIndex((end) => end.line === line) + 1)) / (side.length + 1)
  }
  return ends.map(([one, other], line) => {
    const isBetween = leaves.some(
      (box) =>
        box !== one &&
        box !== other &&
        Math.abs(box.y - one.y) < LINE &&
        (middleOf(box) - middleOf(one)) * (middleOf(box) - middleOf(other)) < 0,
    )
    const [from, to] = upright(one, other, port(line, one, other), port(line, other, one))
    return curveBetween(one, other, from, to, isBetween)
  })
}

function sideOf({ shape, y }: CompactState, other: Box): string {
  return `${shape.id} ${other.y > y ? 'below' : 'above'}`
}

function middleOf({ x, width }: Box): number {
  return x + width / 2
}

/** A line ends straight above or below its beginning, if that is at a state with substates, or nearly there. */
function upright(one: CompactState, other: CompactState, from: number, to: number): [number, number] {
  const fits = (x: number, box: Box) => x > box.x + CORNER && x < box.x + box.width - CORNER
  if (other.isAround && fits(from, other)) return [from, from]
  if (one.isAround && fits(to, one)) return [to, to]
  const middle = (from + to) / 2
  const isNearly = Math.abs(from - to) < JOG && fits(middle, one) && fits(middle, other)
  return isNearly ? [middle, middle] : [from, to]
}
