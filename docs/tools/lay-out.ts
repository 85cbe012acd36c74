import Elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js'
import { type Content, contentOf, labelSize, PADDING } from './content.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'

/** A place in a picture. Pixels. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A point in a picture. Pixels. */
export interface Point {
  readonly x: number
  readonly y: number
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
}

const ROOT = 'root'

/** What the arrow that draws a loose part to its place is called. It is not drawn. */
const THREAD = 'thread'

/** Pixels of a step aside that is too small to mean anything. */
const JOG = 5

/** How many layouts are tried: ELK begins each with other random numbers. */
const TRIES = 24

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=24,left=24,bottom=24,right=24]',
  'elk.spacing.nodeNode': '18',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.thoroughness': '7',
}

/** Gives every shape, arrow and label of a plan its place. The same plan always gets the same places. */
export async function layOut(plan: Plan): Promise<Layout> {
  const elk = new Elk.default()
  let best: Layout | undefined
  for (let seed = 1; seed <= TRIES; seed += 1) {
    const layout = placed(await elk.layout(graphOf(plan, seed)), plan)
    if (best === undefined || unrest(layout) < unrest(best)) best = layout
  }
  return best as Layout
}

/** How hard a picture is to read: words crossed first, then its width, the crossings, and the way of the arrows. */
function unrest({ width, height, shapes, arrows }: Layout): number {
  const words = shapes.filter(({ isAround }) => isAround).map(wordsBox)
  const crossed = arrows.filter(({ points }) => words.some((box) => crosses(points, box)))
  const legs = arrows.flatMap(({ points }) => legsOf(points))
  const length = legs.reduce((sum, [a, b]) => sum + Math.abs(a.x - b.x) + Math.abs(a.y - b.y), 0)
  return 5000 * crossed.length + 2 * width + height + 200 * crossings(legs) + 8 * legs.length + length / 20
}

type Leg = readonly [Point, Point]

function legsOf(points: readonly Point[]): Leg[] {
  return points.slice(1).map((point, index) => [points[index] as Point, point])
}

/** Where the words of a shape stand that has others inside. */
export function wordsBox({ x, y, content: { width, height } }: PlacedShape): Box {
  return { x, y, width: width - PADDING.x / 2, height: height - PADDING.y / 2 }
}

/** Whether a way leads through a box. */
export function crosses(points: readonly Point[], { x, y, width, height }: Box): boolean {
  return legsOf(points).some(
    ([a, b]) =>
      Math.max(a.x, b.x) > x &&
      Math.min(a.x, b.x) < x + width &&
      Math.max(a.y, b.y) > y &&
      Math.min(a.y, b.y) < y + height,
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

function graphOf(plan: Plan, seed: number): ElkNode {
  const edges = plan.arrows.map((arrow) => edgeOf(arrow, isBack(arrow, plan)))
  return {
    id: ROOT,
    layoutOptions: { ...OPTIONS, 'elk.randomSeed': String(seed) },
    children: childrenOf('', plan),
    edges: [...edges, ...threadsOf(plan)],
  }
}

function childrenOf(parent: string, plan: Plan): ElkNode[] {
  return plan.shapes
    .filter((shape) => shape.parent === parent)
    .map((shape) => {
      const children = childrenOf(shape.id, plan)
      const { width, height } = contentOf(shape, plan)
      if (children.length === 0) return { id: shape.id, width, height }
      const layoutOptions = {
        ...OPTIONS,
        'elk.padding': `[top=${height + 14},left=16,bottom=18,right=16]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},0)`,
      }
      return { id: shape.id, children, layoutOptions }
    })
}

/** Whether an arrow leads up: states stand from top to bottom in the order of the config, whatever cycles there are. */
function isBack({ source, target }: Arrow, { shapes }: Plan): boolean {
  const place = (id: string): number => {
    const index = shapes.findIndex((shape) => shape.id === id)
    const shape = shapes[index]
    if (shape?.kind !== 'state') return -1
    return shape.parent === '' ? index : place(shape.parent)
  }
  return place(target) < place(source)
}

function edgeOf({ id, source, target, label }: Arrow, isBack: boolean): ElkExtendedEdge {
  const layoutOptions = { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' }
  return {
    id,
    sources: [isBack ? target : source],
    targets: [isBack ? source : target],
    ...(label.length > 0 && {
      labels: [{ id: `label ${id}`, text: id, ...labelSize(label), layoutOptions }],
    }),
  }
}

/** What starts anywhere hangs on nothing: it is drawn to where the machine ends. */
function threadsOf({ shapes }: Plan): ElkExtendedEdge[] {
  const last = shapes.findLast(
    ({ kind, parent, ...rest }) =>
      kind === 'state' && parent === '' && 'state' in rest && rest.state.type !== 'final',
  )
  return shapes
    .filter(({ kind, parent }) => kind === 'anywhere' && parent === '')
    .map(({ id }) => ({ id: `${THREAD} ${id}`, sources: [last?.id ?? ROOT], targets: [id] }))
}

function placed({ children, edges = [], width = 0, height = 0 }: ElkNode, plan: Plan): Layout {
  const nodes = new Map(flatten(children).map((node) => [node.id, node]))
  const ways = new Map(edges.map((edge) => [edge.id, edge]))
  return {
    plan,
    width,
    height,
    shapes: plan.shapes.map((shape) => {
      const node = nodes.get(shape.id)
      return {
        shape,
        content: contentOf(shape, plan),
        isAround: node?.children !== undefined,
        ...boxOf(node),
      }
    }),
    arrows: plan.arrows.map((arrow) => {
      const way = ways.get(arrow.id)
      const points = straight(pointsOf(way))
      const label = way?.labels?.[0]
      return { arrow, points: isBack(arrow, plan) ? points.reverse() : points, label: label && boxOf(label) }
    }),
  }
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
