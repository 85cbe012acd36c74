import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** What triggers a transition: an event, an actor that ends or shows a snapshot, a delay, or nothing (`always`). */
export interface Trigger {
  readonly kind: 'event' | 'done' | 'error' | 'snapshot' | 'after' | 'always'
  /** Name of the event, actor or delay. */
  readonly name: string
}

/** One state of a machine, as diagrams and tables show it. */
export interface State {
  /** The path of names from the root, such as `waiting.pending`. The root itself is the empty string. */
  readonly id: string
  readonly name: string
  readonly parent: string | undefined
  readonly type: AnyStateNode['type']
  /** Whether a history state remembers substates of substates too. */
  readonly isDeep: boolean
  /** The initial substate. */
  readonly initial: string | undefined
  readonly description: string
  /** The text that a user sees. */
  readonly text: string
  /** Its own tags first, then those of its ancestors. */
  readonly tags: readonly string[]
  /** The actors that the state invokes. */
  readonly invokes: readonly string[]
}

/** One transition of a machine. */
export interface Transition {
  /** Stable for a given config: the state, the trigger and the position among its branches. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly trigger: Trigger
  readonly guard: string | undefined
  readonly actions: readonly string[]
  readonly description: string | undefined
  readonly definition: AnyTransitionDefinition
}

/** A machine as data, for diagrams, tables and the live page. */
export interface Machine {
  readonly id: string
  readonly description: string
  readonly states: readonly State[]
  readonly transitions: readonly Transition[]
  /** Constant delays in milliseconds. */
  readonly delays: Readonly<Record<string, number>>
}

/** Walks a machine from its root. `toDirectedGraph` would leave out initial states, invoked actors and `always`. */
export function readMachine(machine: AnyStateMachine): Machine {
  const nodes = withChildren(machine.root)
  return {
    id: machine.id,
    description: machine.root.description ?? '',
    states: nodes.map(readState),
    transitions: nodes.flatMap(readTransitions),
    delays: Object.fromEntries(
      Object.entries(machine.implementations.delays).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
  }
}

/** The ID of a state node. */
export function stateId(node: AnyStateNode): string {
  return node.path.join('.')
}

/** Whether a state is another one or inside it. */
export function isIn(id: string, around: string): boolean {
  return `${id}.`.startsWith(`${around}.`)
}

function withChildren(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values<AnyStateNode>(node.states).flatMap(withChildren)]
}

function readState(node: AnyStateNode): State {
  return {
    id: stateId(node),
    name: node.key,
    parent: node.parent && stateId(node.parent),
    type: node.type,
    isDeep: node.history === 'deep',
    initial: node.type === 'compound' ? node.initial.target.map(stateId)[0] : undefined,
    description: node.description ?? '',
    text: (node.meta as { text?: string } | undefined)?.text ?? '',
    tags: tagsOf(node),
    invokes: node.invoke.map(({ id, src }) => nameOfActor(node, id, src)),
  }
}

function tagsOf({ tags, parent }: AnyStateNode): string[] {
  return [...tags, ...(parent ? tagsOf(parent) : [])]
}

function readTransitions(node: AnyStateNode): Transition[] {
  const branches = [...node.transitions.values(), node.always ?? []]
  return branches.flatMap((candidates) =>
    candidates.flatMap((transition, index) => {
      // A parallel state can be entered at several targets.
      const targets = transition.target ?? [node]
      return targets.map((target) => readTransition(node, transition, index, stateId(target)))
    }),
  )
}

function readTransition(
  node: AnyStateNode,
  definition: AnyTransitionDefinition,
  index: number,
  to: string,
): Transition {
  const trigger = readTrigger(node, definition.eventType)
  const from = stateId(node)
  return {
    id: [from, trigger.kind, trigger.name, index].filter((part) => part !== '').join(':'),
    from,
    to,
    trigger,
    guard: definition.guard === undefined ? undefined : nameOf(definition.guard),
    actions: definition.actions.map(nameOf),
    description: definition.description,
    definition,
  }
}

/** The names of the events that XState generates. */
function readTrigger(node: AnyStateNode, eventType: string): Trigger {
  const [, kind, name = ''] =
    /^xstate\.(done|error|snapshot)\.(?:actor\.|state\.)?(.*)$/.exec(eventType) ?? []
  if (kind === 'done' || kind === 'error' || kind === 'snapshot') {
    const src = node.invoke.find(({ id }) => id === name)?.src
    return { kind, name: nameOfActor(node, name, src) }
  }
  const delay = node.after.find((transition) => transition.eventType === eventType)?.delay
  if (delay !== undefined) return { kind: 'after', name: String(delay) }
  return eventType === '' ? { kind: 'always', name: '' } : { kind: 'event', name: eventType }
}

/** XState makes an ID of the place of an actor that has none. */
function nameOfActor(node: AnyStateNode, id: string, src: unknown): string {
  return id.endsWith(`.${node.id}`) && typeof src === 'string' ? src : id
}

function nameOf(reference: unknown): string {
  if (typeof reference === 'string') return reference
  const { type, name } = reference as { readonly type?: string; readonly name?: string }
  return type ?? (name || 'inline')
}
