import type { Box, Point } from './places.ts'

/** A cubic Bézier curve: where it begins, its two control points, and where it ends. */
export type Curve = readonly [Point, Point, Point, Point]

/** Pixels by which a curve between states of one row leads below those between them. */
const BOW = 26

/** Where a curve is looked at, and how near to it is too near. */
const PARTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const NEAR = 3

/**
 * A curve from one state to another: down or up between rows, across in one row, and below what stands between them.
 *
 * @param from Where it begins at the upper or lower border of the first one, if it leads to another row. Pixels.
 * @param to The same of the second one.
 */
export function curveBetween(one: Box, other: Box, from: number, to: number, isBetween: boolean): Curve {
  const [above, below] = [one.y + one.height <= other.y, other.y + other.height <= one.y]
  if (above || below) {
    const start = { x: from, y: above ? one.y + one.height : one.y }
    const end = { x: to, y: above ? other.y : other.y + other.height }
    const half = (end.y - start.y) / 2
    return [start, { x: from, y: start.y + half }, { x: to, y: end.y - half }, end]
  }
  if (isBetween) {
    const start = { x: from, y: one.y + one.height }
    const end = { x: to, y: other.y + other.height }
    return [start, { x: from, y: start.y + BOW }, { x: to, y: end.y + BOW }, end]
  }
  const isRight = other.x > one.x
  const start = { x: isRight ? one.x + one.width : one.x, y: one.y + one.height / 2 }
  const end = { x: isRight ? other.x : other.x + other.width, y: other.y + other.height / 2 }
  const half = (end.x - start.x) / 2
  return [start, { x: start.x + half, y: start.y }, { x: end.x - half, y: end.y }, end]
}

/** The same curve from its end. */
export function backwards([a, b, c, d]: Curve): Curve {
  return [d, c, b, a]
}

/** The point of a curve after a part of it, from 0 to 1. */
export function pointOf([a, b, c, d]: Curve, part: number): Point {
  const rest = 1 - part
  const along = (axis: 'x' | 'y') =>
    rest ** 3 * a[axis] +
    3 * rest ** 2 * part * b[axis] +
    3 * rest * part ** 2 * c[axis] +
    part ** 3 * d[axis]
  return { x: along('x'), y: along('y') }
}

/** Whether a curve leads through a box. */
export function through(curve: Curve, { x, y, width, height }: Box): boolean {
  const [a, , , d] = curve
  // Curves stay between their ends, but for the bow below a row.
  if (Math.min(a.y, d.y) > y + height || Math.max(a.y, d.y) + BOW < y) return false
  if (Math.min(a.x, d.x) > x + width + NEAR || Math.max(a.x, d.x) < x - NEAR) return false
  return PARTS.some((part) => {
    const at = pointOf(curve, part)
    return at.x > x - NEAR && at.x < x + width + NEAR && at.y > y && at.y < y + height
  })
}
