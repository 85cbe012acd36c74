import { grantState } from '../../../machines/device-grant.ts'
import { DEFAULT_INTERVAL } from '../../protocol/endpoints.ts'
import { familyPaths } from './family-paths.ts'
import { runPath } from './run-path.ts'
import type { PollResult, ServiceExpectation, ServicePathStep, ServiceStep } from './service-steps.ts'
import { type ServiceSituation, type ServiceWalkStep, serviceWalk } from './service-walk.ts'
import { narrowed, type PathKind, pathsOf, type WalkedStep } from './walk.ts'

/** One way that an authorization can go, as the service sees it. */
export interface ServicePath {
  /** A name for a test, without secrets: `requested, then approved, then given the token`. */
  readonly name: string
  /** The steps in order. */
  readonly steps: readonly ServicePathStep[]
  /**
   * Runs each step against a service, and checks the result.
   *
   * @throws {@link BadOptionError} that names a missing executor, before any step runs.
   * @throws `Error` that names the failed step; its cause is what the executor threw.
   */
  test(executors: ServiceExecutors): Promise<void>
}

/**
 * Runs one type of step.
 *
 * @inline
 */
type ServiceExecutor<Type extends ServiceStep['type']> = (
  step: Extract<ServiceStep, { type: Type }>,
  expected: ServiceExpectation,
) => unknown

/** How to run the steps of a path against a service: one function for each type of {@link ServiceStep}. */
export interface ServiceExecutors {
  /** Called after each step, to check the result. */
  readonly state: (expected: ServiceExpectation, step: ServiceStep) => unknown
  /** Requests codes. */
  readonly codes?: ServiceExecutor<'codes'>
  /** Polls once. */
  readonly poll?: ServiceExecutor<'poll'>
  /** Lets time pass. */
  readonly wait?: ServiceExecutor<'wait'>
  /** Makes the user approve. */
  readonly approve?: ServiceExecutor<'approve'>
  /** Makes the user deny. */
  readonly deny?: ServiceExecutor<'deny'>
  /** Refreshes once. */
  readonly refresh?: ServiceExecutor<'refresh'>
  /** Revokes the newest refresh token. */
  readonly revoke?: ServiceExecutor<'revoke'>
}

/** Options of `servicePaths`. */
export interface ServicePathsOptions {
  /** How paths are chosen. Default: `shortest`, where every edge of the graph is on a path. */
  readonly paths?: PathKind
  /** Return `false` to leave out a step, and everything that only it leads to. */
  readonly filter?: (step: ServiceStep) => boolean
  /** Seconds between two polls that the service requires. Default: 5. */
  readonly interval?: number
  /** Lifetime of the codes in seconds. Default: 900. */
  readonly expiresIn?: number
  /** Whether the first poll may come at once (`free`, the default), or one interval after the codes (`counted`). */
  readonly firstPoll?: 'free' | 'counted'
  /** The refresh tokens that the service issues: adds paths of a login after its token. Default: none. */
  readonly refreshTokens?: {
    /** Seconds after which the user must log in again. */
    readonly lifetime: number
    /** Seconds for which a spent refresh token still gets the same successor. Default: 30. */
    readonly reuseWindow?: number
  }
}

/**
 * Generates test paths from the graph of the service's machine: what a device and a user do, and how the service must
 * respond.
 *
 * A poll is sent right after the last one, or a whole interval later: how early a poll may be is up to the service.
 *
 * @example
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
 *       approve: () => page.press('Approve'),
 *       state: ({ state }) => expect(database.stateOf(client)).toBe(state),
 *     }),
 *   )
 * }
 * ```
 */
export function servicePaths({
  paths = 'shortest',
  filter = () => true,
  refreshTokens,
  ...options
}: ServicePathsOptions = {}): ServicePath[] {
  const keeps = (step: ServiceWalkStep): step is GrantStep => isOnTheWire(step) && filter(step)
  const ofGrants = pathsOf(narrowed(serviceWalk(options), keeps), paths).map(pathOfGrant)
  if (refreshTokens === undefined) return ofGrants.map(servicePath)
  const { interval = DEFAULT_INTERVAL } = options
  const ofFamilies = familyPaths(refreshTokens, { paths, filter, interval })
  return [...ofGrants, ...ofFamilies].map(servicePath)
}

/** The steps of a grant. */
type GrantStep = ServiceWalkStep & ServiceStep

/** Whether a device or a user can take the step, without knowing the inside of the service. */
function isOnTheWire(step: ServiceWalkStep): step is GrantStep {
  switch (step.type) {
    case 'issued':
    case 'notIssued':
      return false
    case 'poll':
      return step.issuing === undefined
    case 'wait':
      return step.until === 'due' || step.until === 'over' || step.until === 'windowOver'
    default:
      return true
  }
}

function servicePath(steps: readonly ServicePathStep[]): ServicePath {
  const path = { name: steps.map(({ description }) => description).join(', then '), steps }
  return { ...path, test: (executors) => runPath(path, executors) }
}

function pathOfGrant(walked: readonly WalkedStep<ServiceSituation, GrantStep>[]): ServicePathStep[] {
  return walked.map((taken) => ({
    event: taken.step,
    description: tell(taken),
    expected: expectationOf(taken.situation),
  }))
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

/** Describes a path in words. */
export function nameOfServicePath(walked: readonly WalkedStep<ServiceSituation, ServiceWalkStep>[]): string {
  return walked.map(tell).join(', then ')
}

/** Poll results in words. */
const TOLD = {
  pending: 'told to wait',
  slowDown: 'told to slow down',
  token: 'given the token',
  denied: 'told of the denial',
  expired: 'told of the expiry',
  unknownCode: 'told of an unknown code',
} satisfies Record<PollResult, string>

const WAITED = {
  early: 'waited almost long enough',
  due: 'waited one interval',
  leased: 'waited until just before the lease lapsed',
  lapsed: 'waited until the lease lapsed',
  last: 'waited until just before the code expires',
  over: 'waited until the code has expired',
  windowLast: 'waited until just before the token is no longer delivered again',
  windowOver: 'waited until the token is no longer delivered again',
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
      return decision === 'done' ? 'approved' : 'approval refused'
    case 'deny':
      return decision === 'done' ? 'denied' : 'denial refused'
    case 'issued':
      return `the token of the ${step.of} poll ${result === 'token' ? 'delivered' : 'dropped'}`
    case 'notIssued':
      return `no token for the ${step.of} poll`
  }
}
