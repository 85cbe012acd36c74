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
 * When timers fire in a graph: one millisecond early, when a poll or the end of the codes is due, or late, after the device
 * slept beyond the end of the codes. A clock that stands still would never lead out of a wait.
 *
 * @group Testing
 */
export type TraversalClock = 'early' | 'due' | 'late'

/**
 * An event of a path, with what it stands for. Those of requests and timers are none that users of the machine may send:
 * they are typed as if they were, since the graph package knows no others.
 *
 * @group Testing
 */
export type DeviceTraversalEvent = DeviceAuthorizationEvent & { readonly step: DeviceStep }

/**
 * Options of `getShortestPaths` and `getSimplePaths` of `@xstate/graph`.
 *
 * @group Testing
 */
export interface DeviceTraversal {
  /** A new login, with the clock. */
  readonly input: DeviceAuthorizationInput
  /** Every event that a snapshot listens to, with every response of a service. None after the end. */
  readonly events: (snapshot: DeviceSnapshot) => readonly DeviceTraversalEvent[]
  /** Names a situation by what later steps depend on, without the times: the graph would have no end. */
  readonly serializeState: (snapshot: DeviceSnapshot) => string
  /** Tells what happens: `slowed by slow_down`. */
  readonly serializeEvent: (event: { readonly type: string }) => string
}

/** How long a device slept that is woken, under each clock. */
const SLEPT = { early: 'not', due: 'due', late: 'over' } as const

/**
 * Makes the options with which `@xstate/graph` walks `deviceMachine`:
 * `getShortestPaths(deviceMachine, deviceTraversal('due'))`.
 *
 * Each call makes a clock of its own, for one traversal. The three clocks together take every transition of the machine
 * but those out of a resume record.
 *
 * @group Testing
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
      return steps.map((step) => ({ ...eventOf(step, situation, now), step }) as DeviceTraversalEvent)
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
