import type { Arrow, Plan } from './plan-picture.ts'

/** Pixels at which the text of a state wraps. */
const NARROW = 114

/**
 * Makes a plan narrower that is too wide for one page. Of several arrows to a state, those stay that are on the usual way, that
 * have one back, or that begin nearest. The others become a line in the state that they leave.
 */
export function abridge(plan: Plan): Plan {
  const narrow = {
    ...plan,
    shapes: plan.shapes.map((shape) => (shape.kind === 'state' ? { ...shape, room: NARROW } : shape)),
  }
  return write(
    narrow,
    plan.arrows.filter((arrow) => !stays(arrow, plan)),
  )
}

/** The plans with one arrow less, which becomes a line in the state that it leaves. */
export function withOneLess(plan: Plan): Plan[] {
  return plan.arrows
    .filter(({ isMain, source }) => !isMain && plan.shapes.some(({ id }) => id === source))
    .map((arrow) => write(plan, [arrow]))
}

/** Writes arrows as lines in the states that they leave. */
function write(plan: Plan, removed: readonly Arrow[]): Plan {
  return {
    ...plan,
    arrows: plan.arrows.filter((arrow) => !removed.includes(arrow)),
    shapes: plan.shapes.map((shape) => {
      if (shape.kind !== 'state') return shape
      return { ...shape, written: [...shape.written, ...removed.filter(({ source }) => source === shape.id)] }
    }),
  }
}

function stays(arrow: Arrow, { shapes, arrows }: Plan): boolean {
  const isState = (id: string) => shapes.some((shape) => shape.id === id && shape.kind === 'state')
  const placeOf = (id: string): number => {
    const index = shapes.findIndex((shape) => shape.id === id)
    const parent = shapes[index]?.parent ?? ''
    return parent === '' ? index : placeOf(parent)
  }
  const reachOf = ({ source, target }: Arrow) => Math.abs(placeOf(target) - placeOf(source))
  const isReturned = arrows.some(({ source, target }) => source === arrow.target && target === arrow.source)
  const others = arrows.filter(
    ({ source, target, isMain }) => target === arrow.target && !isMain && isState(source),
  )
  const isNearest = others.every((other) => reachOf(arrow) <= reachOf(other))
  return arrow.isMain || isReturned || isNearest || !isState(arrow.source)
}
