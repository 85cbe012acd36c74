import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import {
  type Edge,
  edgesOf,
  nameOfEdge,
  type PathKind,
  pathsOf,
  type Walk,
  type WalkedStep,
} from '../../src/testing/paths/walk.ts'
import { forgottenTransitions, recordTransitions } from './declared-transitions.ts'

/** The real code, which does what the steps of a path say. */
export interface Driven<Situation, Step> {
  /** Takes one step, compares the code with what pure transitions lead to, and returns the situation that it is in. */
  take(step: Step, expected: Situation): Promise<Situation>
  /** Ends what still runs after a path, and checks what is left of it. */
  end?(path: readonly WalkedStep<Situation, Step>[]): unknown
}

/** Some paths over a graph. */
export interface PathSet<Situation, Step> {
  readonly title: string
  readonly walk: Walk<Situation, Step>
  readonly kind: PathKind
  /** Names a path, if the labels of its steps do not. */
  readonly nameOf?: (path: readonly WalkedStep<Situation, Step>[]) => string
  readonly begin: () => Driven<Situation, Step>
  /** The same with DPoP and a resource. */
  readonly beginBound?: () => Driven<Situation, Step>
  /** Compares an edge with the specification, written down apart from the machine. */
  readonly expectTarget?: (edge: Edge) => void
  /** Tells the edges apart from those of other sets. */
  readonly rules?: string
}

const root = resolve(import.meta.dirname, '../..')

/** The project `bound` walks all paths with DPoP and a resource. The others walk one in so many paths with it once more. */
const isBound = process.env.WALKS === 'bound'
const BOUND_ONE_IN = 100

/**
 * Walks all paths with the real code. What it walked is read from the code alone: code that does nothing fails on every
 * path.
 *
 * @param name What the documentation calls the graph. It must give the figures of this run.
 * @param machine Every transition of it must be taken.
 */
export function proveWalks<Situation, Step>(
  name: string,
  machine: AnyStateMachine | undefined,
  sets: readonly PathSet<Situation, Step>[],
): void {
  const edges = new Set<string>()
  const walked = new Set<string>()
  const taken = new Set<string>()
  let count = 0
  let stopRecording = () => {}
  beforeAll(() => {
    stopRecording = recordTransitions(taken)
  })
  afterAll(() => {
    stopRecording()
    process.stdout.write(`${name}: ${count} paths, ${walked.size} of ${edges.size} edges\n`)
  })

  for (const { title, walk, kind, begin, beginBound, expectTarget, rules = '', ...set } of sets)
    describe(title, () => {
      const labelsOf: typeof set.nameOf = (path) => path.map(({ step }) => walk.labelOf(step)).join(', then ')
      const { nameOf = labelsOf } = set
      const paths = pathsOf(walk, kind)
      count += paths.length
      const here = edgesOf(walk)
      for (const edge of here) edges.add(rules + nameOfEdge(edge))

      const follow = async (driven: Driven<Situation, Step>, path: (typeof paths)[number]) => {
        let from = walk.nameOf(walk.start)
        for (const { step, situation } of path) {
          const to = walk.nameOf(await driven.take(step, situation))
          walked.add(rules + nameOfEdge({ from, step: walk.labelOf(step), to }))
          from = to
        }
        await driven.end?.(path)
      }

      for (const [index, path] of paths.entries()) {
        test(nameOf(path), () => follow(isBound && beginBound ? beginBound() : begin(), path))
        if (!isBound && beginBound && index % BOUND_ONE_IN === 0)
          test(`${nameOf(path)}, with DPoP and a resource`, () => follow(beginBound(), path))
      }

      test('no two paths have one name, and no name holds what is secret', () => {
        const names = paths.map(nameOf)
        expect(new Set(names).size).toBe(names.length)
        expect(names.join()).not.toMatch(/sample|octocat|client-id|code-|\d{10}|[[\]{}]/)
      })

      if (expectTarget)
        test('every edge leads where the specification says', () => {
          for (const edge of here) expectTarget(edge)
        })
    })

  test('the code walked every edge, and no other', () => {
    expect([...walked].sort()).toEqual([...edges].sort())
  })

  if (machine)
    test('the code took every transition that the machine declares', () => {
      expect(forgottenTransitions(machine, taken)).toEqual([])
    })

  test.each([
    ['README.md', () => `${edges.size} edges`],
    ['docs/testing.md', () => `${edges.size} of ${edges.size} edges`],
  ])('%s gives the figures of this run', (document, shown) => {
    const text = readFileSync(resolve(root, document), 'utf8')
    expect(text).toContain(`\n${name}: ${count} paths, ${shown()}\n`)
  })
}
