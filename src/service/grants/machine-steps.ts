import type {
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  ContextFrom,
  EventFromLogic,
  EventObject,
  InputFrom,
} from 'xstate'

interface Args {
  readonly context: unknown
  readonly event: unknown
}

/** A transition of a machine, with its functions instead of their names. */
interface Arrow {
  readonly declared: AnyTransitionDefinition
  readonly guard: ((args: Args) => boolean) | undefined
  readonly assignments: readonly Assignment[]
  readonly target: string | undefined
}

/** What `assign` was called with: one function, or one or a value for each member. */
type Assignment = ((args: Args) => object) | Readonly<Record<string, unknown>>

/**
 * Runs a machine like XState's `transition()`, from a table of its transitions, which costs less at each poll of a service.
 * The machine may have guards and assignments, and no other effects. What is kept is the name of the innermost state and the
 * context, as plain JSON.
 *
 * @throws TypeError for a machine that needs an actor.
 */
export function createSteps<Machine extends AnyStateMachine, State extends string>(machine: Machine) {
  const transitions = new Transitions(machine)

  return {
    begin(input: InputFrom<Machine>): ContextFrom<Machine> & { readonly state: State } {
      const { context } = machine.config
      return { state: innermost(machine.root).key, ...context({ input }) }
    },

    /** Applies one event. Returns the same object if nothing changed. Members that the machine does not know stay. */
    step<Stored extends { readonly state: string }>(kept: Stored, event: EventFromLogic<Machine>): Stored {
      const arrow = transitions.select(kept, event)
      if (arrow === undefined) return kept
      const { assignments, target: state = kept.state } = arrow
      if (assignments.length === 0 && state === kept.state) return kept
      const after = { ...kept, state }
      for (const assignment of assignments)
        Object.assign(after, assigned(assignment, { context: after, event }))
      return after
    },
  }
}

export class Transitions {
  readonly #table: ReadonlyMap<string, ReadonlyMap<string, readonly Arrow[]>>

  constructor(machine: AnyStateMachine) {
    this.#table = tableOf(machine)
  }

  select(kept: { readonly state: string }, event: EventObject): Arrow | undefined {
    const arrows = this.#table.get(kept.state)
    if (arrows === undefined) throw new TypeError('the machine does not have the state of this record')
    return arrows.get(event.type)?.find(({ guard }) => guard === undefined || guard({ context: kept, event }))
  }
}

/** The transitions by innermost state and type of event: those of the state first, then those of the states around it. */
function tableOf(machine: AnyStateMachine): ReadonlyMap<string, ReadonlyMap<string, readonly Arrow[]>> {
  const { guards, actions } = machine.implementations as {
    readonly guards: Readonly<Record<string, Arrow['guard']>>
    readonly actions: Readonly<Record<string, { readonly assignment?: Assignment }>>
  }
  const table = new Map<string, Map<string, Arrow[]>>()

  function named<Value>(values: Readonly<Record<string, Value>>, name: unknown): NonNullable<Value> {
    return (typeof name === 'string' ? values[name] : undefined) ?? needsActor()
  }

  function add(node: AnyStateNode, around: ReadonlyMap<string, Arrow[]>): void {
    const { type, entry, exit, invoke, always } = node
    if (!['atomic', 'compound', 'final'].includes(type)) needsActor()
    if (entry.length + exit.length + invoke.length + (always?.length ?? 0) > 0) needsActor()
    const arrows = new Map(around)
    for (const [event, transitions] of node.transitions) {
      const own = transitions.map((declared) => {
        const { guard, actions: names, target } = declared
        return {
          declared,
          guard: guard === undefined ? undefined : named(guards, guard),
          assignments: names.map((name) => named(actions, name).assignment ?? needsActor()),
          target: target?.[0] && innermost(target[0]).key,
        }
      })
      arrows.set(event, [...own, ...(around.get(event) ?? [])])
    }
    const children = Object.values(node.states)
    if (children.length === 0) table.set(node.key, arrows)
    for (const child of children) add(child, arrows)
  }

  add(machine.root, new Map())
  return table
}

function innermost(node: AnyStateNode): AnyStateNode {
  const [initial] = node.type === 'compound' ? node.initial.target : []
  return initial ? innermost(initial) : node
}

function assigned(assignment: Assignment, args: Args): object {
  if (typeof assignment === 'function') return assignment(args)
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(assignment))
    members[name] = typeof value === 'function' ? value(args) : value
  return members
}

function needsActor(): never {
  throw new TypeError('the machine does more than guard and assign: run it as an actor')
}
