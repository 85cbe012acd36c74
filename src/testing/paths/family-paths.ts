import {
  type FamilySituation,
  type FamilyWalkOptions,
  type FamilyWalkStep,
  familyWalk,
} from './family-walk.ts'
import type { ServiceExpectation, ServicePathStep, ServiceStep } from './service-steps.ts'
import { narrowed, type PathKind, pathsOf, type WalkedStep } from './walk.ts'

/** Which paths to generate, and the seconds between two polls. */
interface FamilyPathsOptions {
  readonly paths: PathKind
  readonly filter: (step: ServiceStep) => boolean
  readonly interval: number
}

/** The steps of a login after its token, as its client sees it. */
type FamilyStep = Exclude<FamilyWalkStep, { type: 'login' }> & ServiceStep

/** Generates paths from the graph of a refresh family. Each begins with the steps of a login. */
export function familyPaths(
  refreshTokens: FamilyWalkOptions,
  { paths, filter, interval }: FamilyPathsOptions,
): ServicePathStep[][] {
  const expected = { state: 'authorized', interval } as const
  const login: ServicePathStep[] = [
    { event: { type: 'codes' }, description: 'requested', expected: { state: 'requested', interval } },
    {
      event: { type: 'approve' },
      description: 'approved',
      expected: { state: 'approved', interval, decision: 'done' },
    },
    {
      event: { type: 'poll' },
      description: 'given the token',
      expected: { ...expected, result: 'token', login: 'active' },
    },
  ]
  if (!login.every(({ event }) => filter(event))) return []
  const keeps = (step: FamilyWalkStep): step is FamilyWalkStep =>
    step.type === 'login' || (isOnTheWire(step) && filter(step))
  return pathsOf(narrowed(familyWalk(refreshTokens), keeps), paths).map(([, ...walked]) => [
    ...login,
    ...(walked as WalkedStep<FamilySituation, FamilyStep>[]).map(({ step, situation }) => ({
      event: step,
      description: tell(step, situation),
      expected: { ...expected, ...expectationOf(situation) },
    })),
  ])
}

/** Whether a client can take the step, without knowing the inside of the service. */
function isOnTheWire(step: FamilyWalkStep): step is FamilyStep {
  switch (step.type) {
    case 'refresh':
      return step.issuing === undefined
    case 'wait':
      return step.until === 'windowOver' || step.until === 'over'
    default:
      return step.type === 'revoke'
  }
}

function expectationOf({
  family,
  results,
}: FamilySituation): Pick<ServiceExpectation, 'login' | 'refreshed'> {
  const [refreshed] = results
  return {
    ...(family && { login: family.value }),
    ...(refreshed && refreshed !== 'busy' && { refreshed }),
  }
}

const TOKENS = { newest: 'the newest token', previous: 'the previous token', older: 'an older token' }

const RESULTS = {
  newPair: 'refreshed with',
  samePair: 'given the same pair for',
  refused: 'refused',
  busy: 'told to retry',
}

function tell(step: FamilyStep, { results: [result] }: FamilySituation): string {
  switch (step.type) {
    case 'refresh':
      return `${RESULTS[result ?? 'busy']} ${TOKENS[step.token]}`
    case 'revoke':
      return 'revoked'
    case 'wait':
      return step.until === 'over' ? 'waited until the login expired' : 'waited until the reuse window ended'
  }
}
