import { type Role, roleOf } from '../../src/pictures/theme.ts'
import { alongWay } from './along-way.ts'
import { groupBy } from './group-by.ts'
import { type Label, labelOf } from './label.ts'
import { isIn, type Machine, type State, type Transition } from './read-machine.ts'

/** From how many states a trigger leads to the same target for it to be drawn once. */
const MANY = 3

/** A node of a picture: a state, or a mark that helps to read it. */
export type Shape = { readonly id: string; readonly parent: string } & (
  | {
      readonly kind: 'state'
      readonly state: State
      readonly role: Role
      readonly isInitial: boolean
      /** Pixels at which its text wraps, if it has more or less room than others. */
      readonly room?: number
      /** Whether it is active together with its siblings. */
      readonly isRegion: boolean
      /** What is written into the state: the transitions that do not leave it, and those that the picture has no room for. */
      readonly written: readonly (Branch & { readonly target: string })[]
    }
  /** Something that a state is about, at which transitions begin. */
  | {
      readonly kind: 'token'
      readonly name: string
      readonly role: Role
      readonly written: readonly (Branch & { readonly target: string })[]
    }
  /** Transitions from several states to one target: the arrow begins at its label. */
  | {
      readonly kind: 'anywhere'
      readonly label: Label
      /** The states; none if they are any, `undefined` if they are those around. */
      readonly from: readonly string[] | undefined
    }
  /** A reference to a state drawn elsewhere, where an arrow to it ends. */
  | {
      readonly kind: 'reference'
      readonly state: State
      readonly role: Role
    }
)

/** Transitions that are drawn as one, and what is written beside them. */
export interface Branch {
  readonly label: Label
  readonly transitions: readonly Transition[]
}

/** The transitions of a branch, as an attribute names them. */
export function idsOf({ transitions }: Pick<Branch, 'transitions'>): string {
  return [...new Set(transitions.map(({ id }) => id))].join(' ')
}

/** An arrow between two shapes. */
export interface Arrow extends Branch {
  readonly id: string
  readonly source: string
  readonly target: string
  /** Whether it is on the usual way. */
  readonly isMain: boolean
}

/** What a picture of a machine shows, before layout. */
export interface Plan {
  readonly machine: Machine
  readonly shapes: readonly Shape[]
  readonly arrows: readonly Arrow[]
}

/** What a machine does not say about itself. */
export interface Hints {
  /** The names of the states on the usual way. */
  readonly way?: readonly string[]
  /** The roles of states, by tag or name. */
  readonly roles?: Readonly<Record<string, Role>>
}

/** Decides what is drawn. */
export function planPicture(machine: Machine, { way = [], roles = {} }: Hints = {}): Plan {
  const byId = new Map(machine.states.map((state) => [state.id, state]))
  const main = alongWay(way, machine)
  const stays = machine.transitions.filter((transition) => isStay(transition, byId))
  const from = findMany(machine, stays)
  const isEntered = ({ id }: State) =>
    machine.transitions.some(({ to, from }) => to === id && from !== byId.get(id)?.parent)
  const shapes: Shape[] = machine.states
    .filter((state) => state.id !== '' && (state.type !== 'history' || isEntered(state)))
    .map((state) => {
      const transitions = stays.filter((transition) => transition.from === state.id)
      const parent = byId.get(state.parent ?? '')
      return {
        kind: 'state',
        id: state.id,
        parent: state.parent ?? '',
        state,
        role: roleOf(state, roles, way),
        isInitial: parent?.initial === state.id,
        isRegion: parent?.type === 'parallel',
        written:
          transitions.length === 0
            ? []
            : [{ label: labelOf(transitions, machine), transitions, target: state.id }],
      }
    })
  const drawn = groupBy(
    machine.transitions.filter((transition) => !stays.includes(transition)),
    (transition) => `${from.get(transition) ?? transition.from} > ${targetOf(transition, machine, byId)}`,
  )
  const arrows = [...drawn].map(([id, transitions]): Arrow => {
    const first = transitions[0] as Transition
    const target = targetOf(first, machine, byId)
    const several = from.get(first)
    const label = labelOf(transitions, machine)
    const isMain = transitions.some((transition) => main.has(transition))
    const arrow = { id, target, transitions, isMain }
    if (several === undefined && !isIn(target, first.from)) return { ...arrow, source: first.from, label }
    const source = `anywhere ${id}`
    const parent = byId.get(target)?.parent ?? ''
    shapes.push({ kind: 'anywhere', id: source, parent, label, from: several })
    return { ...arrow, source, label: [], isMain: false }
  })
  return { machine, shapes, arrows }
}

/** Whether a transition ends where it began: in its own state, or in the substate that was active. */
function isStay({ from, to }: Transition, byId: ReadonlyMap<string, State>): boolean {
  const target = byId.get(to)
  return to === from || (target?.type === 'history' && target.parent === from)
}

/** What starts in so many states that an arrow from each would hide the rest, with the names of those states. */
function findMany(
  { states, transitions }: Machine,
  stays: readonly Transition[],
): Map<Transition, readonly string[]> {
  const active = states.filter(({ type }) => type === 'atomic')
  const leaving = transitions.filter((transition) => !stays.includes(transition))
  const sourcesOf = (group: readonly Transition[]) => [...new Set(group.map(({ from }) => from))]
  const isAnywhere = (group: readonly Transition[]) =>
    active.every(({ id }) => sourcesOf(group).some((source) => isIn(id, source)))
  const anywhere = [
    ...leaving.filter(({ from }) => from === ''),
    ...[...groupBy(leaving, ({ guard, to }) => `${guard} ${to}`).values()].filter(isAnywhere).flat(),
  ]
  const many = [
    ...groupBy(
      leaving.filter((transition) => !anywhere.includes(transition)),
      ({ trigger: { kind, name }, guard, to }) => `${kind} ${name} ${guard} ${to}`,
    ).values(),
  ].filter((group) => sourcesOf(group).length >= MANY)
  return new Map<Transition, readonly string[]>([
    ...anywhere.map((transition) => [transition, []] as const),
    ...many.flatMap((group) => group.map((transition) => [transition, sourcesOf(group)] as const)),
  ])
}

/** Branches that are taken at once, into substates of one state, are drawn as one. */
function targetOf(
  { from, to, trigger }: Transition,
  { transitions }: Machine,
  byId: ReadonlyMap<string, State>,
): string {
  const parent = byId.get(to)?.parent ?? ''
  if (trigger.kind !== 'always' || parent === '' || isIn(from, parent)) return to
  const siblings = transitions.filter(
    (other) =>
      other.from === from && other.trigger.kind === 'always' && byId.get(other.to)?.parent === parent,
  )
  return siblings.length > 1 ? parent : to
}
