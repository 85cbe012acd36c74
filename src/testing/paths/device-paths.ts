import { type DeviceView, viewOf } from '../../client/view.ts'
import { BadOptionError } from '../../errors.ts'
import type { Provider } from '../../protocol/provider.ts'
import { CODES_RESPONSES } from './codes-responses.ts'
import type { DeviceStep } from './device-steps.ts'
import { type DeviceSituation, type DeviceWalkStep, deviceWalk } from './device-walk.ts'
import { POLL_RESPONSES } from './poll-responses.ts'
import { type PathKind, pathsOf, type WalkedStep, withSteps } from './walk.ts'

/** What the device must show after a step: the result of `viewOf` without times and codes. */
export interface DeviceExpectation extends Pick<DeviceView, 'status' | 'activity' | 'text'> {
  /** The code of the fault that is being retried, or of the error that ended the login. */
  readonly error?: NonNullable<DeviceView['error']>['code']
}

/** One step of a path. */
export interface DevicePathStep {
  /** The step to make happen. */
  readonly event: DeviceStep
  /** What happens, in words: `slowed by slow_down`. */
  readonly description: string
  /** What the device must show afterwards. */
  readonly expected: DeviceExpectation
}

/** One way that an authorization can go. */
export interface DevicePath {
  /** A name for a test, without secrets: `requested, then pending, then denied`. */
  readonly name: string
  /** The steps in order. */
  readonly steps: readonly DevicePathStep[]
  /**
   * Runs each step against what you test, and checks the result.
   *
   * @throws {@link BadOptionError} that names a missing executor, before any step runs.
   * @throws `Error` that names the failed step; its cause is what the executor threw.
   */
  test(executors: DeviceExecutors): Promise<void>
}

/**
 * Runs one type of step.
 *
 * @inline
 */
type DeviceExecutor<Type extends DeviceStep['type']> = (
  step: Extract<DeviceStep, { type: Type }>,
  expected: DeviceExpectation,
) => unknown

/**
 * How to run the steps of a path against your user interface, client or service: one function for each type of {@link
 * DeviceStep}. A path needs `state`, and the functions for its own steps.
 */
export interface DeviceExecutors {
  /** Called after each step, to check the result. */
  readonly state: (expected: DeviceExpectation, step: DeviceStep) => unknown
  /** Starts the login, new or from a record. */
  readonly start?: DeviceExecutor<'start'>
  /** Makes the service respond to the request for codes. */
  readonly codes?: DeviceExecutor<'codes'>
  /** Makes the service respond to a poll. */
  readonly response?: DeviceExecutor<'response'>
  /** Lets the current request time out. */
  readonly silence?: DeviceExecutor<'silence'>
  /** Lets time pass. */
  readonly wait?: DeviceExecutor<'wait'>
  /** Lets time pass while the device's timers are suspended, then fires those that are due. */
  readonly sleep?: DeviceExecutor<'sleep'>
  /** Lets time pass while the device's timers are suspended, then sends `wake` to the device. */
  readonly wake?: DeviceExecutor<'wake'>
  /** Makes the user cancel. */
  readonly cancel?: DeviceExecutor<'cancel'>
}

/** Options of `devicePaths`. */
export interface DevicePathsOptions {
  /** How paths are chosen. Default: `shortest`, where every edge of the graph is on a path. */
  readonly paths?: PathKind
  /** Return `false` to leave out a step, and everything that only it leads to. Other paths keep their names. */
  readonly filter?: (step: DeviceStep) => boolean
  /** When each path starts, in epoch milliseconds: the time of your virtual clock. Default: January 1, 2026. */
  readonly now?: number
  /** The provider that resume records belong to. Default: `github()`. */
  readonly provider?: Provider
}

/**
 * Generates test paths from the graph of the device machine: every way that an authorization can go.
 *
 * Responses take no time, and retries are not spread (`random: () => 0`).
 *
 * @example
 * ```ts
 * import { devicePaths } from 'authgraph/testing'
 * import { expect, test } from 'vitest'
 *
 * for (const path of devicePaths({ filter: (step) => step.type !== 'wake' })) {
 *   test(path.name, () =>
 *     path.test({
 *       start: ({ resume }) => page.startLogin(resume),
 *       codes: ({ response }) => service.respond(response),
 *       response: ({ response }) => service.respond(response),
 *       silence: ({ milliseconds }) => clock.advance(milliseconds),
 *       wait: ({ milliseconds }) => clock.advance(milliseconds),
 *       sleep: ({ milliseconds }) => clock.jump(milliseconds),
 *       cancel: () => page.press('Cancel'),
 *       state: ({ text }) => expect(page.text()).toContain(text),
 *     }),
 *   )
 * }
 * ```
 */
export function devicePaths({
  paths = 'shortest',
  filter = () => true,
  ...options
}: DevicePathsOptions = {}): DevicePath[] {
  return (['new', 'resumed'] as const).flatMap((begin) => {
    const keeps = (step: DeviceWalkStep): step is DeviceStep => step.type !== 'defect' && filter(step)
    return pathsOf(withSteps(deviceWalk({ ...options, begin }), keeps), paths).map(devicePath)
  })
}

function devicePath(walked: readonly WalkedStep<DeviceSituation, DeviceStep>[]): DevicePath {
  const path = {
    name: nameOfDevicePath(walked.map(({ step }) => step)),
    steps: walked.map(({ step, situation }) => ({
      event: step,
      description: describeStep(step),
      expected: expectationOf(situation),
    })),
  }
  return { ...path, test: (executors) => runPath(path, executors) }
}

/** Runs a path: for each step the executor of its type, then `state`. */
async function runPath(
  { name, steps }: Pick<DevicePath, 'name' | 'steps'>,
  executors: DeviceExecutors,
): Promise<void> {
  for (const type of ['state', ...steps.map(({ event }) => event.type)] as const) {
    if (typeof executors[type] !== 'function')
      throw new BadOptionError(`the path "${name}" needs an executor "${type}"`)
  }
  for (const [index, { event, description, expected }] of steps.entries()) {
    try {
      await executors[event.type]?.(event as never, expected)
      await executors.state(expected, event)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`step ${index + 1} of "${name}" (${description}): ${reason}`, { cause })
    }
  }
}

export function expectationOf({ device, now }: DeviceSituation): DeviceExpectation {
  if (device === undefined) throw new TypeError('the device was not started')
  const { status, activity, text, error } = viewOf(device, now)
  return { status, ...(activity && { activity }), text, ...(error && { error: error.code }) }
}

/** Describes a path in words. The start of a login, or of a poll, is left out if a response follows. */
export function nameOfDevicePath(steps: readonly DeviceWalkStep[]): string {
  return steps
    .filter((step, index) => !hasResponse(step, steps[index + 1]))
    .map(describeStep)
    .join(', then ')
}

function hasResponse(step: DeviceWalkStep, next: DeviceWalkStep | undefined): boolean {
  if (step.type === 'start') return step.resume === undefined && next?.type === 'codes'
  return (
    step.type === 'wait' && step.until === 'due' && (next?.type === 'response' || next?.type === 'silence')
  )
}

const WOKEN = { not: 'woken', due: 'woken when a poll is due', over: 'woken after the code has expired' }

export function describeStep(step: DeviceWalkStep): string {
  switch (step.type) {
    case 'start':
      return step.resume ? `resumed as ${step.resume.status}` : 'started'
    case 'codes':
      return CODES_RESPONSES[step.result].label
    case 'response':
      return POLL_RESPONSES[step.result].label
    case 'silence':
      return 'no response'
    case 'wait':
      return { early: 'not yet due', usual: 'due but for faults', due: 'polling' }[step.until]
    case 'sleep':
      return 'asleep until the code has expired'
    case 'wake':
      return WOKEN[step.slept]
    case 'cancel':
      return 'cancelled'
    case 'defect':
      return 'broken by a defect'
  }
}
