import type { AnyMachineSnapshot, AnyStateNode, StateValue } from 'xstate'

/**
 * The event types that the active states of a snapshot handle, including those of invocations and timers. XState's
 * `getNextTransitions` needs version 5.26; this works with every supported version.
 */
export function eventTypesOf({ machine, value }: AnyMachineSnapshot): Set<string> {
  return new Set(activeStates(machine.root, value).flatMap(({ ownEvents }) => ownEvents))
}

/** Refuses a snapshot that handles an event for which there is no step: otherwise paths would be missing silently. */
export function assertKnownEvents(snapshot: AnyMachineSnapshot, known: readonly string[]): void {
  for (const eventType of eventTypesOf(snapshot)) {
    if (!known.includes(eventType)) throw new Error(`the paths have no case for the event ${eventType}`)
  }
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
