import Elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js'
import { abridge, withOneLess } from './abridge.ts'
import { contentOf, labelSize } from './content.ts'
import { type Box, crosses, type Layout, type Leg, legsOf, type Point, startOf, wordsBox } from './places.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'
import { squeeze } from './squeeze.ts'

const ROOT = 'root'

/** Pixels of a step aside that is too small to mean anything. */
const JOG = 5

/** Pixels between the corner of a state and the first arrow that ends there. */
const INSET = 16

/** How many layouts are tried: ELK begins each with other random numbers. */
const FEW_TRIES = 2
const TRIES = 12

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=8,left=8,bottom=8,right=8]',
  'elk.separateConnectedComponents': 'false',
  'elk.spacing.nodeNode': '16',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '16',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.portPort': '22',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.thoroughness': '7',
}

/** For a picture that would be higher than this. */
const HIGH = 2000
const TIGHT = {
  'elk.layered.spacing.nodeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
}

/** Pixels of an empty band between rows that nothing but arrows cross, and of one in such a picture. */
const BAND = 30
const TIGHT_BAND = 14

/** Pixels at which text may wrap in a state that has room beside it. */
const ROOMS = [305, 215]

/** For arrows of the usual way. */
const MAIN = { 'elk.layered.priority.straightness': '20', 'elk.layered.priority.shortness': '10' }

/**
 * Gives every shape, arrow and label of a plan its place. The same plan always gets the same places.
 *
 * @param widest Pixels. If the picture would be wider, long arrows end at the name of their target.
 */
export async function layOut(plan: Plan, widest: number): Promise<Layout> {
  const elk = new Elk.default()
  const best = async (drawn: Plan, tries: number, isTight = false) => {
    const layouts: Layout[] = []
    for (let seed = 1; seed <= tries; seed += 1) {
      const layout = placed(await elk.layout(graphOf(drawn, seed, isTight)), drawn)
      layouts.push(squeeze(layout, isTight ? TIGHT_BAND : BAND))
    }
    return layouts.toSorted((a, b) => unrest(a, widest) - unrest(b, widest))[0] as Layout
  }
  const whole = await best(plan, FEW_TRIES)
  if (whole.width <= widest) return best(plan, TRIES)
  const narrowed = async (narrow: Layout) => {
    const isTight = narrow.height > HIGH
    for (const room of ROOMS) {
      const wider = await best(widened(narrow, room, widest), TRIES, isTight)
      if (wider.width <= widest) return wider
    }
    return best(narrow.plan, TRIES, isTight)
  }
  let abridged = await best(abridge(plan), FEW_TRIES)
  let layout = await narrowed(abridged)
  while (layout.width > widest) {
    const fewer = await Promise.all(withOneLess(abridged.plan).map((drawn) => best(drawn, FEW_TRIES)))
    const [calmest] = fewer.toSorted((a, b) => unrest(a, widest) - unrest(b, widest))
    if (calmest === undefined) break
    abridged = calmest
    layout = await narrowed(abridged)
  }
  return { ...layout, plan }
}

/** States with room beside them are drawn wider, and so less high. */
function widened({ plan, shapes }: Layout, room: number, widest: number): Plan {
  const roomy = shapes.filter(({ y, height }) => {
    const row = shapes.filter(
      (other) => !other.isAround && other.y < y + height && y < other.y + other.height,
    )
    return row.reduce((sum, { width }) => sum + width, 0) < widest / 2
  })
  const isRoomy = (one: Shape) => one.kind === 'state' && roomy.some(({ shape }) => shape === one)
  return { ...plan, shapes: plan.shapes.map((shape) => (isRoomy(shape) ? { ...shape, room } : shape)) }
}

/** How hard a picture is to read: words that are crossed, a column that is too narrow, crossings and bends. */
function unrest({ width, height, shapes, arrows }: Layout, widest: number): number {
  const words = shapes.filter(({ isAround }) => isAround).map(wordsBox)
  const crossed = arrows.filter(({ points }) => words.some((box) => crosses(points, box)))
  const legs = arrows.flatMap(({ points }) => legsOf(points))
  const length = legs.reduce((sum, [a, b]) => sum + Math.abs(a.x - b.x) + Math.abs(a.y - b.y), 0)
  const bends = arrows.flatMap(({ arrow, points }) => (arrow.isMain ? points.slice(2) : []))
  return (
    5000 * (crossed.length + (width > widest ? 1 : 0)) +
    2 * width +
    height +
    200 * crossings(legs) +
    150 * bends.length +
    8 * legs.length +
    length / 20
  )
}

function crossings(legs: readonly Leg[]): number {
  const across = legs.filter(([a, b]) => a.y === b.y)
  const down = legs.filter(([a, b]) => a.x === b.x)
  return across.reduce((sum, [a, b]) => {
    const left = Math.min(a.x, b.x)
    const right = Math.max(a.x, b.x)
    const met = down.filter(
      ([c, d]) => c.x > left && c.x < right && Math.min(c.y, d.y) < a.y && Math.max(c.y, d.y) > a.y,
    )
    return sum + met.length
  }, 0)
}

function graphOf(plan: Plan, seed: number, isTight: boolean): ElkNode {
  const edges = plan.arrows.map((arrow) =>
    edgeOf({ ...arrow, target: entryOf(arrow.target, plan) }, isBack(arrow, plan)),
  )
  return {
    id: ROOT,
    layoutOptions: { ...OPTIONS, ...(isTight && TIGHT), 'elk.randomSeed': String(seed) },
    children: childrenOf('', plan),
    edges: [...edges, ...threadsOf(plan)],
  }
}

function childrenOf(parent: string, plan: Plan): ElkNode[] {
  return plan.shapes
    .filter((shape) => shape.parent === parent)
    .map((shape) => {
      const children = childrenOf(shape.id, plan)
      const { width, height } = contentOf(shape, plan.shapes)
      if (children.length === 0)
        return { id: shape.id, width, height: heightIn(shape, plan), layoutOptions: optionsOf(shape, plan) }
      const layoutOptions = {
        ...OPTIONS,
        'elk.padding': `[top=${height + 10},left=${16 + startOf(shape)},bottom=18,right=16]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},0)`,
      }
      return { id: shape.id, children, layoutOptions }
    })
}

/** Ends, and substates without substates, are as high as the others beside them. */
function heightIn(shape: Shape, { shapes }: Plan): number {
  const isLeaf = (one: Shape) =>
    one.kind === 'state' &&
    one.parent === shape.parent &&
    (one.state.type === 'final' || (one.state.type === 'atomic' && one.parent !== ''))
  const row = isLeaf(shape) ? shapes.filter(isLeaf) : [shape]
  return Math.max(...row.map((one) => contentOf(one, shapes).height))
}

/** A substate that no arrow begins or ends at stands beside those that arrows lead to. */
function optionsOf({ kind, id, parent }: Shape, { arrows }: Plan): Record<string, string> {
  const isLoose =
    kind === 'state' && parent !== '' && arrows.every(({ source, target }) => source !== id && target !== id)
  return isLoose ? { 'elk.layered.layering.layerConstraint': 'LAST' } : {}
}

/** An arrow to a state with substates is drawn toward the initial one, and ends at the border. */
function entryOf(id: string, plan: Plan): string {
  const first = plan.shapes.find((shape) => shape.kind === 'state' && shape.parent === id && shape.isInitial)
  return first === undefined ? id : entryOf(first.id, plan)
}

/** Ends a way where it enters a box. */
function clipped(points: readonly Point[], { x, y, width, height }: Box): Point[] {
  const isInside = (point: Point) => point.x > x && point.x < x + width && point.y > y && point.y < y + height
  const entry = points.findIndex(isInside)
  const [before, inside] = [points[entry - 1], points[entry]]
  if (before === undefined || inside === undefined) return [...points]
  const end =
    before.x === inside.x
      ? { x: inside.x, y: before.y <= y ? y : y + height }
      : { x: before.x <= x ? x : x + width, y: inside.y }
  return [...points.slice(0, entry), end]
}

/** What leads from anywhere to an end stands below the states: an arrow, which is not drawn, pulls it there. */
function threadsOf({ shapes, arrows }: Plan): ElkExtendedEdge[] {
  const top = shapes.flatMap((shape) => (shape.kind === 'state' && shape.parent === '' ? [shape] : []))
  const last = top.findLast(({ state }) => state.type !== 'final')
  const ends = top.filter(({ state }) => state.type === 'final').map(({ id }) => id)
  return arrows
    .filter(({ source, target }) => source.startsWith('anywhere') && ends.includes(target))
    .map(({ source }) => ({ id: `thread ${source}`, sources: [last?.id ?? ROOT], targets: [source] }))
}

/** Whether an arrow leads up: states stand from top to bottom in the order of the config, whatever cycles there are. */
function isBack({ source, target }: Arrow, { shapes }: Plan): boolean {
  const wayTo = (id: string): number[] => {
    const index = shapes.findIndex((shape) => shape.id === id)
    const parent = shapes[index]?.parent ?? ''
    return [...(parent === '' ? [] : wayTo(parent)), index]
  }
  if (shapes.some(({ id, kind }) => id === source && kind === 'anywhere')) return false
  const from = wayTo(source)
  const differing = wayTo(target).map((index, depth) => index - (from[depth] ?? index))
  return (differing.find((difference) => difference !== 0) ?? 0) < 0
}

function edgeOf({ id, source, target, label, isMain }: Arrow, isBack: boolean): ElkExtendedEdge {
  const layoutOptions = { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' }
  return {
    id,
    sources: [isBack ? target : source],
    targets: [isBack ? source : target],
    ...(isMain && { layoutOptions: MAIN }),
    ...(label.length > 0 && {
      labels: [{ id: `label ${id}`, text: id, ...labelSize(label), layoutOptions }],
    }),
  }
}

function placed({ children, edges = [], width = 0, height = 0 }: ElkNode, plan: Plan): Layout {
  const nodes = new Map(flatten(children).map((node) => [node.id, node]))
  const ways = new Map(edges.map((edge) => [edge.id, edge]))
  return {
    plan,
    labels: 'middle',
    width,
    height,
    shapes: plan.shapes.map((shape) => {
      const node = nodes.get(shape.id)
      const { x, y, width, height } = boxOf(node)
      const start = startOf(shape)
      return {
        shape,
        content: contentOf(shape, plan.shapes),
        isAround: node?.children !== undefined,
        ...{ x: x + start, y, width: width - start, height },
      }
    }),
    arrows: plan.arrows.map((arrow) => {
      const way = ways.get(arrow.id)
      const points = straight(pointsOf(way))
      const label = way?.labels?.[0]
      const forward = isBack(arrow, plan) ? points.reverse() : points
      const [first, last] = [arrow.source, arrow.target].map((id) =>
        plan.shapes.find((shape) => shape.id === id),
      )
      const entering = beside(clipped(forward, boxOf(nodes.get(arrow.target))), last, nodes)
      return {
        arrow,
        points: beside(entering.toReversed(), first, nodes).toReversed(),
        label: label && boxOf(label),
      }
    }),
  }
}

/** An initial state has its start at its left, where no other arrow ends. */
function beside(
  points: readonly Point[],
  shape: Shape | undefined,
  nodes: ReadonlyMap<string, ElkNode>,
): Point[] {
  const left = shape && startOf(shape) > 0 ? boxOf(nodes.get(shape.id)).x + startOf(shape) + INSET : 0
  const [last, before] = points.toReversed()
  if (last === undefined || before === undefined || last.x !== before.x || last.x >= left) return [...points]
  return [...points.slice(0, -2), { ...before, x: left }, { ...last, x: left }]
}

function flatten(nodes: readonly ElkNode[] = []): ElkNode[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children)])
}

function boxOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box> = {}): Box {
  return { x, y, width, height }
}

function pointsOf(edge: ElkExtendedEdge | undefined): Point[] {
  return (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ])
}

/** Takes such steps away at both ends, where an arrow may as well begin or end a little beside. */
function straight(points: Point[]): Point[] {
  const [first, second, third] = points
  if (first === undefined || second === undefined || third === undefined || points.length < 4) return points
  if (first.x === second.x && Math.abs(second.x - third.x) < JOG)
    return straight([{ x: third.x, y: first.y }, ...points.slice(3)])
  const [fourthLast, thirdLast, secondLast, last] = points.slice(-4) as [Point, Point, Point, Point]
  if (last.x === secondLast.x && Math.abs(secondLast.x - thirdLast.x) < JOG)
    return straight([...points.slice(0, -4), fourthLast, { x: fourthLast.x, y: last.y }])
  return points
}
