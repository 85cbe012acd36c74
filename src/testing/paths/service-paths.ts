import { type DeviceGrantState, grantState } from '../../../machines/device-grant.ts'
import type { Decision } from '../../service/grants.ts'
import { runPath } from './run-path.ts'
import type { PollResult, ServiceStep } from './service-steps.ts'
import { type ServiceSituation, type ServiceWalkStep, serviceWalk } from './service-walk.ts'
import { type PathKind, pathsOf, type Walk, type WalkedStep } from './walk.ts'

/**
 * What must be true of a service after a step.
 *
 * @group Testing
 */
export interface ServiceExpectation {
  /** As the service keeps it; on the wire it is not seen. */
  readonly state: DeviceGrantState
  /** What the poll of this step hears. */
  readonly result?: PollResult
  /** Seconds between two polls from now on. */
  readonly interval: number
  /** What becomes of the decision of this step: `decided` where there is another one, `expired` where it is late. */
  readonly decision?: Exclude<Decision, 'unknown'>
}

/**
 * One step of a path.
 *
 * @group Testing
 */
export interface ServicePathStep {
  readonly event: ServiceStep
  /** What happens, for people: `polled too early`. */
  readonly description: string
  readonly expected: ServiceExpectation
}

/**
 * One way that an authorization can go, as the service sees it.
 *
 * @group Testing
 */
export interface ServicePath {
  /** A sentence without a secret, for the name of a test: `requested, then approved, then given the token`. */
  readonly name: string
  readonly steps: readonly ServicePathStep[]
  /**
   * Makes each step happen to a service, and then looks at it.
   *
   * @throws {@link BadOptionError} that names an executor which the path needs and which is missing, before anything happens;
   * an Error that names the step, with what the executor threw as its cause.
   */
  test(executors: ServiceExecutors): Promise<void>
}

/**
 * Makes one type of step happen.
 *
 * @inline
 */
type ServiceExecutor<Type extends ServiceStep['type']> = (
  step: Extract<ServiceStep, { type: Type }>,
  expected: ServiceExpectation,
) => unknown

/**
 * What makes the steps of a path happen to a service: one function for each type of {@link ServiceStep}.
 *
 * @group Testing
 */
export interface ServiceExecutors {
  /** Looks, after each step, whether things are as expected. */
  readonly state: (expected: ServiceExpectation, step: ServiceStep) => unknown
  /** Asks for codes. */
  readonly codes?: ServiceExecutor<'codes'>
  /** Polls once. */
  readonly poll?: ServiceExecutor<'poll'>
  /** Lets time pass. */
  readonly wait?: ServiceExecutor<'wait'>
  /** Has the user approve. */
  readonly approve?: ServiceExecutor<'approve'>
  /** Has the user deny. */
  readonly deny?: ServiceExecutor<'deny'>
}

/**
 * What `servicePaths` takes.
 *
 * @group Testing
 */
export interface ServicePathsOptions {
  /** `shortest` by default: every edge of the graph is on one of them. */
  readonly paths?: PathKind
  /** Leaves out the steps for which it is false, and all that only they lead to. */
  readonly filter?: (step: ServiceStep) => boolean
  /** Seconds between two polls that the service asks for: 5 by default. */
  readonly interval?: number
  /** Seconds the codes live: 900 by default. */
  readonly expiresIn?: number
  /** Whether the service lets the first poll come at once (the default), or one interval after the codes. */
  readonly firstPoll?: 'free' | 'counted'
}

/**
 * Generates the ways that an authorization can go at a service, from the graph of the service's machine: what a device
 * and a user do, and what the service must answer.
 *
 * A poll is sent at once after the last one, or a whole interval later: how much earlier it may come is the service's
 * own choice.
 *
 * ```ts
 * import { servicePaths } from 'authgraph/testing'
 * import { expect, test } from 'vitest'
 *
 * for (const path of servicePaths({ filter: (step) => step.type !== 'deny' })) {
 *   test(path.name, () =>
 *     path.test({
 *       codes: () => client.askForCodes(),
 *       poll: async (_, { result }) => expect(await client.poll()).toBe(result),
 *       wait: ({ milliseconds }) => clock.advance(milliseconds),
 *       approve: () => page.press('Authorize'),
 *       state: ({ state }) => expect(database.stateOf(client)).toBe(state),
 *     }),
 *   )
 * }
 * ```
 *
 * @group Testing
 */
export function servicePaths({
  paths = 'shortest',
  filter = () => true,
  ...options
}: ServicePathsOptions = {}): ServicePath[] {
  const walk = serviceWalk(options)
  const narrowed: Walk<ServiceSituation, ServiceStep> = {
    ...walk,
    next: (situation) => walk.next(situation).filter(isOnTheWire).filter(filter),
  }
  return pathsOf(narrowed, paths).map(servicePath)
}

/** What a device and a user can do, without knowing the service from inside. */
function isOnTheWire(step: ServiceWalkStep): step is ServiceStep {
  switch (step.type) {
    case 'issued':
    case 'notIssued':
      return false
    case 'poll':
      return step.issuing === undefined
    case 'wait':
      return step.until === 'due' || step.until === 'over'
    default:
      return true
  }
}

function servicePath(walked: readonly WalkedStep<ServiceSituation, ServiceStep>[]): ServicePath {
  const path = {
    name: nameOfServicePath(walked),
    steps: walked.map((taken) => ({
      event: taken.step,
      description: tell(taken),
      expected: expectationOf(taken.situation),
    })),
  }
  return { ...path, test: (executors) => runPath(path, executors) }
}

function expectationOf({ grant, result, decision }: ServiceSituation): ServiceExpectation {
  if (grant === undefined) throw new TypeError('there are no codes yet')
  const { value, context } = grant
  return {
    state: grantState(value),
    interval: context.interval,
    ...(result && { result }),
    ...(decision && decision !== 'unknown' && { decision }),
  }
}

/** Tells a path as a sentence. */
export function nameOfServicePath(walked: readonly WalkedStep<ServiceSituation, ServiceWalkStep>[]): string {
  return walked.map(tell).join(', then ')
}

/** What a poll heard, as it is told. */
const TOLD = {
  pending: 'told to wait',
  slowDown: 'told to slow down',
  token: 'given the token',
  denied: 'told of the denial',
  expired: 'told of the end',
  unknownCode: 'told of an unknown code',
} satisfies Record<PollResult, string>

const WAITED = {
  early: 'waited almost long enough',
  due: 'waited one interval',
  leased: 'waited until just before the lease lapsed',
  lapsed: 'waited until the lease lapsed',
  last: 'waited until just before the end',
  over: 'waited until the end',
}

function tell({
  step,
  situation: { result, decision },
}: WalkedStep<ServiceSituation, ServiceWalkStep>): string {
  switch (step.type) {
    case 'codes':
      return 'requested'
    case 'wait':
      return WAITED[step.until]
    case 'poll':
      if (result === undefined) return 'polled while the token takes long'
      return step.issuing ? 'polled while no token can be made' : TOLD[result]
    case 'approve':
      return decision === 'done' ? 'approved' : 'approved in vain'
    case 'deny':
      return decision === 'done' ? 'denied' : 'denied in vain'
    case 'issued':
      return `the token of the ${step.of} poll ${result === 'token' ? 'delivered' : 'dropped'}`
    case 'notIssued':
      return `no token for the ${step.of} poll`
  }
}
