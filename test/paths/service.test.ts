import { afterAll, describe, expect, test } from 'vitest'
import type { AnyTransitionDefinition } from 'xstate'
import { deviceGrant } from '../../src/machines.ts'
import { type Edge, edgesOf, nameOfEdge, pathsOf } from '../../src/testing/paths/walk.ts'
import { forgottenTransitions, recordTransitions } from './declared-transitions.ts'
import { DrivenService } from './driven-service.ts'
import { publish } from './figures.ts'
import { SERVICES, titleOfService } from './path-sets.ts'
import { nameOfServicePath } from './walks/service-names.ts'
import { serviceWalk } from './walks/service-walk.ts'

const taken = new Set<AnyTransitionDefinition>()
const figures = { paths: 0, walked: 0, edges: 0 }

for (const { dialect, ...options } of SERVICES) {
  describe(titleOfService({ dialect, ...options }), () => {
    const walk = serviceWalk(options)
    const paths = pathsOf(walk, 'shortest')
    const edges = edgesOf(walk)
    const walked = new Set<string>()

    for (const path of paths)
      test(nameOfServicePath(path), async () => {
        const service = new DrivenService({ ...options, dialect })
        let from = walk.nameOf(walk.start)
        for (const { step, situation } of path) {
          const found = await recordTransitions(deviceGrant, taken, () => service.take(step, situation))
          const to = walk.nameOf(found)
          walked.add(nameOfEdge({ from, step: walk.labelOf(step), to }))
          from = to
        }
      })

    test('it walked every edge of the graph, and no other', () => {
      expect([...walked].sort()).toEqual(edges.map(nameOfEdge).sort())
    })

    test('every edge leads where the specification says', () => {
      for (const edge of edges)
        expect(edge.to.split(', ')[0], nameOfEdge(edge)).toBe(targetOf(edge, options.firstPoll))
    })

    test('no two paths have one name, and no name holds what is secret', () => {
      const told = paths.map(nameOfServicePath)
      expect(new Set(told).size).toBe(told.length)
      expect(told.join()).not.toMatch(/octocat|client|\d{3}|[[\]{}]/)
    })

    afterAll(() => {
      figures.paths += paths.length
      figures.walked += walked.size
      figures.edges += edges.length
    })
  })
}

test('the services took every transition that the machine declares', () => {
  expect(forgottenTransitions(deviceGrant, taken)).toEqual([])
})

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

publish('service', () => figures)
