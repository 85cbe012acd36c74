import { across, type Curve, downThrough } from './curve.ts'
import { groupBy } from './group-by.ts'
import type { Box } from './places.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** Height in pixels of a state with one line, its name. */
export const LINE = 25

/** Pixels of the corner of a state, where no line ends, and of a step aside that is too small to mean anything. */
const CORNER = 7
const JOG = 16

/** Pixels between a line and a state, between lines in one gap, and to the edge of the picture. */
const CLEAR = 6
const APART = 7
const EDGE = 4

/** Pixels by which the control points of a curve between states of one row are below the row. */
const BOW = 26

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

/** A row of states: those that are in no other one. */
interface Row {
  readonly top: number
  readonly bottom: number
  readonly boxes: readonly Box[]
}

/** Where a line leads through a row: between which borders, and where it would like to. */
interface Pass {
  readonly row: Row
  readonly left: number
  readonly right: number
  x: number
}

/**
 * Leads each line through the gaps of the rows between its ends, so that none leads behind a state. The lines that leave
 * one side of a state begin beside each other, in the order in which they lead on.
 *
 * @param width Pixels of the picture.
 */
export function curvesOf(lines: readonly Line[], states: readonly CompactState[], width: number): Curve[] {
  const boxes = new Map(states.map((state) => [state.shape.id, state]))
  const rows = rowsOf(states)
  const rowOf = (id: string): number => {
    const { shape, y, height } = boxes.get(id) as CompactState
    if (shape.parent !== '') return rowOf(shape.parent)
    return rows.findIndex(({ top, bottom }) => y >= top && y + height <= bottom)
  }
  const ends = lines.map(({ ends }) => ends.map((id) => boxes.get(id)) as [CompactState, CompactState])
  const ways = lines.map(({ ends: [one, other] }) => [rowOf(one), rowOf(other)] as const)
  const passes = ends.map(([one, other], line) => {
    const [from, to] = ways[line] ?? [0, 0]
    const between = rows.slice(Math.min(from, to) + 1, Math.max(from, to))
    const [start, end] = [aimOf(one, other), aimOf(other, one)]
    return passesOf(start, end, from < to ? between : between.toReversed(), width)
  })
  spread(passes.flat())
  const sides = groupBy(
    ends.flatMap(([one, other], line) => [
      { line, box: one, isBelow: other.y > one.y, to: passes[line]?.[0]?.x ?? middleOf(other) },
      { line, box: other, isBelow: one.y > other.y, to: passes[line]?.at(-1)?.x ?? middleOf(one) },
    ]),
    ({ box, isBelow }) => `${box.shape.id} ${isBelow}`,
  )
  const ports = new Map<string, number>()
  for (const side of sides.values()) {
    const sorted = side.toSorted((a, b) => a.to - b.to)
    // The main path leads straight down through the middle.
    const main = sorted.findIndex(({ line, box, to }) => isMain(lines[line]) && to === middleOf(box))
    sorted.forEach(({ line, box }, index) => {
      ports.set(`${line} ${box.shape.id}`, box.x + box.width * partOf(index, main, side.length))
    })
  }
  return ends.map(([one, other], line) => {
    const port = (box: CompactState) => ports.get(`${line} ${box.shape.id}`) ?? middleOf(box)
    const way = ways[line]?.map((row) => rows[row]) as [Row, Row]
    return way[0] === way[1] && one.y < other.y + other.height && other.y < one.y + one.height
      ? inRow(one, other, port(one), port(other), way[0])
      : betweenRows(one, other, port(one), port(other), way, passes[line] ?? [])
  })
}

function isMain(line: Line | undefined): boolean {
  return line?.arrows.some(({ isMain }) => isMain) ?? false
}

/** Where one of several lines begins at the side of a state: all beside each other, or in the halves beside the main one. */
function partOf(index: number, main: number, count: number): number {
  if (main < 0) return (index + 1) / (count + 1)
  if (index <= main) return (index + 1) / (main + 1) / 2
  return 1 - (count - index) / (count - main) / 2
}

function rowsOf(states: readonly CompactState[]): Row[] {
  const rows = groupBy(
    states.filter(({ shape }) => shape.parent === ''),
    ({ y, height }) => String(y + height / 2),
  )
  return [...rows.values()].map((row) => ({
    top: Math.min(...row.map(({ y }) => y)),
    bottom: Math.max(...row.map(({ y, height }) => y + height)),
    boxes: row,
  }))
}

/** The nearest gap in each row on the way from one place to another, or what is nearest if there is none. */
function passesOf(from: number, to: number, rows: readonly Row[], width: number): Pass[] {
  let last = from
  return rows.map((row, index) => {
    const aim = last + (to - last) / (rows.length - index + 1)
    const borders = [
      EDGE - CLEAR,
      ...row.boxes.flatMap(({ x, width }) => [x, x + width]),
      width - EDGE + CLEAR,
    ]
    const gaps = borders
      .flatMap((left, at) =>
        at % 2 === 0 ? [{ left: left + CLEAR, right: (borders[at + 1] ?? 0) - CLEAR }] : [],
      )
      .filter(({ left, right }) => left <= right)
      .map((gap) => ({ row, ...gap, x: Math.max(gap.left, Math.min(aim, gap.right)) }))
    const pass = gaps.toSorted((a, b) => Math.abs(a.x - aim) - Math.abs(b.x - aim))[0]
    last = pass?.x ?? aim
    return pass ?? { row, left: aim, right: aim, x: aim }
  })
}

/** Lines in one gap lead beside each other. */
function spread(passes: readonly Pass[]): void {
  for (const gap of groupBy(passes, ({ row, left }) => `${row.top} ${left}`).values()) {
    const { left, right } = gap[0] as Pass
    const step = Math.min(APART, (right - left) / Math.max(1, gap.length - 1))
    const width = step * (gap.length - 1)
    const middle = gap.reduce((sum, { x }) => sum + x, 0) / gap.length
    const first = Math.max(left, Math.min(middle - width / 2, right - width))
    gap
      .toSorted((a, b) => a.x - b.x)
      .forEach((pass, index) => {
        pass.x = first + index * step
      })
  }
}

/** Straight to a neighbour, and below the row to another one. */
function inRow(one: CompactState, other: CompactState, from: number, to: number, row: Row): Curve {
  const [left, right] = one.x < other.x ? [one, other] : [other, one]
  const isBetween = row.boxes.some(({ x }) => x > left.x && x < right.x)
  if (isBetween) {
    const [start, end] = [one, other].map(({ y, height }) => y + height) as [number, number]
    const low = row.bottom + BOW
    return [
      { x: from, y: start },
      { x: from, y: low },
      { x: to, y: low },
      { x: to, y: end },
    ]
  }
  const side = (box: Box) => ({ x: box === left ? box.x + box.width : box.x, y: box.y + box.height / 2 })
  return across(side(one), side(other))
}

/** Straight down or up to the border of the row, then from gap to gap. */
function betweenRows(
  one: CompactState,
  other: CompactState,
  from: number,
  to: number,
  [first, last]: readonly [Row, Row],
  passes: readonly Pass[],
): Curve {
  const isDown = one.y < other.y
  const leave = (box: Box, isBelow: boolean) => (isBelow ? box.y + box.height : box.y)
  const border = (row: Row, isBelow: boolean) => (isBelow ? row.bottom : row.top)
  const [start, end] =
    passes.length === 0
      ? upright(one, other, from, to)
      : [
          upright(one, undefined, from, passes[0]?.x ?? 0)[0],
          upright(other, undefined, to, passes.at(-1)?.x ?? 0)[0],
        ]
  const points = [
    { x: start, y: leave(one, isDown) },
    ...(first === last ? [] : [{ x: start, y: border(first, isDown) }]),
    ...passes.flatMap(({ row, x }) => [
      { x, y: border(row, !isDown) },
      { x, y: border(row, isDown) },
    ]),
    ...(first === last ? [] : [{ x: end, y: border(last, !isDown) }]),
    { x: end, y: leave(other, !isDown) },
  ]
  return downThrough(points.filter(({ y }, index) => y !== points[index - 1]?.y))
}

/** A line leads straight to or from a state with substates. */
function aimOf(box: CompactState, other: Box): number {
  const x = middleOf(other)
  return box.isAround && x > box.x + CORNER && x < box.x + box.width - CORNER ? x : middleOf(box)
}

function middleOf({ x, width }: Box): number {
  return x + width / 2
}

/** A line ends straight above or below its beginning, if that is at a state with substates, or nearly there. */
function upright(
  one: CompactState,
  other: CompactState | undefined,
  from: number,
  to: number,
): [number, number] {
  const fits = (x: number, box: Box | undefined) =>
    !box || (x > box.x + CORNER && x < box.x + box.width - CORNER)
  if (other?.isAround && fits(from, other)) return [from, from]
  if (one.isAround && fits(to, one)) return [to, to]
  if (Math.abs(from - to) >= JOG) return [from, to]
  const middle = other ? (from + to) / 2 : to
  return fits(middle, one) && fits(middle, other) ? [middle, middle] : [from, to]
}
