import { expect } from 'vitest'
import { refreshFamily } from '../../src/machines.ts'
import { type Edge, nameOfEdge } from '../../src/testing/paths/walk.ts'
import { DrivenFamily } from './driven-family.ts'
import { FAMILIES, titleOfFamily } from './path-sets.ts'
import { proveWalks } from './prove-walks.ts'
import { nameOfFamilyPath } from './walks/family-names.ts'
import { type FamilySituation, type FamilyWalkStep, familyWalk } from './walks/family-walk.ts'

proveWalks<FamilySituation, FamilyWalkStep>(
  'refresh family',
  refreshFamily,
  FAMILIES.map((options) => ({
    title: titleOfFamily(options),
    walk: familyWalk(options),
    kind: 'shortest',
    nameOf: nameOfFamilyPath,
    begin: () => new DrivenFamily(options, false),
    beginBound: () => new DrivenFamily(options, true),
    expectTarget: (edge) =>
      expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge, options.reuseWindow)),
    rules: options.dialect,
  })),
)

/** Where each step leads by the guide on refresh tokens, written down apart from the machine. */
function targetOf({ from, step }: Edge, reuseWindow: number): string {
  const [state = '', ...words] = from.split(', ')
  if (step === 'login') return 'active'
  if (state === 'revoked' || state === 'expired') return state
  if (step === 'revoke') return 'revoked'
  const isOver = words.includes('over')
  const requests = words.filter((word) => / may( not)?$/.test(word))
  const [action = '', which = '', issuing] = step.split(' ')
  if (action === 'refresh') return isOver ? 'expired' : refreshed(which, issuing)
  if (action !== 'issued' && action !== 'notIssued') return state
  const [token = '', ...rest] = (which === 'first' ? requests.at(0) : requests.at(-1))?.split(' ') ?? []
  if (rest.join(' ') === 'may') return 'active'
  if (action === 'notIssued') return state
  // Another request has taken the claim: this one asks again, and its token proves no reuse.
  if (isOver) return 'expired'
  return token === 'newest' ? refreshed('newest', undefined) : state

  function refreshed(token: string, issuing: string | undefined): string {
    if (token === 'newest') {
      if (state === 'issuing' && !words.includes('lapsed')) return 'issuing'
      return issuing === 'takesLong' ? 'issuing' : 'active'
    }
    return token === 'previous' && reuseWindow > 0 && !words.includes('windowOver') ? state : 'revoked'
  }
}
