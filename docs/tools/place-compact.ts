import { FONTS, widthOf } from '../../src/pictures/measure-text.ts'
import { type CompactState, curvesOf, LINE, type Line, linesOf, type StateShape } from './compact-lines.ts'
import { type Curve, jointsOf, pointOf, through } from './curve.ts'
import type { Point } from './places.ts'
import type { Arrow, Plan } from './plan-picture.ts'

/** The size that a picture may have for its letters to have 12 pixels on a phone, its best shape, and its margin. */
const WIDEST = 352
const HIGHEST = 320
const SHAPE = 1.2
const MARGIN = 5

/** Pixels around a name, and inside a state with substates. */
const PADDING = 6
const INSIDE = 7

/** Pixels between states beside each other, at least and at most, between substates, and between rows. */
const GAP = 18
const NEAR = 7
const WIDE_GAP = 60
const ROW = 37

/** Pixels beside a state for the beginning of a short arrow: into the initial state, or from several states. */
export const STUB = 16

/** Pixels for lines that lead around the widest row. */
const BESIDE = 24

/** How many places are tried, and how much worse ones are taken at first. */
const TRIES = 3500
const HEAT = 200

/** How much harder to read a picture is by each pixel, state or crossing. */
const UNREST = {
  tooWide: 60,
  tooHigh: 8,
  shape: 0.3,
  length: 0.35,
  through: 1000,
  crossing: 22,
  wrongWay: 100,
  lateStart: 6,
  start: 0.3,
}

/** Pixels that a state needs beside it for short arrows. */
interface Stubs {
  readonly left: number
  readonly right: number
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

/** A state with its substates, as large as they need. Their places are relative to its own. */
interface Block {
  readonly shape: StateShape
  readonly stubs: Stubs
  readonly width: number
  readonly height: number
  readonly inside: readonly { readonly block: Block; readonly x: number; readonly y: number }[]
}

/** Blocks in rows, from top to bottom. */
type Rows = readonly (readonly Block[])[]

/**
 * Gives every state a small box, in rows, so that few arrows cross and none leads through a state. The same plan always
 * gets the same places.
 */
export function placeCompact(plan: Plan): CompactLayout {
  const lines = linesOf(plan)
  const random = randomNumbers()
  let rows: Rows = inOrder(blocksOf('', plan))
  let unrest = unrestOf(rows, lines)
  let best = { rows, unrest }
  for (let left = TRIES; left > 0; left -= 1) {
    const changed = change(rows, random)
    const other = unrestOf(changed, lines)
    // At first worse places are taken too, for they may lead to better ones.
    const heat = HEAT * (left / TRIES) ** 2
    if (other > unrest && random() > Math.exp((unrest - other) / heat)) continue
    rows = changed
    unrest = other
    if (unrest < best.unrest) best = { rows, unrest }
  }
  const { curves, ...layout } = placeRows(best.rows, lines)
  const arrows = plan.arrows.map((arrow): CompactArrow => {
    const index = lines.findIndex((line) => line.arrows.includes(arrow))
    const curve = curves[index]
    const isBack = curve !== undefined && lines[index]?.ends[0] !== arrow.source
    return { arrow, curve: isBack ? curve.toReversed() : curve, isBack }
  })
  return { plan, ...layout, arrows }
}

function blocksOf(parent: string, plan: Plan): Block[] {
  return plan.shapes
    .filter((shape) => shape.kind === 'state')
    .filter((shape) => shape.parent === parent)
    .map((shape) => blockOf(shape, plan))
}

function blockOf(shape: StateShape, plan: Plan): Block {
  const stubs = stubsOf(shape, plan)
  const own = Math.ceil(widthOf(shape.state.name, FONTS.trigger)) + 2 * PADDING
  const blocks = blocksOf(shape.id, plan)
  if (blocks.length === 0)
    return { shape, stubs, width: own + stubs.left + stubs.right, height: LINE, inside: [] }
  const rows = inOrder(blocks, WIDEST - 2 * INSIDE - stubs.left - stubs.right)
  const width = Math.max(own, ...rows.map(leastWidth)) + 2 * INSIDE
  let y = LINE
  const inside = rows.flatMap((row) => {
    const placed = inRow(row, stubs.left + INSIDE, y, width - 2 * INSIDE)
    y += heightOf(row) + NEAR
    return placed
  })
  return { shape, stubs, width: width + stubs.left + stubs.right, height: y, inside }
}

function stubsOf({ id, parent, isInitial }: StateShape, { arrows }: Plan): Stubs {
  const isManifold =
    parent !== '' && arrows.some(({ source, target }) => target === id && source.startsWith('anywhere'))
  return { left: isInitial && parent !== '' ? STUB : 0, right: isManifold ? STUB : 0 }
}

/** Fills one row after the other. */
function inOrder(blocks: readonly Block[], widest = WIDEST): Block[][] {
  const rows: Block[][] = []
  for (const block of blocks) {
    const last = rows.at(-1)
    if (last && leastWidth([...last, block]) <= widest) last.push(block)
    else rows.push([block])
  }
  return rows
}

function leastWidth(row: readonly Block[]): number {
  return row.reduce((sum, { width, shape }) => sum + width + gapOf(shape), 0) - gapOf(row[0]?.shape)
}

/** Substates stand nearer to each other. */
function gapOf(shape: StateShape | undefined): number {
  return shape?.parent === '' ? GAP : NEAR
}

function heightOf(row: readonly Block[]): number {
  return Math.max(...row.map(({ height }) => height))
}

/** The blocks of a row, spread over its width. */
function inRow(row: readonly Block[], left: number, top: number, width: number) {
  const more = Math.min(WIDE_GAP, (width - leastWidth(row)) / (row.length + 1))
  let x = left + (width - leastWidth(row) - more * (row.length - 1)) / 2
  return row.map((block) => {
    const placed = { block, x, y: top + (heightOf(row) - block.height) / 2 }
    x += block.width + gapOf(block.shape) + more
    return placed
  })
}

/** Moves a block to another place, or lets two of them change places. */
function change(rows: Rows, random: () => number): Rows {
  const pick = (count: number) => Math.floor(random() * count)
  const all = rows.flat()
  const [one, other] = [all[pick(all.length)], all[pick(all.length)]]
  if (random() < 0.4)
    return rows.map((row) =>
      row.map((block) => (block === one ? other : block === other ? one : block) as Block),
    )
  const left = rows.map((row) => row.filter((block) => block !== one))
  const at = pick(left.length + 1)
  if (one === undefined) return rows
  const moved =
    random() < 0.3 || at === left.length
      ? left.toSpliced(at, 0, [one])
      : left.with(at, (left[at] ?? []).toSpliced(pick((left[at]?.length ?? 0) + 1), 0, one))
  return moved.filter((row) => row.length > 0)
}

function placeRows(rows: Rows, lines: readonly Line[]) {
  const least = Math.max(...rows.map(leastWidth))
  const width = Math.max(least, Math.min(WIDEST, least + BESIDE))
  let top = STUB
  const states = rows.flatMap((row) => {
    const blocks = inRow(row, MARGIN, top, width)
    top += heightOf(row) + ROW
    return blocks.flatMap(({ block, x, y }) => statesOf(block, x, y))
  })
  const curves = curvesOf(lines, states, width + 2 * MARGIN)
  const lowest = Math.max(top - ROW, ...curves.map((curve) => pointOf(curve, 0.5).y))
  return { width: width + 2 * MARGIN, height: lowest + MARGIN, states, curves }
}

function statesOf(
  { shape, stubs: { left, right }, width, height, inside }: Block,
  x: number,
  y: number,
): CompactState[] {
  const isAround = inside.length > 0
  return [
    { shape, isAround, x: x + left, y, width: width - left - right, height },
    ...inside.flatMap((one) => statesOf(one.block, x + one.x, y + one.y)),
  ]
}

/** How hard a picture is to read: states that a line leads through, crossings, long lines, and ways that lead up. */
function unrestOf(rows: Rows, lines: readonly Line[]): number {
  const { width, height, states, curves } = placeRows(rows, lines)
  const boxes = new Map(states.map((state) => [state.shape.id, state]))
  let unrest =
    UNREST.tooWide * Math.max(0, width - WIDEST - 2 * MARGIN) + UNREST.tooHigh * Math.max(0, height - HIGHEST)
  unrest += UNREST.shape * Math.abs(width - SHAPE * height)
  curves.forEach((curve, index) => {
    const { ends, arrows } = lines[index] as Line
    const joints = jointsOf(curve)
    const [aside, down] = (['x', 'y'] as const).map((axis) =>
      joints.reduce((sum, joint, at) => sum + Math.abs(joint[axis] - (joints[at - 1] ?? joint)[axis]), 0),
    ) as [number, number]
    unrest += UNREST.length * (aside + down) + (arrows.some(({ isMain }) => isMain) ? aside : 0)
    for (const state of states) if (!isJoined(state, ends) && through(curve, state)) unrest += UNREST.through
    for (let later = index + 1; later < curves.length; later += 1)
      unrest += UNREST.crossing * meet(curve, curves[later] as Curve)
    for (const { source, target, isMain } of arrows) {
      const [above, below] = [boxes.get(source)?.y ?? 0, boxes.get(target)]
      const isEnd = below?.shape.state.type === 'final' && !boxes.get(source)?.isAround
      if (below && ((isMain && below.y < above) || (isEnd && below.y <= above))) unrest += UNREST.wrongWay
    }
  })
  for (const { shape, x, y } of states.filter(({ shape }) => shape.parent === '')) {
    if (shape.isInitial) unrest += UNREST.lateStart * y + UNREST.start * x
    if (shape.state.type === 'final') unrest += height - y
  }
  return unrest
}

/** Whether a line may lead through a state: it begins or ends there, or at a substate. */
export function isJoined({ shape: { id } }: CompactState, ends: readonly string[]): boolean {
  return ends.some((end) => `${end}.`.startsWith(`${id}.`))
}

/** How often two lines cross, as if they were straight from joint to joint. */
function meet(one: Curve, other: Curve): number {
  const side = (p: Point, q: Point, r: Point) =>
    Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x))
  let times = 0
  for (let i = 3; i < one.length; i += 3)
    for (let j = 3; j < other.length; j += 3) {
      const [a, b, c, d] = [one[i - 3], one[i], other[j - 3], other[j]] as [Point, Point, Point, Point]
      if (Math.max(a.y, b.y) < Math.min(c.y, d.y) || Math.max(c.y, d.y) < Math.min(a.y, b.y)) continue
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) times += 1
    }
  return times
}

/** Numbers from 0 to 1, always the same ones. */
function randomNumbers(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
