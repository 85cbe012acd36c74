import { adjacencyMapToArray, TestModel } from '@xstate/graph'
import type { ActorLogic, Snapshot } from 'xstate'

/** What can be walked: situations, and the steps that lead from one to the next. All of it is pure. */
export interface Walk<Situation, Step> {
  readonly start: Situation
  /** The steps that can be taken in a situation. */
  next(situation: Situation): readonly Step[]
  take(situation: Situation, step: Step): Situation
  /** Names all that a later step depends on, apart from the exact time: situations of one name are the same one. */
  nameOf(situation: Situation): string
  /** Names the state of the machine alone. */
  stateOf(situation: Situation): string
  /** Names a step, apart from the others that can be taken in the same situation. */
  labelOf(step: Step): string
}

/** One step of a graph, by the names of the two situations and of the step between them. */
export interface Edge {
  readonly from: string
  readonly step: string
  readonly to: string
}

/**
 * How paths are chosen: `shortest` takes the shortest way over every edge of the graph, `simple` every way that comes
 * by no state of the machine twice.
 *
 * @group Testing
 */
export type PathKind = 'shortest' | 'simple'

type Here<Situation> = Snapshot<unknown> & { readonly situation: Situation; toJSON(): string }

/** The graph package knows a step by its type. */
interface Taken<Step> {
  readonly type: string
  readonly step: Step
}

/** One step of a path, and the situation behind it. */
export interface WalkedStep<Situation, Step> {
  readonly step: Step
  readonly situation: Situation
}

/** Generates paths. */
export function pathsOf<Situation, Step>(
  walk: Walk<Situation, Step>,
  kind: PathKind,
): (readonly WalkedStep<Situation, Step>[])[] {
  const model = modelOf(walk, kind)
  const paths = kind === 'shortest' ? model.getShortestPaths() : model.getSimplePaths()
  const walkAgain = walker(walk)
  // The first step is XState's own: it makes the situation from which a path starts.
  const labels = paths.map(({ steps }) => steps.slice(1).map(({ event }) => event.type))
  return labels.filter(({ length }) => length > 0).map(walkAgain)
}

/** Lists every edge of the graph. */
export function edgesOf<Situation, Step>(walk: Walk<Situation, Step>): Edge[] {
  const neighbours = adjacencyMapToArray(modelOf(walk, 'shortest').getAdjacencyMap())
  const edges = neighbours.map(({ state, event, nextState }) => ({
    from: walk.nameOf(state.situation),
    step: event.type,
    to: walk.nameOf(nextState.situation),
  }))
  return [...new Map(edges.map((edge) => [nameOfEdge(edge), edge])).values()]
}

/**
 * Takes the steps of paths one after the other. The graph package keeps one situation of each name, which another path
 * may have reached, at another time: what lies behind a step is only known when the path itself is walked.
 */
function walker<Situation, Step>(walk: Walk<Situation, Step>) {
  interface Node {
    readonly situation: Situation
    readonly next: Map<string, WalkedStep<Situation, Step> & Node>
  }
  const root: Node = { situation: walk.start, next: new Map() }

  function follow({ situation: from, next }: Node, label: string): WalkedStep<Situation, Step> & Node {
    const known = next.get(label)
    if (known) return known
    const step = walk.next(from).find((candidate) => walk.labelOf(candidate) === label)
    if (step === undefined) throw new Error(`${walk.nameOf(from)} has no step "${label}"`)
    const node = { step, situation: walk.take(from, step), next: new Map() }
    next.set(label, node)
    return node
  }

  return (labels: readonly string[]): readonly WalkedStep<Situation, Step>[] => {
    let node = root
    return labels.map((label) => {
      const reached = follow(node, label)
      node = reached
      return reached
    })
  }
}

/** Writes an edge in one line. */
export function nameOfEdge({ from, step, to }: Edge): string {
  return `${from} --${step}--> ${to}`
}

function modelOf<Situation, Step>(walk: Walk<Situation, Step>, kind: PathKind) {
  const seen = new Map<string, Here<Situation>>()
  const taken = new Map<Here<Situation>, Map<string, Here<Situation>>>()

  /** The first situation of each name stands for all of them, and is left by each step once. */
  function here(situation: Situation): Here<Situation> {
    const name = walk.nameOf(situation)
    const known = seen.get(name) ?? {
      status: 'active',
      output: undefined,
      error: undefined,
      situation,
      // The graph package writes situations into descriptions: the name is enough.
      toJSON: () => name,
    }
    seen.set(name, known)
    return known
  }

  function leave(from: Here<Situation>, { type, step }: Taken<Step>): Here<Situation> {
    const left = taken.get(from) ?? new Map<string, Here<Situation>>()
    taken.set(from, left)
    const to = left.get(type) ?? here(walk.take(from.situation, step))
    left.set(type, to)
    return to
  }

  const logic: ActorLogic<Here<Situation>, Taken<Step>, undefined> = {
    getInitialSnapshot: () => here(walk.start),
    transition: leave,
    getPersistedSnapshot: (snapshot) => snapshot,
  }
  return new TestModel<Here<Situation>, Taken<Step>, undefined>(logic, {
    events: ({ situation }) =>
      walk.next(situation).map((step): Taken<Step> => ({ type: walk.labelOf(step), step })),
    serializeEvent: ({ type }) => type,
    serializeState: ({ situation }, event, before) => {
      if (kind === 'simple') return walk.stateOf(situation)
      // With the edge that leads to it, a situation is one for each edge: so every edge is on a path.
      return `${before ? walk.nameOf(before.situation) : ''} --${event?.type}--> ${walk.nameOf(situation)}`
    },
  })
}
