import type { WalkedStep } from '../../../src/testing/paths/walk.ts'
import type { PollResult, ServiceSituation, ServiceWalkStep } from './service-walk.ts'

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
  busy: 'told to retry',
} satisfies Record<PollResult, string>

const WAITED = {
  early: 'waited almost long enough',
  due: 'waited one interval',
  claimed: 'waited until just before the claim lapsed',
  lapsed: 'waited until the claim lapsed',
  last: 'waited until just before the code expires',
  over: 'waited until the code has expired',
  windowLast: 'waited until just before the delivery window ends',
  windowOver: 'waited out the delivery window',
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
