import { expect } from 'vitest'
import { deviceGrant } from '../../src/machines.ts'
import { type Edge, nameOfEdge } from '../../src/testing/paths/walk.ts'
import { DrivenService } from './driven-service.ts'
import { SERVICES, titleOfService } from './path-sets.ts'
import { proveWalks } from './prove-walks.ts'
import { nameOfServicePath } from './walks/service-names.ts'
import { serviceWalk } from './walks/service-walk.ts'

proveWalks(
  'service',
  deviceGrant,
  SERVICES.map((options) => ({
    title: titleOfService(options),
    walk: serviceWalk(options),
    kind: 'shortest',
    nameOf: nameOfServicePath,
    begin: () => new DrivenService(options, false),
    beginBound: () => new DrivenService(options, true),
    expectTarget: (edge) =>
      expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge, options.firstPoll)),
    rules: options.dialect,
  })),
)

/** Where each step leads by the specification, written down apart from the machine. */
function targetOf({ from, step }: Edge, firstPoll: 'free' | 'counted'): string {
  const [state = '', ...passed] = from.split(', ')
  const isOver = passed.includes('over')
  const isUndecided = ['requested', 'pending', 'slowed'].includes(state)
  const isEarly = !passed.includes('due') && !(state === 'requested' && firstPoll === 'free')
  const claims = passed.filter((word) => word.startsWith('may'))
  switch (step) {
    case 'codes':
      return 'requested'
    case 'approve':
    case 'deny':
      if (!isUndecided) return state
      if (isOver) return 'expired'
      return step === 'approve' ? 'approved' : 'denied'
    case 'poll':
      if (isOver) return 'expired'
      if (isUndecided) return isEarly ? 'slowed' : 'pending'
      return state === 'approved' || passed.includes('lapsed') ? 'authorized' : state
    case 'poll fails':
      return 'approved'
    case 'poll takesLong':
      return 'issuing'
    case 'issued first':
      return claims.at(0) === 'may' && state === 'issuing' ? 'authorized' : state
    case 'issued last':
      return claims.at(-1) === 'may' && state === 'issuing' ? 'authorized' : state
    case 'notIssued first':
      return claims.at(0) === 'may' && state === 'issuing' ? 'approved' : state
    case 'notIssued last':
      return claims.at(-1) === 'may' && state === 'issuing' ? 'approved' : state
    default:
      return state
  }
}
