import { groupBy } from './group-by.ts'
import type { Machine, State, Transition } from './read-machine.ts'

/** A node of a picture: a state, or a mark that helps to read it. */
export type Shape =
  | {
      readonly kind: 'state'
      readonly id: string
      readonly parent: string
      readonly state: State
      /** The transitions that return to the same substate through the history state. */
      readonly stays: readonly Transition[]
    }
  /** The start of a machine or compound state. */
  | { readonly kind: 'start'; readonly id: string; readonly parent: string }
  /** Transitions from anywhere inside the parent to one target: the arrow begins at its label. */
  | { readonly kind: 'anywhere'; readonly id: string; readonly parent: string; readonly label: Label }
  /** A reference to a state drawn elsewhere, where an arrow to it ends. */
  | { readonly kind: 'reference'; readonly id: string; readonly parent: string; readonly state: State }

/** The lines on an arrow: each trigger with its guards. */
export type Label = readonly { readonly trigger: string; readonly guards: readonly string[] }[]

/** An arrow: one or more transitions between the same two shapes. */
export interface Arrow {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly label: Label
  readonly transitions: readonly Transition[]
}

/** What a picture of a machine shows, before layout. */
export interface Plan {
  readonly machine: Machine
  readonly shapes: readonly Shape[]
  readonly arrows: readonly Arrow[]
}

/**
 * Decides what is drawn. A transition that all states have is drawn once, and one from a compound state to one of its
 * substates begins at its own label.
 */
export function planPicture(machine: Machine): Plan {
  const histories = new Map(
    machine.states.filter(({ type }) => type === 'history').map(({ id, parent = '' }) => [id, parent]),
  )
  const stays = (transition: Transition) => histories.get(transition.to) === transition.from
  const states = machine.states.filter(({ id }) => id !== '' && !histories.has(id))
  const everywhere = findEverywhere(machine)
  const origin = (transition: Transition) => (everywhere.has(transition) ? '' : transition.from)
  const groups = groupBy(
    machine.transitions.filter((transition) => !stays(transition)),
    (transition) => `${origin(transition)} > ${transition.to}`,
  )
  const shapes: Shape[] = states.map((state) => ({
    kind: 'state',
    id: state.id,
    parent: state.parent ?? '',
    state,
    stays: machine.transitions.filter((transition) => transition.from === state.id && stays(transition)),
  }))
  const parents = new Map(shapes.map(({ id, parent }) => [id, parent]))

  const arrows: Arrow[] = [...groups].map(([id, transitions]) => {
    const [{ to }] = transitions as [Transition]
    const from = origin(transitions[0] as Transition)
    const label = labelOf(transitions, machine)
    if (!isInside(to, from, parents)) return { id, source: from, target: to, label, transitions }
    shapes.push({ kind: 'anywhere', id: `anywhere ${id}`, parent: from, label })
    return { id, source: `anywhere ${id}`, target: to, label: [], transitions }
  })
  for (const { id, initial } of machine.states) {
    if (initial === undefined) continue
    const start = `start ${id}`
    shapes.push({ kind: 'start', id: start, parent: parents.get(initial) ?? '' })
    arrows.push({ id: `${start} > ${initial}`, source: start, target: initial, label: [], transitions: [] })
  }
  return { machine, shapes, arrows }
}

/** The transitions that every non-final state has: to the same target, under the same guard. */
function findEverywhere({ states, transitions }: Machine): Set<Transition> {
  const active = states.filter(({ type }) => type === 'atomic')
  const groups = groupBy(transitions, ({ guard, to }) => `${guard} ${to}`).values()
  return new Set(
    [...groups]
      .filter((group) => active.every(({ id }) => group.some(({ from }) => `${id}.`.startsWith(`${from}.`))))
      .flat(),
  )
}

function isInside(id: string, ancestor: string, parents: ReadonlyMap<string, string>): boolean {
  if (id === ancestor) return false
  for (let at: string | undefined = id; at !== undefined; at = parents.get(at))
    if (at === ancestor) return true
  return false
}

/** The label of a group of transitions. */
export function labelOf(transitions: readonly Transition[], machine: Machine): Label {
  const lines = new Map<string, Set<string>>()
  for (const transition of transitions) {
    const trigger = triggerText(transition, machine)
    const guards = lines.get(trigger) ?? new Set()
    const guard = guardText(transition, machine)
    if (guard !== undefined) guards.add(guard)
    lines.set(trigger, guards)
  }
  // Triggers with the same guards share a line.
  const alike = groupBy(lines, ([, guards]) => [...guards].join())
  return [...alike.values()].map((group) => ({
    trigger: group.map(([trigger]) => trigger || (group.length > 1 ? 'always' : '')).join(', '),
    guards: [...(group[0]?.[1] ?? [])],
  }))
}

/** The text of a trigger on an arrow. */
export function triggerText({ trigger: { kind, name } }: Transition, { delays }: Machine): string {
  switch (kind) {
    case 'event':
      return name
    case 'after':
      return delays[name] === undefined ? `after ${name}` : `after ${delays[name] / 1000} s`
    case 'always':
      return ''
    default:
      return kind
  }
}

/** The text of a guard: its name, or `otherwise` for the last of several branches. */
export function guardText(
  { id, from, trigger, guard }: Transition,
  { transitions }: Machine,
): string | undefined {
  if (guard !== undefined) return guard
  const isBranch = transitions.some(
    (other) =>
      other.id !== id &&
      other.from === from &&
      other.trigger.kind === trigger.kind &&
      other.trigger.name === trigger.name,
  )
  return isBranch ? 'otherwise' : undefined
}
