import type { WalkedStep } from '../../../src/testing/paths/walk.ts'
import type { FamilySituation, FamilyWalkStep } from './family-walk.ts'

/** Describes a path in words. */
export function nameOfFamilyPath(walked: readonly WalkedStep<FamilySituation, FamilyWalkStep>[]): string {
  return walked.map(({ step }) => tell(step)).join(', then ')
}

const WAITED = {
  windowLast: 'waited until just before the reuse window ends',
  windowOver: 'waited out the reuse window',
  claimed: 'waited until just before the claim lapsed',
  lapsed: 'waited until the claim lapsed',
  last: 'waited until just before the login expires',
  over: 'waited until the login expired',
}

const ISSUING = { fails: ' while issuing fails', takesLong: ' while issuing takes long' }

function tell(step: FamilyWalkStep): string {
  switch (step.type) {
    case 'login':
      return 'logged in'
    case 'wait':
      return WAITED[step.until]
    case 'refresh':
      return `sent the ${step.token} token${step.issuing ? ISSUING[step.issuing] : ''}`
    case 'revoke':
      return 'revoked'
    case 'issued':
      return `new tokens for the ${step.of} request`
    case 'notIssued':
      return `no new tokens for the ${step.of} request`
  }
}
