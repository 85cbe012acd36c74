import { type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition, StateMachine } from 'xstate'

/** Lists the transitions that a machine declares and that are not among those taken. */
export function forgottenTransitions({ root }: AnyStateMachine, taken: ReadonlySet<string>): string[] {
  return declaredTransitions(root)
    .map(tellTransition)
    .filter((declared) => !taken.has(declared))
}

/** Adds the transitions that any machine takes, until the returned function is called. */
export function recordTransitions(taken: Set<string>): () => void {
  const prototype: AnyStateMachine = StateMachine.prototype
  const { getTransitionData } = prototype
  prototype.getTransitionData = function select(this: AnyStateMachine, ...event) {
    const transitions = getTransitionData.apply(this, event)
    for (const transition of transitions) taken.add(tellTransition(transition))
    return transitions
  }
  return () => {
    prototype.getTransitionData = getTransitionData
  }
}

/** Describes a transition so that it can be found in the machine. */
function tellTransition({ source, eventType, guard }: AnyTransitionDefinition): string {
  return `${source.id}: ${eventType}${guard ? ` (${guard})` : ''}`
}

/** Every transition that a machine declares, except `always`. */
function declaredTransitions(node: AnyStateNode): AnyTransitionDefinition[] {
  return [
    ...[...node.transitions.values()].flat(),
    ...Object.values(node.states).flatMap(declaredTransitions),
  ]
}
