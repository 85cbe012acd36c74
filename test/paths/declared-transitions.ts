import { type AnyStateMachine, type AnyStateNode, type AnyTransitionDefinition, StateMachine } from 'xstate'
import { Transitions } from '../../src/service/grants/machine-steps.ts'

/** Lists the transitions that a machine declares and that are not among those taken. */
export function forgottenTransitions({ root }: AnyStateMachine, taken: ReadonlySet<string>): string[] {
  return declaredTransitions(root)
    .map(tellTransition)
    .filter((declared) => !taken.has(declared))
}

/** Adds the transitions that any machine takes, until the returned function is called. */
export function recordTransitions(taken: Set<string>): () => void {
  const ofActors: AnyStateMachine = StateMachine.prototype
  const { getTransitionData } = ofActors
  ofActors.getTransitionData = function selectAll(this: AnyStateMachine, ...event) {
    const transitions = getTransitionData.apply(this, event)
    for (const transition of transitions) taken.add(tellTransition(transition))
    return transitions
  }
  const ofService = Transitions.prototype
  const { select } = ofService
  ofService.select = function selectOne(this: Transitions, ...event) {
    const arrow = select.apply(this, event)
    if (arrow) taken.add(tellTransition(arrow.declared))
    return arrow
  }
  return () => {
    ofActors.getTransitionData = getTransitionData
    ofService.select = select
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
