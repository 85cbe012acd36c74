import { expect, test } from 'vitest'
import { edgesOf, nameOfEdge, pathsOf } from '../../src/testing/paths/walk.ts'
import { DrivenBothSides } from './both-sides.ts'
import { type BothSides, isTooLate, bothSidesWalk as walk } from './both-sides-walk.ts'
import { publish } from './figures.ts'

const paths = pathsOf(walk, 'shortest')
const edges = edgesOf(walk).map(nameOfEdge).sort()
const walked = new Set<string>()

/** How an authorization may end: what the device says, and what the service keeps of it then. */
const ENDS: readonly { readonly device: string; readonly service: readonly string[] }[] = [
  { device: 'authorized', service: ['authorized'] },
  { device: 'denied', service: ['denied'] },
  // The device polls no more after the end: what the user decided too late for its last poll is never asked for.
  { device: 'expired', service: ['requested', 'pending', 'slowed', 'approved', 'denied', 'expired'] },
]

for (const path of paths)
  test(path.map(({ step }) => walk.labelOf(step)).join(', then '), async () => {
    const both = new DrivenBothSides()
    let from: BothSides = walk.start
    for (const { step, situation } of path) {
      await both.take(step, situation)
      walked.add(
        nameOfEdge({ from: walk.nameOf(from), step: walk.labelOf(step), to: walk.nameOf(situation) }),
      )
      from = situation
    }
    const end = await both.end()
    expect(end.issued).toBe(end.service === 'authorized' ? 1 : 0)
    expect(end.requests).toBeLessThan(30)
    if (end.device === 'expired') expect(end.isOver).toBe(true)
    if (path[0]?.step.type === 'begin' && path[0].step.response === 'responseLost') {
      expect(end).toMatchObject({ device: 'failed', service: 'requested' })
    } else if (end.service === 'authorized' && end.device !== 'authorized') {
      // The one exception: no response with the token reached the device in the delivery window, or before its codes expired.
      expect(from.lost).toBe(true)
      expect(end).toMatchObject(
        end.device === 'failed' ? { reason: 'incorrect_device_code' } : { device: 'expired' },
      )
      if (end.device === 'failed') expect(isTooLate(from)).toBe(true)
    } else {
      expect(ENDS.find(({ device }) => device === end.device)?.service).toContain(end.service)
    }
  })

test('both sides walked every edge of the product of their graphs', () => {
  expect([...walked].sort()).toEqual(edges)
})

publish('both sides', () => ({ paths: paths.length, walked: walked.size, edges: edges.length }))
