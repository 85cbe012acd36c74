import { adjacencyMapToArray, TestModel } from '@xstate/graph'
import type { ActorLogic, Snapshot } from 'xstate'

/** A graph to walk: situations, and the steps between them. All functions are pure. */
export interface Walk<Situation, Step> {
  readonly start: Situation
  /** The steps that can be taken in a situation. */
  next(situation: Situation): readonly Step[]
  take(situation: Situation, step: Step): Situation
  /** Names everything a later step depends on, except the exact time: situations with the same name are equal. */
  nameOf(situation: Situation): string
  /** Names only the state of the machine. */
  stateOf(situation: Situation): string
  /** Names a step uniquely within a situation. */
  labelOf(step: Step): string
}

/** An edge of the graph: the names of two situations and of the step between them. */
export interface Edge {
  readonly from: string
  readonly step: string
  readonly to: string
}

/**
 * How paths are chosen: `shortest` takes the shortest way over every edge of the graph; `simple` takes every way that
 * visits no state of the machine twice.
 */
export type PathKind = 'shortest' | 'simple'

type Here<Situation> = Snapshot<unknown> & {
  readonly situation: Situation
  readonly name: string
  toJSON(): string
}

/** The graph package identifies a step by its type. */
interface TakenStep<Step> {
  readonly type: string
  readonly step: Step
}

/** The same graph with only the steps that `keeps` lets through. */
export function withSteps<Situation, All, Step extends All>(
  walk: Walk<Situation, All>,
  keeps: (step: All) => step is Step,
): Walk<Situation, Step> {
  return { ...walk, next: (situation) => walk.next(situation).filter(keeps) }
}

/** One step of a path, and the situation after it. */
export interface WalkedStep<Situation, Step> {
  readonly step: Step
  readonly situation: Situation
}

export function pathsOf<Situation, Step>(
  walk: Walk<Situation, Step>,
  kind: PathKind,
): (readonly WalkedStep<Situation, Step>[])[] {
  const model = modelOf(walk, kind)
  const paths = kind === 'shortest' ? model.getShortestPaths() : model.getSimplePaths()
  const walkAgain = walker(walk)
  // The first step is XState's: it creates the situation that a path starts from.
  const labels = paths.map(({ steps }) => steps.slice(1).map(({ event }) => event.type))
  return labels.filter(({ length }) => length > 0).map(walkAgain)
}

export function edgesOf<Situation, Step>(walk: Walk<Situation, Step>): Edge[] {
  const neighbours = adjacencyMapToArray(modelOf(walk, 'shortest').getAdjacencyMap())
  const edges = neighbours.map(({ state, event, nextState }) => ({
    from: state.name,
    step: event.type,
    to: nextState.name,
  }))
  return [...new Map(edges.map((edge) => [nameOfEdge(edge), edge])).values()]
}

/**
 * Takes the steps of paths one after the other. The graph package keeps one situation for each name, which another path
 * may have reached at another time: the situation after a step is known only when the path itself is walked.
 */
function walker<Situation, Step>(walk: Walk<Situation, Step>) {
  /** The last steps of paths, by the labels of the whole path. */
  const taken = new Map<string, WalkedStep<Situation, Step>>()

  function follow(from: Situation, label: string): WalkedStep<Situation, Step> {
    const step = walk.next(from).find((candidate) => walk.labelOf(candidate) === label)
    if (step === undefined) throw new Error(`${walk.nameOf(from)} has no step "${label}"`)
    return { step, situation: walk.take(from, step) }
  }

  return (labels: readonly string[]): readonly WalkedStep<Situation, Step>[] => {
    let path = ''
    let situation = walk.start
    return labels.map((label) => {
      path += `${label}\n`
      const walked = taken.get(path) ?? follow(situation, label)
      taken.set(path, walked)
      situation = walked.situation
      return walked
    })
  }
}

export function nameOfEdge({ from, step, to }: Edge): string {
  return `${from} --${step}--> ${to}`
}

function modelOf<Situation, Step>(walk: Walk<Situation, Step>, kind: PathKind) {
  const seen = new Map<string, Here<Situation>>()
  const taken = new Map<string, Here<Situation>>()

  /** The first situation with a name stands for all of them. */
  function here(situation: Situation): Here<Situation> {
    const name = walk.nameOf(situation)
    // The graph package includes situations in descriptions: the name is enough.
    const ours = { situation, name, toJSON: () => name }
    const known = seen.get(name) ?? { status: 'active', output: undefined, error: undefined, ...ours }
    seen.set(name, known)
    return known
  }

  /** Takes each step once for all paths. */
  function leave(from: Here<Situation>, { type, step }: TakenStep<Step>): Here<Situation> {
    const edge = `${from.name} --${type}`
    const to = taken.get(edge) ?? here(walk.take(from.situation, step))
    taken.set(edge, to)
    return to
  }

  const logic: ActorLogic<Here<Situation>, TakenStep<Step>, undefined> = {
    getInitialSnapshot: () => here(walk.start),
    transition: leave,
    getPersistedSnapshot: (snapshot) => snapshot,
  }
  return new TestModel<Here<Situation>, TakenStep<Step>, undefined>(logic, {
    events: ({ situation }) =>
      walk.next(situation).map((step): TakenStep<Step> => ({ type: walk.labelOf(step), step })),
    serializeEvent: ({ type }) => type,
    serializeState: ({ situation, name }, event, before) => {
      if (kind === 'simple') return walk.stateOf(situation)
      // Includes the edge that leads to the situation, so that every edge is on a path.
      return `${before?.name ?? ''} --${event?.type}--> ${name}`
    },
  })
}
