import type { Box } from './places.ts'
import type { Plan, Shape } from './plan-picture.ts'

/**
 * Where states stand: rows from top to bottom, by the state around them (the empty string for the whole picture). A row names
 * states from left to right, with a dot for an empty place; `>name` is the label of transitions from several states to this one.
 */
export type Grid = Readonly<Record<string, readonly string[]>>

/** How large shapes are, and how far from each other. Pixels. */
export interface Measures {
  /** Between states. */
  readonly gap: { readonly x: number; readonly y: number }
  /** Between substates. */
  readonly near: { readonly x: number; readonly y: number }
  /** Inside a state with substates. */
  readonly inside: { readonly x: number; readonly top: number; readonly bottom: number }
  /** The size of a shape, or of what stands above its substates, which are as wide as given. */
  readonly sizeOf: (
    shape: Shape,
    plan: Plan,
    width?: number,
  ) => { readonly width: number; readonly height: number }
  /** Whether the axis of a state with substates is its middle, and not that of the initial one. */
  readonly isCentred?: boolean
  /** What a shape leaves free at its sides. */
  readonly besideOf: (shape: Shape, plan: Plan) => { readonly left: number; readonly right: number }
}

/** Pixels below a row of labels where arrows begin. */
const TO_STATE = 44

/** Pixels between tokens. */
const LINK = 40

/** A shape with its place, and the line on which the arrows of the main path meet it. */
export interface GridShape extends Box {
  readonly shape: Shape
  readonly axis: number
  /** Whether there are other shapes inside. */
  readonly isAround: boolean
}

/** A shape, with what stands inside it. */
interface Block {
  readonly shape: Shape
  /** Pixels from its axis to its borders, and to what it leaves free beside them. */
  readonly left: number
  readonly right: number
  readonly beside: { readonly left: number; readonly right: number }
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

/** Places every shape so that the column of the initial state has its axis at 0. */
export function placeInGrid(plan: Plan, grid: Grid, measures: Measures): GridShape[] {
  const shapes = placeRows('', plan, grid, measures, measures.gap).flatMap(shapesOf)
  const missing = plan.shapes.find(({ id }) => shapes.every(({ shape }) => shape.id !== id))
  if (missing)
    throw new TypeError(
      `the grid of ${plan.machine.id} in docs/tools/make-diagrams.ts has no place for "${missing.id}"`,
    )
  return shapes
}

function placeRows(
  parent: string,
  plan: Plan,
  grid: Grid,
  measures: Measures,
  gap: Measures['gap'],
): Placed[] {
  const rows = (grid[parent] ?? []).map((row) =>
    row
      .split(/\s+/)
      .map((name) => (name === '.' ? undefined : blockOf(find(name, parent, plan), plan, grid, measures))),
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
      const [nearOf, farOf] = step > 0 ? [leftOf, rightOf] : [rightOf, leftOf]
      return [step * (axes[before] ?? 0) + (neighbour ? farOf(neighbour) : 0) + gap + nearOf(block)]
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

function blockOf(shape: Shape, plan: Plan, grid: Grid, measures: Measures): Block {
  const inside = placeRows(shape.id, plan, grid, measures, measures.near)
  const beside = measures.besideOf(shape, plan)
  if (inside.length === 0) {
    const { width, height } = measures.sizeOf(shape, plan)
    return { shape, left: width / 2, right: width / 2, beside, height, head: height, inside }
  }
  const { x, top, bottom } = measures.inside
  const left = Math.max(...inside.map(({ block, x }) => leftOf(block) - x)) + x
  const right = Math.max(...inside.map(({ block, x }) => rightOf(block) + x)) + x
  const head = measures.sizeOf(shape, plan, left + right).height + top
  const lowest = Math.max(...inside.map(({ block, y }) => y + block.height))
  const block = { shape, left, right, beside, height: head + lowest + bottom, head, inside }
  if (!measures.isCentred) return block
  const [half, aside] = [(left + right) / 2, (left - right) / 2]
  return { ...block, left: half, right: half, inside: inside.map((one) => ({ ...one, x: one.x + aside })) }
}

function leftOf({ left, beside }: Block): number {
  return left + beside.left
}

function rightOf({ right, beside }: Block): number {
  return right + beside.right
}

function shapesOf({ block: { shape, left, right, height, head, inside }, x, y }: Placed): GridShape[] {
  return [
    { shape, isAround: inside.length > 0, axis: x, x: x - left, y, width: left + right, height },
    ...inside.flatMap((one) => shapesOf({ ...one, x: x + one.x, y: y + head + one.y })),
  ]
}
