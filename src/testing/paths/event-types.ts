import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate'

/**
 * The types of the events that the active states of a snapshot listen to, those of their invocations and timers
 * included. XState's own `getNextTransitions` came with 5.26; this works with every version that the package supports.
 */
export function eventTypesOf({ machine, value }: AnyMachineSnapshot): Set<string> {
  return new Set(activeStates(machine.root, value).flatMap(({ ownEvents }) => ownEvents))
}

function activeStates(node: AnyStateNode, value: StateValue): AnyStateNode[] {
  const children = typeof value === 'string' ? { [value]: {} } : value
  return [
    node,
    ...Object.entries(children).flatMap(([key, inner = {}]) => {
      const child = node.states[key]
      return child ? activeStates(child, inner) : []
    }),
  ]
}
