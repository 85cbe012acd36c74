import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** Every transition that a machine declares, except `always`. */
export function declaredTransitions(node: AnyStateNode): AnyTransitionDefinition[] {
  return [
    ...[...node.transitions.values()].flat(),
    ...Object.values(node.states).flatMap(declaredTransitions),
  ]
}

/** Describes a transition so that it can be found in the machine. */
export function tellTransition({ source, eventType, guard }: AnyTransitionDefinition): string {
  return `${source.id}: ${eventType}${guard ? ` (${guard})` : ''}`
}
