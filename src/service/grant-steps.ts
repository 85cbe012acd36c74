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

/** One authorization as it lies in the store: the state and the context of its machine, as plain JSON. */
export interface Grant extends DeviceGrantContext {
  readonly state: DeviceGrantState
}

/** The snapshot of a state, for which any context does: it is replaced before each step. */
type Ready = ReturnType<typeof deviceGrant.resolveState>

/**
 * Runs the machine of a grant as `transition()` of XState does, which makes an actor for each call. A grant has no
 * effects and no children, so that one scope does for all of them.
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
    /** Begins a grant. */
    begin(input: DeviceGrantInput): Grant {
      const { value, context } = deviceGrant.getInitialSnapshot(scope, input)
      return { state: grantState(value), ...context }
    },

    /** Runs one event. A grant that it does not change is handed back as it is. */
    step(grant: Grant, event: DeviceGrantEvent): Grant {
      const { state, ...context } = grant
      const next = deviceGrant.transition(readyFor(state, context), event, scope)
      const after = grantState(next.value)
      return after === state && next.context === context ? grant : { state: after, ...next.context }
    },
  }
}

/** What XState hands to the logic of an actor: here, of one that is never started. */
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
  if (scope === undefined) throw new TypeError('XState made an actor without asking its logic for a snapshot')
  return scope
}
