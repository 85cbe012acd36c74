import type { Box, Point } from './places.ts'

/** Cubic Bézier curves that follow each other: a point, and for each curve two control points and where it ends. */
export type Curve = readonly Point[]

/** Where each curve is looked at, and how near to it is too near. */
const PARTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const NEAR = 3

/** A curve through points, which leads straight up or down at each. */
export function downThrough(points: readonly Point[]): Curve {
  return points.flatMap((point, index) => {
    const before = points[index - 1]
    if (before === undefined) return [point]
    const half = (before.y + point.y) / 2
    return [{ x: before.x, y: half }, { x: point.x, y: half }, point]
  })
}

/** A curve that leads straight to the left or right at both ends. */
export function across(from: Point, to: Point): Curve {
  const half = (from.x + to.x) / 2
  return [from, { x: half, y: from.y }, { x: half, y: to.y }, to]
}

/** The point of a curve after a part of it, from 0 to 1. */
export function pointOf(curve: Curve, part: number): Point {
  const count = (curve.length - 1) / 3
  const index = Math.min(count - 1, Math.floor(part * count))
  const [a, b, c, d] = curve.slice(3 * index) as [Point, Point, Point, Point]
  const done = part * count - index
  const rest = 1 - done
  const along = (axis: 'x' | 'y') =>
    rest ** 3 * a[axis] +
    3 * rest ** 2 * done * b[axis] +
    3 * rest * done ** 2 * c[axis] +
    done ** 3 * d[axis]
  return { x: along('x'), y: along('y') }
}

/** Whether a curve leads through a box, or too near to it. */
export function through(curve: Curve, { x, y, width, height }: Box): boolean {
  const count = (curve.length - 1) / 3
  for (let index = 0; index < count; index += 1) {
    const [a, b, c, d] = curve.slice(3 * index, 3 * index + 4) as [Point, Point, Point, Point]
    // A curve stays between its points.
    if (Math.min(a.y, b.y, c.y, d.y) >= y + height || Math.max(a.y, b.y, c.y, d.y) <= y) continue
    if (Math.min(a.x, b.x, c.x, d.x) >= x + width + NEAR || Math.max(a.x, b.x, c.x, d.x) <= x - NEAR) continue
    for (const part of PARTS) {
      const at = pointOf(curve, (index + part) / count)
      if (at.x > x - NEAR && at.x < x + width + NEAR && at.y > y && at.y < y + height) return true
    }
  }
  return false
}
