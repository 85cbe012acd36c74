import { afterAll, describe, expect, test } from 'vitest'
import type { AnyTransitionDefinition } from 'xstate'
import { refreshFamily } from '../../src/machines.ts'
import { type Edge, edgesOf, nameOfEdge, pathsOf } from '../../src/testing/paths/walk.ts'
import { forgottenTransitions, recordTransitions } from './declared-transitions.ts'
import { DrivenFamily } from './driven-family.ts'
import { publish } from './figures.ts'
import { FAMILIES, titleOfFamily } from './path-sets.ts'
import { familyWalk } from './walks/family-walk.ts'

const taken = new Set<AnyTransitionDefinition>()
const figures = { paths: 0, walked: 0, edges: 0 }

for (const options of FAMILIES) {
  const { reuseWindow } = options
  describe(titleOfFamily(options), () => {
    const walk = familyWalk(options)
    const paths = pathsOf(walk, 'shortest')
    const edges = edgesOf(walk)
    const walked = new Set<string>()

    for (const path of paths)
      test(path.map(({ step }) => walk.labelOf(step)).join(', '), async () => {
        const service = new DrivenFamily(options)
        let from = walk.nameOf(walk.start)
        for (const { step, situation } of path) {
          const found = await recordTransitions(refreshFamily, taken, () => service.take(step, situation))
          const to = walk.nameOf(found)
          walked.add(nameOfEdge({ from, step: walk.labelOf(step), to }))
          from = to
        }
      })

    test('it walked every edge of the graph, and no other', () => {
      expect([...walked].sort()).toEqual(edges.map(nameOfEdge).sort())
    })

    test('every edge leads where the design says', () => {
      for (const edge of edges)
        expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge, reuseWindow))
    })

    afterAll(() => {
      figures.paths += paths.length
      figures.walked += walked.size
      figures.edges += edges.length
    })
  })
}

test('the services took every transition that the machine declares', () => {
  expect(forgottenTransitions(refreshFamily, taken)).toEqual([])
})

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
  // Another request has taken the lease: this one asks again, and its token proves no reuse.
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

publish('refresh family', () => figures)
