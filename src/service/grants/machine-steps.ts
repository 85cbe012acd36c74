import {
  type ActorLogic,
  type AnyActorScope,
  type AnyStateMachine,
  type ContextFrom,
  createActor,
  type EventFromLogic,
  type EventObject,
  type InputFrom,
  type Snapshot,
  type StateValueFrom,
} from 'xstate'

/** The short names of the states of a machine, as the store keeps them. */
export interface StateNames<Machine extends AnyStateMachine, State extends string> {
  toName(value: StateValueFrom<Machine>): State
  toValue(state: State): StateValueFrom<Machine>
}

/**
 * Runs a machine like XState's `transition()`, which creates an actor on each call. The machine has no effects and no
 * children, so one scope serves all its steps. What is kept is the state and the context, as plain JSON.
 */
export function createSteps<Machine extends AnyStateMachine, State extends string>(
  machine: Machine,
  { toName, toValue }: StateNames<Machine, State>,
) {
  type Kept = ContextFrom<Machine> & { readonly state: State }
  const scope = createScope()
  // The snapshot of each state. Its context does not matter: it is replaced before each transition.
  const ready = new Map<State, ReturnType<AnyStateMachine['resolveState']>>()

  function readyFor(state: State, context: ContextFrom<Machine>) {
    const known = ready.get(state)
    if (known) return { ...known, context }
    const made = machine.resolveState({ value: toValue(state), context })
    ready.set(state, made)
    return made
  }

  return {
    /** The machine in its initial state. */
    begin(input: InputFrom<Machine>): Kept {
      const { value, context } = machine.getInitialSnapshot(scope, input)
      return { state: toName(value as StateValueFrom<Machine>), ...context }
    },

    /** Applies one event. Returns the same object if nothing changed. Members that the machine does not know stay. */
    step<Stored extends Kept>(kept: Stored, event: EventFromLogic<Machine>): Stored {
      const { state, ...context } = kept as unknown as object & { readonly state: State }
      const next = machine.transition(readyFor(state, context as ContextFrom<Machine>), event, scope)
      const after = toName(next.value as StateValueFrom<Machine>)
      return after === state && next.context === context
        ? kept
        : ({ state: after, ...next.context } as Stored)
    },
  }
}

/** The scope that XState passes to actor logic, here taken from an actor that is never started. */
function createScope(): AnyActorScope {
  let scope: AnyActorScope | undefined
  const logic: ActorLogic<Snapshot<undefined>, EventObject> = {
    getInitialSnapshot(given) {
      scope = given
      return { status: 'active', output: undefined, error: undefined }
    },
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  }
  createActor(logic)
  if (scope === undefined)
    throw new TypeError('XState created an actor without asking its logic for a snapshot')
  return scope
}
