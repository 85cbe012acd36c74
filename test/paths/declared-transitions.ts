import { vi } from 'vitest'
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** Describes each transition that a machine declares and that is not among those taken. */
export function forgottenTransitions(
  { root }: AnyStateMachine,
  taken: ReadonlySet<AnyTransitionDefinition>,
): string[] {
  return declaredTransitions(root)
    .filter((declared) => !taken.has(declared))
    .map(tellTransition)
}

/** Records the transitions that a machine takes while `act` runs, whoever runs it. */
export async function recordTransitions<Result>(
  machine: AnyStateMachine,
  taken: Set<AnyTransitionDefinition>,
  act: () => Promise<Result>,
): Promise<Result> {
  const select = machine.getTransitionData.bind(machine)
  const spy = vi.spyOn(machine, 'getTransitionData').mockImplementation((snapshot, event) => {
    const transitions = select(snapshot, event)
    for (const transition of transitions) taken.add(transition)
    return transitions
  })
  try {
    return await act()
  } finally {
    spy.mockRestore()
  }
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
