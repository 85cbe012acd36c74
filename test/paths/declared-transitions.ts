import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  transition,
} from 'xstate'

/** Describes each transition that a machine declares and that is not among those taken. */
export function forgottenTransitions(
  { root }: AnyStateMachine,
  taken: ReadonlySet<AnyTransitionDefinition>,
): string[] {
  return declaredTransitions(root)
    .filter((declared) => !taken.has(declared))
    .map(tellTransition)
}

/** The transitions that a machine takes from a snapshot on: one or none for each event. */
export function transitionsFrom(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot | undefined,
  events: readonly AnyEventObject[],
): AnyTransitionDefinition[] {
  let current = snapshot
  return events.flatMap((event) => {
    if (current === undefined) return []
    const taken = machine.getTransitionData(current, event)
    ;[current] = transition(machine, current, event)
    return taken
  })
}

/** Every transition that a machine declares, except `always`. */
function declaredTransitions(node: AnyStateNode): AnyTransitionDefinition[] {
  return [
    ...[...node.transitions.values()].flat(),
    ...Object.values(node.states).flatMap(declaredTransitions),
  ]
}

/** Describes a transition so that it can be found in the machine. */
function tellTransition({ source, eventType, guard }: AnyTransitionDefinition): string {
  return `${source.id}: ${eventType}${guard ? ` (${guard})` : ''}`
}
