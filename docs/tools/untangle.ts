import { meet, type Way } from './find-ways.ts'
import { crosses, grown } from './places.ts'

/** What it costs when two arrows cross, and when they touch so that a reader cannot tell them apart. */
const CROSSING = 420
const TOUCHING = 5000

/** Pixels that arrows keep from each other, from labels, and labels among themselves. */
const APART = 12
const BESIDE_LABEL = 5
const BETWEEN_LABELS = 6

/** From how many arrows on the choice begins, because the first ones get the best ways. */
const BEGINNINGS = 6

/** A way that was chosen, with what it costs beside the others. */
export interface Choice {
  readonly way: Way
  readonly cost: number
}

/** Chooses a way for each arrow, if it has any, so that they disturb each other least. */
export function untangle(ways: readonly (readonly Way[])[]): (Choice | undefined)[] {
  const tried = Array.from({ length: BEGINNINGS }, (_, index) =>
    choose(ways, Math.floor((index * ways.length) / BEGINNINGS)),
  )
  const total = (choices: readonly (Choice | undefined)[]) =>
    choices.reduce((sum, choice) => sum + (choice?.cost ?? 0), 0)
  return tried.toSorted((a, b) => total(a) - total(b))[0] ?? []
}

function choose(ways: readonly (readonly Way[])[], begin: number): (Choice | undefined)[] {
  const chosen: (Way | undefined)[] = ways.map(() => undefined)
  const costOf = (way: Way, index: number, most = Number.POSITIVE_INFINITY) => {
    let { cost } = way
    for (const [at, other] of chosen.entries()) {
      if (cost >= most) break
      if (other !== undefined && at !== index) cost += disturbance(way, other)
    }
    return cost
  }
  const order = [...ways.keys()].map((index) => (index + begin) % ways.length)
  let isBetter = true
  while (isBetter) {
    isBetter = false
    for (const index of order) {
      const before = chosen[index]
      let best = before
      let least = best ? costOf(best, index) : Number.POSITIVE_INFINITY
      for (const way of ways[index] ?? []) {
        if (way.cost >= least) break
        const cost = costOf(way, index, least)
        if (cost < least) [best, least] = [way, cost]
      }
      chosen[index] = best
      if (best !== before) isBetter = true
    }
  }
  return chosen.map((way, index) => way && { way, cost: costOf(way, index) })
}

function disturbance(one: Way, other: Way): number {
  if (!meet(one.around, other.around, APART + 1)) return 0
  let cost = 0
  if (one.label && other.label && meet(one.label, other.label, BETWEEN_LABELS)) cost += TOUCHING
  if (hides(one, other)) cost += TOUCHING
  if (hides(other, one)) cost += TOUCHING
  for (const [from, to] of one.legs)
    for (const [start, end] of other.legs) {
      const isParallel = (from.y === to.y) === (start.y === end.y)
      const clear = isParallel ? APART : 0
      if (isNear(from.x, to.x, start.x, end.x, clear) && isNear(from.y, to.y, start.y, end.y, clear))
        cost += isParallel ? TOUCHING : CROSSING
    }
  return cost
}

/** Whether the label of one way is on or beside the other. */
function hides({ label }: Way, { points }: Way): boolean {
  return label !== undefined && crosses(points, grown(label, BESIDE_LABEL))
}

/** Whether two ranges of coordinates are no further apart than this. */
function isNear(a: number, b: number, c: number, d: number, clear: number): boolean {
  return Math.min(a, b) <= Math.max(c, d) + clear && Math.min(c, d) <= Math.max(a, b) + clear
}
