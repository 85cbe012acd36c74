import { contentOf, labelSize, REFERENCE } from './content.ts'
import { type Box, type Layout, type PlacedShape, startOf } from './places.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** Pixels of the whole picture, which is as wide as the column of a phone, and around all that is in it. */
const WIDTH = 358
const MARGIN = 4

/** Pixels between states, between those that stand side by side or inside another, and between the arrows of one. */
const GAP = 24
const NEAR = 12
const ROW = 8

/** Pixels from the left border of a state to the stem of its arrows, and from there to their labels. */
const STEM = 18
const BRANCH = 14

/** Where something may stand. Pixels. */
type Room = Omit<Box, 'height'>

type Part = Pick<Layout, 'shapes' | 'arrows'> & { readonly bottom: number }

/**
 * Gives every part of a plan its place in one column, for narrow screens. An arrow is drawn below the state that it
 * leaves, and ends at the name of the state that it leads to.
 */
export function stack(whole: Plan): Layout {
  // The order of tokens shows what the arrows between them do.
  const plan = { ...whole, arrows: whole.arrows.filter(({ transitions }) => transitions.length > 0) }
  const room = { x: MARGIN, y: MARGIN, width: WIDTH - 2 * MARGIN }
  const { shapes, arrows, bottom } = stackRows('', plan, room)
  return { plan, width: WIDTH, height: bottom + MARGIN, shapes, arrows, labels: 'start' }
}

/** What stands inside a shape, from top to bottom: its ends last, and two side by side that are small. */
function rowsOf(parent: string, plan: Plan, width: number): Shape[][] {
  const inside = plan.shapes.filter((shape) => shape.parent === parent)
  const rows: Shape[][] = []
  for (const shape of [...inside.filter((one) => !isEnd(one)), ...inside.filter(isEnd)]) {
    const last = rows.at(-1)
    if (last?.length === 1 && [...last, shape].every((one) => isSmall(one, plan, width))) last.push(shape)
    else rows.push([shape])
  }
  return rows
}

function isEnd(shape: Shape): boolean {
  return shape.kind === 'state' && shape.state.type === 'final'
}

function isQuiet({ id, kind }: Shape, { shapes, arrows }: Plan): boolean {
  const isAround = shapes.some(({ parent }) => parent === id)
  return kind === 'state' && !isAround && arrows.every(({ source }) => source !== id)
}

/** Whether no arrow leaves it, and it fits half of the width with a line for each word. */
function isSmall(shape: Shape, plan: Plan, width: number): boolean {
  return isQuiet(shape, plan) && contentOf(shape, plan.shapes, 0).width <= halfOf(width)
}

function halfOf(width: number): number {
  return (width - NEAR) / 2
}

function stackRows(parent: string, plan: Plan, room: Room): Part {
  const rows = rowsOf(parent, plan, room.width)
  const parts: Part[] = []
  for (const [index, row] of rows.entries()) {
    const isNear = [...(rows[index - 1] ?? []), ...row].every((shape) => isQuiet(shape, plan))
    const above = parts.at(-1)?.bottom
    const y = above === undefined ? room.y : above + (isNear ? NEAR : GAP)
    parts.push(stackRow(row, plan, { ...room, y }))
  }
  return together(parts, room.y)
}

function stackRow(row: readonly Shape[], plan: Plan, { x, y, width }: Room): Part {
  const each = row.length === 1 ? width : halfOf(width)
  const left = (index: number) => x + index * (each + NEAR)
  const parts = row.map((shape, index) => placeShape(shape, plan, { x: left(index), y, width: each }))
  // Side by side, the lower is as high as the other.
  const bottom = together(parts, y).bottom
  const shapes = parts.flatMap(({ shapes }) =>
    row.length === 1 ? shapes : shapes.map((one) => ({ ...one, height: bottom - one.y })),
  )
  return { shapes, arrows: parts.flatMap(({ arrows }) => arrows), bottom }
}

function placeShape(shape: Shape, plan: Plan, room: Room): Part {
  if (shape.kind === 'anywhere') return placeAnywhere(shape, plan, room)
  const start = startOf(shape)
  return placeState(shape, plan, { ...room, x: room.x + start, width: room.width - start })
}

function placeState(shape: Shape, plan: Plan, room: Room): Part {
  const around = place(shape, plan, room)
  const head = around.y + around.height
  const inside = stackRows(shape.id, plan, {
    x: room.x + NEAR,
    y: head + NEAR,
    width: room.width - 2 * NEAR,
  })
  const isAround = inside.shapes.length > 0
  const bottom = isAround ? inside.bottom + NEAR : head
  const own = placeArrows(shape.id, plan, { ...room, y: bottom })
  const placed = { ...around, width: room.width, height: bottom - room.y, isAround }
  return together([{ shapes: [placed], arrows: [], bottom }, ...(isAround ? [inside] : []), own], bottom)
}

/** The label is the beginning of the arrow. */
function placeAnywhere(shape: Shape, plan: Plan, room: Room): Part {
  const label = place(shape, plan, { ...room, width: room.width - endWidth(plan) - GAP })
  const [arrow] = plan.arrows.filter(({ source }) => source === shape.id)
  if (arrow === undefined) throw new TypeError(`nothing leads from ${shape.id}`)
  const middle = label.y + label.height / 2
  const end = placeEnd(arrow, plan, room, middle)
  const points = [
    { x: label.x + label.width, y: middle },
    { x: end.x, y: middle },
  ]
  return {
    shapes: [label, end],
    arrows: [{ arrow, points, label: undefined }],
    bottom: label.y + label.height,
  }
}

/** The arrows that leave a state, as branches of one stem. */
function placeArrows(source: string, plan: Plan, room: Room): Part {
  const stem = room.x + STEM
  const parts: Part[] = []
  for (const arrow of plan.arrows.filter((one) => one.source === source)) {
    const top = (parts.at(-1)?.bottom ?? room.y) + ROW
    const size = labelSize(arrow.label)
    const height = Math.max(size.height, REFERENCE)
    const middle = top + height / 2
    const end = placeEnd(arrow, plan, room, middle)
    const points = [
      { x: stem, y: room.y },
      { x: stem, y: middle },
      { x: end.x, y: middle },
    ]
    const label = { x: stem + BRANCH, y: middle - size.height / 2, ...size }
    parts.push({ shapes: [end], arrows: [{ arrow, points, label }], bottom: top + height })
  }
  return together(parts, room.y)
}

/** The name of the state that an arrow leads to, at the right border. */
function placeEnd({ id, target }: Arrow, plan: Plan, { x, width }: Room, middle: number): PlacedShape {
  const shape = { ...referenceTo(target, plan), id: `end of ${id}` }
  const own = endWidth(plan)
  const placed = place(shape, plan, { x: x + width - own, y: middle - REFERENCE / 2, width: own })
  return { ...placed, width: own }
}

/** All ends are as wide as the widest, so that the arrows end in one line. */
function endWidth(plan: Plan): number {
  return Math.max(...plan.arrows.map(({ target }) => contentOf(referenceTo(target, plan), plan.shapes).width))
}

function referenceTo(target: string, { shapes }: Plan): Extract<Shape, { kind: 'reference' }> {
  const there = shapes.find((shape) => shape.id === target)
  if (there?.kind !== 'state') throw new TypeError(`${target} is no state`)
  return { kind: 'reference', id: '', parent: '', state: there.state, role: there.role }
}

function place(shape: Shape, plan: Plan, { x, y, width }: Room): PlacedShape {
  const content = contentOf(shape, plan.shapes, width)
  return { shape, content, isAround: false, x, y, width: content.width, height: content.height }
}

function together(parts: readonly Part[], top: number): Part {
  return {
    shapes: parts.flatMap(({ shapes }) => shapes),
    arrows: parts.flatMap(({ arrows }) => arrows),
    bottom: Math.max(top, ...parts.map(({ bottom }) => bottom)),
  }
}
