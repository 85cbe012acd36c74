import type {
  DeviceAuthorizationEvent,
  DeviceAuthorizationInput,
} from '../../../machines/device-authorization.ts'
import { deviceInput } from '../../client/options.ts'
import type { DeviceSnapshot } from '../../client/view.ts'
import { tell } from './device-paths.ts'
import type { DeviceStep } from './device-steps.ts'
import { type DeviceWalkStep, eventOf, nameOf, stepsIn } from './device-walk.ts'

/**
 * When timers fire in a graph: one millisecond early, when a poll or the expiry of the codes is due, or late, after the
 * device slept past the expiry. With a clock that stands still, a wait would never end.
 */
export type TraversalClock = 'early' | 'due' | 'late'

/**
 * An event of a path, with the step it stands for. Users cannot send the events of requests and timers, but they are
 * typed as if they could, because the graph package knows no others.
 */
export type DeviceTraversalEvent = DeviceAuthorizationEvent & {
  /** The step that the event stands for. */
  readonly step: DeviceStep
}

/** Options of `getShortestPaths` and `getSimplePaths` of `@xstate/graph`. */
export interface DeviceTraversal {
  /** The input of a new login, with the clock. */
  readonly input: DeviceAuthorizationInput
  /** Every event that the state handles, with every possible response of a service. None in a final state. */
  readonly events: (snapshot: DeviceSnapshot) => readonly DeviceTraversalEvent[]
  /** Names a state by what later steps depend on, without times: otherwise the graph would be infinite. */
  readonly serializeState: (snapshot: DeviceSnapshot) => string
  /** Describes an event: `slowed by slow_down`. */
  readonly serializeEvent: (event: { readonly type: string }) => string
}

/** How long the device slept before `wake`, for each clock. */
const SLEPT = { early: 'not', due: 'due', late: 'over' } as const

/**
 * Creates options for `@xstate/graph` to traverse `deviceMachine`: `getShortestPaths(deviceMachine,
 * deviceTraversal('due'))`.
 *
 * Each call creates a clock for one traversal. Together, the three clocks take every transition of the machine, except
 * those from a resume record.
 */
export function deviceTraversal(clock: TraversalClock): DeviceTraversal {
  const start = Date.UTC(2026, 0, 1)
  let now = start
  return {
    input: deviceInput({
      clientId: 'sample-client-id',
      scopes: ['repo', 'gist'],
      clock: { now: () => now, setTimeout: () => undefined, clearTimeout: () => undefined },
      random: () => 0,
    }),
    events: (device) => {
      const situation = { now: device.context.lookedAt || start, device }
      const steps = stepsIn(situation).filter((step) => isUnder(clock, step))
      now = situation.now + Math.max(0, ...steps.map(durationOf))
      return steps.map(
        (step) => ({ ...eventOf(step, situation, { sentAt: now, at: now }), step }) as DeviceTraversalEvent,
      )
    },
    serializeState: (device) => nameOf({ now: device.context.lookedAt, device }),
    serializeEvent: (event) => ('step' in event ? tell(event.step as DeviceStep) : event.type),
  }
}

function isUnder(clock: TraversalClock, step: DeviceWalkStep): boolean {
  switch (step.type) {
    case 'wait':
      return step.until === clock
    case 'sleep':
      return clock === 'late'
    case 'wake':
      return step.slept === SLEPT[clock]
    default:
      return step.type !== 'defect'
  }
}

function durationOf(step: DeviceWalkStep): number {
  return 'milliseconds' in step ? step.milliseconds : 0
}
