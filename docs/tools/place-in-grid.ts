import { contentOf, PADDING } from './content.ts'
import { type PlacedShape, startOf } from './places.ts'
import type { Plan, Shape } from './plan-picture.ts'

/**
 * Where states stand: rows from top to bottom, by the state around them (the empty string for the whole picture). A row names
 * states from left to right, with a dot for an empty place; `>name` is the label of transitions from several states to this one.
 */
export type Grid = Readonly<Record<string, readonly string[]>>

/** Pixels between rows, which leave room for arrows and labels, and between substates. */
const GAP_Y = 140
const NEAR = { x: 15, y: 22 }

/** Pixels below a row of labels where arrows begin. */
const TO_STATE = 44

/** Pixels between tokens. */
const LINK = 40

/** Pixels inside a state with substates. */
const INSIDE = { x: 16, top: 10, bottom: 18 }

/** A shape with its place, and the line on which the arrows of the main path meet it. */
export interface GridShape extends PlacedShape {
  readonly axis: number
}

/** A shape, with what stands inside it. */
interface Block {
  readonly shape: Shape
  /** Pixels from its axis to its borders, with its start circle. */
  readonly left: number
  readonly right: number
  readonly height: number
  readonly head: number
  readonly inside: readonly Placed[]
}

/** A block whose axis and upper border have their place. */
interface Placed {
  readonly block: Block
  readonly x: number
  readonly y: number
}

/**
 * Places every shape so that the column of the initial state has its axis at 0.
 *
 * @param gap Pixels between columns.
 */
export function placeInGrid(plan: Plan, grid: Grid, gap: number): GridShape[] {
  const placed = placeRows('', plan, grid, { x: gap, y: GAP_Y })
  const shapes = placed.flatMap((one) => shapesOf(one, plan))
  const missing = plan.shapes.find(({ id }) => shapes.every(({ shape }) => shape.id !== id))
  if (missing)
    throw new TypeError(
      `the grid of ${plan.machine.id} in docs/tools/make-diagrams.ts has no place for "${missing.id}"`,
    )
  return shapes
}

function placeRows(parent: string, plan: Plan, grid: Grid, gap = NEAR): Placed[] {
  const rows = (grid[parent] ?? []).map((row) =>
    row
      .split(/\s+/)
      .map((name) => (name === '.' ? undefined : blockOf(find(name, parent, plan), plan, grid))),
  )
  const isChain = rows.flat().every((block) => block?.shape.kind === 'token')
  const axes = axesOf(rows, isChain ? LINK : gap.x)
  let y = 0
  return rows.flatMap((row) => {
    const height = Math.max(...row.map((block) => block?.height ?? 0))
    const placed = row.flatMap((block, column) =>
      block ? [{ block, x: axes[column] as number, y: y + (height - block.height) / 2 }] : [],
    )
    y += height + (row.every((block) => block?.shape.kind !== 'state') ? Math.min(gap.y, TO_STATE) : gap.y)
    return placed
  })
}

function find(name: string, parent: string, plan: Plan): Shape {
  const arrow = plan.arrows.find(
    ({ source, target }) => source.startsWith('anywhere') && `>${lastOf(target)}` === name,
  )
  const shape = plan.shapes.find(
    (one) => one.parent === parent && (arrow ? one.id === arrow.source : lastOf(one.id) === name),
  )
  if (shape === undefined) throw new TypeError(`nothing inside "${parent}" has the name "${name}"`)
  return shape
}

function lastOf(id: string): string {
  return id.slice(id.lastIndexOf('.') + 1)
}

/** The axes of the columns, as near to the one with the initial state as their blocks allow. */
function axesOf(rows: readonly (readonly (Block | undefined)[])[], gap: number): number[] {
  const count = Math.max(...rows.map(({ length }) => length))
  const main = Math.max(
    0,
    ...rows.map((row) => row.findIndex((block) => block !== undefined && isOnAxis(block.shape))),
  )
  const axes: number[] = Array.from({ length: count }, () => 0)
  const place = (column: number, step: 1 | -1) => {
    const outward = rows.flatMap((row) => {
      const block = row[column]
      let before = column - step
      while (before !== main && row[before] === undefined) before -= step
      const neighbour = row[before]
      if (block === undefined) return []
      const [near, far] = step > 0 ? [block.left, neighbour?.right] : [block.right, neighbour?.left]
      return [step * (axes[before] ?? 0) + (far ?? 0) + gap + near]
    })
    axes[column] = step * Math.max(0, ...outward)
  }
  for (let column = main + 1; column < count; column += 1) place(column, 1)
  for (let column = main - 1; column >= 0; column -= 1) place(column, -1)
  return axes
}

function isOnAxis(shape: Shape): boolean {
  return shape.kind === 'state' ? shape.isInitial : shape.kind === 'token' && lastOf(shape.id) === 'newest'
}

function blockOf(shape: Shape, plan: Plan, grid: Grid): Block {
  const inside = placeRows(shape.id, plan, grid)
  const start = startOf(shape)
  if (inside.length === 0) {
    const { width, height } = contentOf(shape, plan.shapes)
    const half = (width - start) / 2
    return { shape, left: half + start, right: half, height, head: height, inside }
  }
  const left = Math.max(...inside.map(({ block, x }) => block.left - x)) + INSIDE.x
  const right = Math.max(...inside.map(({ block, x }) => block.right + x)) + INSIDE.x
  const head = contentOf(shape, plan.shapes, left + right).height - PADDING.y + INSIDE.top
  const bottom = Math.max(...inside.map(({ block, y }) => y + block.height))
  return { shape, left: left + start, right, height: head + bottom + INSIDE.bottom, head, inside }
}

function shapesOf(
  { block: { shape, left, right, height, head, inside }, x, y }: Placed,
  plan: Plan,
): GridShape[] {
  const start = startOf(shape)
  const width = left + right - start
  const isAround = inside.length > 0
  const content = isAround ? contentOf(shape, plan.shapes, width) : contentOf(shape, plan.shapes)
  return [
    { shape, content, isAround, axis: x, x: x - left + start, y, width, height },
    ...inside.flatMap((one) => shapesOf({ ...one, x: x + one.x, y: y + head + one.y }, plan)),
  ]
}
