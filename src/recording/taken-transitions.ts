import type { AnyTransitionDefinition, InspectionEvent, StateValue } from 'xstate'
import { deviceAuthorization as machine } from '../../machines/device-authorization.ts'
import type { DeviceSnapshot } from '../client/view.ts'

type DeviceEvent = Parameters<typeof machine.getTransitionData>[1]

/** Returns an `inspect` callback that calls `onTransition` with each transition of a device authorization. */
export function takenTransitions(
  onTransition: (transition: AnyTransitionDefinition, after: DeviceSnapshot) => void,
): (event: InspectionEvent) => void {
  let before: DeviceSnapshot | undefined
  return (inspected) => {
    if (inspected.type !== '@xstate.microstep') return
    const after = inspected.snapshot as DeviceSnapshot
    const taken = transitionsFrom(before, inspected.event as DeviceEvent, after)
    before = after
    for (const transition of taken) onTransition(transition, after)
  }
}

/** @param before `undefined` for the first microstep, which leaves the initial state. */
function transitionsFrom(
  before: DeviceSnapshot | undefined,
  event: DeviceEvent,
  after: DeviceSnapshot,
): AnyTransitionDefinition[] {
  if (before) return machine.getTransitionData(before, event)
  const always: AnyTransitionDefinition[] = machine.states.starting?.always ?? []
  return always.filter(({ target }) => target?.some(({ path }) => after.matches(stateValue(path) as never)))
}

function stateValue([first = '', ...rest]: readonly string[]): StateValue {
  return rest.length === 0 ? first : { [first]: stateValue(rest) }
}
