import type { Graph, PathSet } from './graphs.ts'

/** The paths of a set as a tree, node by node: how deep each node is, and what it shows. */
export interface PackedSet {
  readonly title: string
  readonly depth: readonly number[]
  /** Positions in `words`, `states` and `wires` of the graph. */
  readonly word: readonly number[]
  readonly state: readonly number[]
  readonly wire: readonly number[]
  /** Milliseconds since the node before. */
  readonly wait: readonly number[]
  /** The nodes at which a path ends. */
  readonly ends: readonly number[]
}

/** A graph with each text once, and each common beginning once. */
export interface PackedGraph extends Omit<Graph, 'sets'> {
  /** The words of a step and its kind, with a tab between them. */
  readonly words: readonly string[]
  /** The states of each machine: those of one with `>` between them, and a tab between the machines. */
  readonly states: readonly string[]
  /** The messages of a step, with a tab between them. */
  readonly wires: readonly string[]
  readonly sets: readonly PackedSet[]
}

interface Node {
  readonly columns: readonly [word: number, state: number, wire: number, wait: number]
  readonly next: Map<string, Node>
  isEnd: boolean
}

/** Packs a graph. */
export function pack({ sets, ...graph }: Graph): PackedGraph {
  const words = new Table()
  const states = new Table()
  const wires = new Table()
  const packed = sets.map((set) => packSet(set, { words, states, wires }))
  return { ...graph, words: words.texts, states: states.texts, wires: wires.texts, sets: packed }
}

/** Texts, each of which has a position. */
class Table {
  readonly #positions = new Map<string, number>()

  get texts(): string[] {
    return [...this.#positions.keys()]
  }

  at(text: string): number {
    const position = this.#positions.get(text) ?? this.#positions.size
    this.#positions.set(text, position)
    return position
  }
}

function packSet(
  { title, paths }: PathSet,
  tables: Readonly<Record<'words' | 'states' | 'wires', Table>>,
): PackedSet {
  const root: Node = { columns: [0, 0, 0, 0], next: new Map(), isEnd: false }
  for (const path of paths) {
    let node = root
    let last = 0
    for (const { words, kind, at, states, wire } of path) {
      const columns = [
        tables.words.at(`${words}\t${kind}`),
        tables.states.at(states.map((visited) => visited.join('>')).join('\t')),
        tables.wires.at(wire.join('\t')),
        at - last,
      ] as const
      const key = columns.join()
      const known = node.next.get(key) ?? { columns, next: new Map(), isEnd: false }
      node.next.set(key, known)
      node = known
      last = at
    }
    node.isEnd = true
  }
  const nodes = listNodes(root, 0)
  const column = (index: 0 | 1 | 2 | 3) => nodes.map(({ node }) => node.columns[index])
  return {
    title,
    depth: nodes.map(({ depth }) => depth),
    word: column(0),
    state: column(1),
    wire: column(2),
    wait: column(3),
    ends: nodes.flatMap(({ node }, index) => (node.isEnd ? [index] : [])),
  }
}

function listNodes({ next }: Node, depth: number): { readonly node: Node; readonly depth: number }[] {
  return [...next.values()].flatMap((node) => [{ node, depth }, ...listNodes(node, depth + 1)])
}
