import { type DeviceView, viewOf } from '../../client/view.ts'
import type { Provider } from '../../protocol/provider.ts'
import { CODES_RESPONSES } from './codes-responses.ts'
import type { DeviceStep } from './device-steps.ts'
import { type DeviceSituation, type DeviceWalkStep, deviceWalk } from './device-walk.ts'
import { POLL_RESPONSES } from './poll-responses.ts'
import { runPath } from './run-path.ts'
import { type PathKind, pathsOf, type Walk, type WalkedStep } from './walk.ts'

/**
 * What must be seen after a step: what `viewOf` shows, but for times and codes.
 *
 * @group Testing
 */
export interface DeviceExpectation extends Pick<DeviceView, 'status' | 'activity' | 'text'> {
  /** The code of the fault that is being retried, or of the error that ended the login. */
  readonly error?: NonNullable<DeviceView['error']>['code']
}

/**
 * One step of a path.
 *
 * @group Testing
 */
export interface DevicePathStep {
  readonly event: DeviceStep
  /** What happens, for people: `slowed by slow_down`. */
  readonly description: string
  readonly expected: DeviceExpectation
}

/**
 * One way that an authorization can go.
 *
 * @group Testing
 */
export interface DevicePath {
  /** A sentence without a secret, for the name of a test: `requested, then pending, then denied`. */
  readonly name: string
  readonly steps: readonly DevicePathStep[]
  /**
   * Makes each step happen to what you test, and then looks at it.
   *
   * @throws {@link BadOptionError} that names an executor which the path needs and which is missing, before anything happens;
   * an Error that names the step, with what the executor threw as its cause.
   */
  test(executors: DeviceExecutors): Promise<void>
}

/**
 * Makes one type of step happen.
 *
 * @inline
 */
type DeviceExecutor<Type extends DeviceStep['type']> = (
  step: Extract<DeviceStep, { type: Type }>,
  expected: DeviceExpectation,
) => unknown

/**
 * What makes the steps of a path happen to your user interface, your client or your service: one function for each
 * type of {@link DeviceStep}. A path needs those of its own steps, and `state`.
 *
 * @group Testing
 */
export interface DeviceExecutors {
  /** Looks, after each step, whether things are as expected. */
  readonly state: (expected: DeviceExpectation, step: DeviceStep) => unknown
  /** Starts the login, anew or from a record. */
  readonly start?: DeviceExecutor<'start'>
  /** Has the service answer the request for codes. */
  readonly codes?: DeviceExecutor<'codes'>
  /** Has the service answer a poll. */
  readonly response?: DeviceExecutor<'response'>
  /** Has no answer come until the request is given up. */
  readonly silence?: DeviceExecutor<'silence'>
  /** Lets time pass. */
  readonly wait?: DeviceExecutor<'wait'>
  /** Lets time pass while the timers of the device stand still, and then those fire that are due. */
  readonly sleep?: DeviceExecutor<'sleep'>
  /** Lets time pass while the timers of the device stand still, and then tells the device that it slept. */
  readonly wake?: DeviceExecutor<'wake'>
  /** Has the user give up. */
  readonly cancel?: DeviceExecutor<'cancel'>
}

/**
 * What `devicePaths` takes.
 *
 * @group Testing
 */
export interface DevicePathsOptions {
  /** `shortest` by default: every edge of the graph is on one of them. */
  readonly paths?: PathKind
  /** Leaves out the steps for which it is false, and all that only they lead to. */
  readonly filter?: (step: DeviceStep) => boolean
  /** When each path starts, epoch milliseconds: the time of your virtual clock. The first day of 2026 by default. */
  readonly now?: number
  /** The service that records to go on from belong to: `github()` by default. */
  readonly provider?: Provider
}

/**
 * Generates the ways that an authorization can go, from the graph of the device's machine.
 *
 * An answer takes no time, and retries are not spread (`random: () => 0`).
 *
 * ```ts
 * import { devicePaths } from 'authgraph/testing'
 * import { expect, test } from 'vitest'
 *
 * for (const path of devicePaths({ filter: (step) => step.type !== 'wake' })) {
 *   test(path.name, () =>
 *     path.test({
 *       start: ({ resume }) => page.startLogin(resume),
 *       codes: ({ response }) => service.answer(response),
 *       response: ({ response }) => service.answer(response),
 *       silence: ({ milliseconds }) => clock.advance(milliseconds),
 *       wait: ({ milliseconds }) => clock.advance(milliseconds),
 *       sleep: ({ milliseconds }) => clock.jump(milliseconds),
 *       cancel: () => page.press('Cancel'),
 *       state: ({ text }) => expect(page.text()).toContain(text),
 *     }),
 *   )
 * }
 * ```
 *
 * @group Testing
 */
export function devicePaths({
  paths = 'shortest',
  filter = () => true,
  ...options
}: DevicePathsOptions = {}): DevicePath[] {
  return (['new', 'resumed'] as const).flatMap((begin) => {
    const walk = deviceWalk({ ...options, begin })
    const narrowed: Walk<DeviceSituation, DeviceStep> = {
      ...walk,
      next: (situation) =>
        walk
          .next(situation)
          .filter((step) => step.type !== 'defect')
          .filter(filter),
    }
    return pathsOf(narrowed, paths).map(devicePath)
  })
}

function devicePath(walked: readonly WalkedStep<DeviceSituation, DeviceStep>[]): DevicePath {
  const path = {
    name: nameOfDevicePath(walked.map(({ step }) => step)),
    steps: walked.map(({ step, situation }) => ({
      event: step,
      description: tell(step),
      expected: expectationOf(situation),
    })),
  }
  return { ...path, test: (executors) => runPath(path, executors) }
}

/** What a device must show. */
export function expectationOf({ device, now }: DeviceSituation): DeviceExpectation {
  if (device === undefined) throw new TypeError('the device was not started')
  const { status, activity, text, error } = viewOf(device, now)
  return { status, ...(activity && { activity }), text, ...(error && { error: error.code }) }
}

/** Tells a path as a sentence. That a login is started, or a poll sent, is told where nothing answers it. */
export function nameOfDevicePath(steps: readonly DeviceWalkStep[]): string {
  return steps
    .filter((step, index) => !hasResponse(step, steps[index + 1]))
    .map(tell)
    .join(', then ')
}

function hasResponse(step: DeviceWalkStep, next: DeviceWalkStep | undefined): boolean {
  if (step.type === 'start') return step.resume === undefined && next?.type === 'codes'
  return (
    step.type === 'wait' && step.until === 'due' && (next?.type === 'response' || next?.type === 'silence')
  )
}

const WOKEN = { not: 'woken', due: 'woken when a poll is due', over: 'woken beyond the end' }

/** Tells a step, for people. */
export function tell(step: DeviceWalkStep): string {
  switch (step.type) {
    case 'start':
      return step.resume ? `resumed as ${step.resume.status}` : 'started'
    case 'codes':
      return CODES_RESPONSES[step.result].told
    case 'response':
      return POLL_RESPONSES[step.result].told
    case 'silence':
      return 'left without an answer'
    case 'wait':
      return step.until === 'due' ? 'polling' : 'not yet due'
    case 'sleep':
      return 'asleep beyond the end'
    case 'wake':
      return WOKEN[step.slept]
    case 'cancel':
      return 'cancelled'
    case 'defect':
      return 'broken by a defect'
  }
}
