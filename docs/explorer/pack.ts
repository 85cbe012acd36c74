import { groupBy } from '../tools/group-by.ts'
import type { Graph, ShownStep } from './graphs.ts'

/** A step of one path or several, in one set of tests. */
export type PackedStep = readonly [
  /** Positions in `words`, `states` and `wires` of the graph. */
  word: number,
  state: number,
  wire: number,
  /** Milliseconds since the step before. */
  wait: number,
  /** Whether a path ends here. */
  isEnd: 0 | 1,
  next: readonly PackedStep[],
]

/** A graph with each text once, and each common beginning once. */
export interface PackedGraph extends Omit<Graph, 'sets'> {
  /** The words of a step and its kind, with a tab between them. */
  readonly words: readonly string[]
  /** The states of each machine: those of one with `>` between them, and a tab between the machines. */
  readonly states: readonly string[]
  /** The messages of a step, with a tab between them. */
  readonly wires: readonly string[]
  readonly sets: readonly { readonly title: string; readonly steps: readonly PackedStep[] }[]
}

/** Packs a graph. */
export function pack({ sets, ...graph }: Graph): PackedGraph {
  const tables = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()] as const
  const packed = sets.map(({ title, paths }) => ({ title, steps: packSteps(paths, 0, tables) }))
  const [words = [], states = [], wires = []] = tables.map((table) => [...table.keys()])
  return { ...graph, words, states, wires, sets: packed }
}

type Tables = readonly Map<string, number>[]

function packSteps(paths: readonly (readonly ShownStep[])[], depth: number, tables: Tables): PackedStep[] {
  const longer = paths.filter(({ length }) => length > depth)
  const groups = groupBy(longer, ({ [depth]: step, [depth - 1]: before }) =>
    textOf(step as ShownStep, before),
  )
  return [...groups].map(([text, group]) => {
    const [wait, ...texts] = text.split('\r')
    const [word = 0, state = 0, wire = 0] = texts.map((text, index) => positionIn(tables[index], text))
    const isEnd = group.some(({ length }) => length === depth + 1) ? 1 : 0
    return [word, state, wire, Number(wait), isEnd, packSteps(group, depth + 1, tables)]
  })
}

function textOf({ words, kind, at, states, wire }: ShownStep, before: ShownStep | undefined): string {
  const visited = states.map((one) => one.join('>')).join('\t')
  return [at - (before?.at ?? 0), `${words}\t${kind}`, visited, wire.join('\t')].join('\r')
}

/** The position of a text in a table, at whose end it is added if it is not there. */
function positionIn(table: Map<string, number> | undefined, text: string): number {
  const position = table?.get(text) ?? table?.size ?? 0
  table?.set(text, position)
  return position
}
