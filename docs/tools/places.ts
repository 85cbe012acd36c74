import { round } from '../../src/pictures/svg.ts'
import { type Content, LINE, PADDING, START } from './content.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** A point in a picture. Pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A place in a picture. Pixels. */
export interface Box extends Point {
  readonly width: number
  readonly height: number
}

/** A shape that has its place. */
export interface PlacedShape extends Box {
  readonly shape: Shape
  readonly content: Content
  /** Whether there are other shapes inside. */
  readonly isAround: boolean
}

/** An arrow that has its way: from point to point, each leg straight down or across. */
export interface PlacedArrow {
  readonly arrow: Arrow
  readonly points: readonly Point[]
  readonly label: Box | undefined
}

/** A picture whose parts all have their places. */
export interface Layout {
  readonly plan: Plan
  readonly width: number
  readonly height: number
  readonly shapes: readonly PlacedShape[]
  readonly arrows: readonly PlacedArrow[]
  /** Where the lines of its labels are aligned. */
  readonly labels: 'start' | 'middle'
}

/** One straight part of a way. */
export type Leg = readonly [Point, Point]

/** The straight parts of a way. */
export function legsOf(points: readonly Point[]): Leg[] {
  return points.slice(1).map((point, index) => [points[index] as Point, point])
}

/** Where the words of a shape stand that has others inside. */
export function wordsBox({ x, y, shape, content: { width, height } }: PlacedShape): Box {
  return { x, y, width: width - startOf(shape) - PADDING.x / 2, height: height - PADDING.y / 2 }
}

/** A box with some pixels more at each side. */
export function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by }
}

/** A point of an SVG path. */
export function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`
}

/** Whether a way leads through a box. */
export function crosses(points: readonly Point[], { x, y, width, height }: Box): boolean {
  return points.some((b, index) => {
    const a = points[index - 1]
    return (
      a !== undefined &&
      Math.max(a.x, b.x) > x &&
      Math.min(a.x, b.x) < x + width &&
      Math.max(a.y, b.y) > y &&
      Math.min(a.y, b.y) < y + height
    )
  })
}

/** The smallest box around points and a box. */
export function boxAround(points: readonly Point[], box?: Box): Box {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  if (box) {
    xs.push(box.x, box.x + box.width)
    ys.push(box.y, box.y + box.height)
  }
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

/** Where the start circle of an initial state is, with its arrow. */
export function startBox({ shape, x, y }: PlacedShape): Box[] {
  const start = startOf(shape)
  return start === 0 ? [] : [{ x: x - start, y: y + PADDING.y, width: start, height: LINE.name }]
}

/** Pixels that an initial state leaves free at its left. */
export function startOf(shape: Shape): number {
  return shape.kind === 'state' && shape.isInitial ? START : 0
}
