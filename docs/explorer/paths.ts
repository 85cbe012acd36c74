import type { Graph, Message } from './graphs.ts'
import type { PackedGraph, PackedStep } from './pack.ts'

/** A step in the tree of a graph: all paths that begin alike share it. The root of a set has the name of its tests. */
export interface Step {
  readonly set: string
  readonly parent: Step | undefined
  readonly next: Step[]
  readonly words: string
  readonly kind: string
  readonly states: readonly (readonly string[])[]
  readonly wire: readonly Message[]
  /** Milliseconds since the start of the path. */
  readonly at: number
  /** A hash of all steps up to this one, so that a link stays good when other paths come and go. */
  readonly id: string
  /** Whether a path ends here. */
  readonly isEnd: boolean
}

/** A graph with its tree. */
export interface Tree extends Omit<Graph, 'sets'> {
  /** The first steps, or the roots of the sets if there are several. */
  readonly roots: readonly Step[]
  readonly ends: readonly Step[]
}

/** Unpacks the paths of a graph. */
export function unpack({ sets, words, states, wires, ...graph }: PackedGraph): Tree {
  const unpackStep = ([word, state, wire, wait, isEnd, next]: PackedStep, parent: Step): Step => {
    const [told = '', kind = ''] = (words[word] ?? '').split('\t')
    const visited = (states[state] ?? '').split('\t')
    const messages = (wires[wire] ?? '').split('\t').filter((message) => message !== '')
    const step: Step = {
      set: parent.set,
      parent,
      next: [],
      words: told,
      kind,
      states: visited.map((ids) => (ids === '' ? [] : ids.split('>'))),
      wire: messages as Message[],
      at: parent.at + wait,
      id: hash(`${parent.id} ${told}`),
      isEnd: isEnd === 1,
    }
    step.next.push(...next.map((one) => unpackStep(one, step)))
    return step
  }
  const roots = sets.map(({ title, steps }) => {
    const root: Step = {
      ...{ set: title, parent: undefined, next: [], words: title, kind: 'set', states: [], wire: [] },
      ...{ at: 0, id: hash(title), isEnd: false },
    }
    root.next.push(...steps.map((step) => unpackStep(step, root)))
    return root
  })
  const [only] = roots.length === 1 ? roots : []
  return { ...graph, roots: only?.next ?? roots, ends: roots.flatMap(endsOf) }
}

function endsOf(step: Step): Step[] {
  return [...(step.isEnd ? [step] : []), ...step.next.flatMap(endsOf)]
}

/** Every step of a tree. */
export function allOf(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, ...allOf(step.next)])
}

/** The steps from the first one to this one. */
export function pathTo(step: Step | undefined): Step[] {
  return step === undefined || step.kind === 'set' ? [] : [...pathTo(step.parent), step]
}

/** The state of each machine after a step. */
export function statesAfter({ states }: Step): (string | undefined)[] {
  return states.map((visited) => visited.at(-1))
}

/** The name of the test that walks a path. The start of a login, or of a poll, is left out if a response follows. */
export function nameOf(end: Step): string {
  return pathTo(end)
    .filter(({ words, kind }, index, { [index + 1]: next }) => {
      if (words === 'started') return next?.kind !== 'codes'
      return !(words === 'polling' && kind === 'wait' && ['response', 'silence'].includes(next?.kind ?? ''))
    })
    .map(({ words }) => words)
    .join(', then ')
}

/** FNV-1a, 32 bits, in base 36. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const unit of new TextEncoder().encode(text)) value = Math.imul(value ^ unit, 0x01000193)
  return (value >>> 0).toString(36)
}
