import { expect, test } from 'vitest'
import { type Graph, graphs } from '../../docs/explorer/graphs.ts'
import { laneSteps } from '../../docs/explorer/lane-steps.ts'
import { pack } from '../../docs/explorer/pack.ts'
import { allOf, unpack } from '../../docs/explorer/paths.ts'

const ALL = graphs()
const graphOf = (id: string) => ALL.find((graph) => graph.id === id) as Graph

/** In these states a request is open. */
const ASKING = ['requesting', 'polling', 'refreshing', 'revoking']

test.each(['device', 'session'])('each request of the %s has an outcome, unless it is given up', (id) => {
  for (const path of graphOf(id).sets.flatMap(({ paths }) => paths)) {
    let open = 0
    for (const { words, kind, states, wire } of path) {
      const state = states[0]?.at(-1) ?? ''
      if (state === 'cancelled' || kind === 'defect') break
      for (const message of wire) open += message.startsWith('>') ? 1 : -1
      expect({ words, open }).toEqual({ words, open: ASKING.includes(state) ? 1 : 0 })
    }
  }
})

test('a message arrives in its lane unless it was lost on the way', () => {
  const tree = unpack(pack(graphOf('both')))
  const drawn = (words: string) => {
    const found = allOf(tree.roots).filter((step) => step.words.startsWith(words))
    const messages = laneSteps(tree, found).map((step) =>
      step.messages.map(({ from, kind, words }) =>
        `${from === 0 ? 'device' : 'service'} ${kind} ${words}`.trim(),
      ),
    )
    return [...new Set(messages.map((each) => each.join(', ')))]
  }
  expect(drawn('request lost')).toEqual(['device lost request lost'])
  expect(drawn('response lost')).toEqual(['device request, service lost response lost'])
  expect(drawn('response too late')).toEqual(['device request, service ignored response too late'])
  expect(drawn('polled twice: token')).toEqual([
    'device request, device request, service response access_token, service ignored response ignored',
  ])
})
