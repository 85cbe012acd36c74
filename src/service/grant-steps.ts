import { type ActorLogic, type AnyActorScope, createActor, type EventObject, type Snapshot } from 'xstate'
import {
  type DeviceGrantContext,
  type DeviceGrantEvent,
  type DeviceGrantInput,
  type DeviceGrantState,
  deviceGrant,
  grantState,
  grantValue,
} from '../../machines/device-grant.ts'

/** A grant as the store keeps it: the state and the context of its machine, as plain JSON. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** The snapshot of a state. Its context does not matter: it is replaced before each transition. */
type Ready = ReturnType<typeof deviceGrant.resolveState>

/**
 * Runs the machine of a grant like XState's `transition()`, which creates an actor on each call. A grant has no effects
 * and no children, so one scope serves all grants.
 */
export function createGrantSteps() {
  const scope = createScope()
  const ready = new Map<DeviceGrantState, Ready>()

  function readyFor(state: DeviceGrantState, context: DeviceGrantContext): Ready {
    const known = ready.get(state)
    if (known) return { ...known, context }
    const made = deviceGrant.resolveState({ value: grantValue(state), context })
    ready.set(state, made)
    return made
  }

  return {
    /** Creates a grant in its initial state. */
    begin(input: DeviceGrantInput): Grant {
      const { value, context } = deviceGrant.getInitialSnapshot(scope, input)
      return { state: grantState(value), ...context }
    },

    /** Applies one event. Returns the same object if nothing changed. */
    step(grant: Grant, event: DeviceGrantEvent): Grant {
      const { state, ...context } = grant
      const next = deviceGrant.transition(readyFor(state, context), event, scope)
      const after = grantState(next.value)
      return after === state && next.context === context ? grant : { state: after, ...next.context }
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
