import { createTestModel } from '@xstate/graph'
import { deviceGrant } from 'authgraph/machines'
import { expect, test } from 'vitest'

const issuedAt = Date.UTC(2026, 0, 1)
const expiresAt = issuedAt + 900_000

const model = createTestModel(deviceGrant, {
  input: {
    client: 'client',
    scope: '',
    interval: 5,
    leeway: 0,
    firstPoll: 'free',
    issuedAt,
    expiresAt,
  },
  events: [
    { type: 'poll', claim: 'a poll', at: issuedAt },
    { type: 'poll', claim: 'a later poll', at: issuedAt + 60_000 },
    { type: 'approve', user: 'octocat', at: issuedAt },
    { type: 'deny', at: issuedAt },
    {
      type: 'issued',
      claim: 'a poll',
      sealed: ['nonce', 'token'],
      at: issuedAt,
    },
    { type: 'poll', claim: 'the last poll', at: expiresAt },
  ],
  serializeState: ({ value }) => JSON.stringify(value),
})

test('every state of a grant can be reached', () => {
  const reached = model
    .getSimplePaths()
    .flatMap(({ steps }) =>
      steps.map(({ state }) => JSON.stringify(state.value)),
    )
  expect(new Set(reached)).toEqual(
    new Set([
      '{"undecided":"requested"}',
      '{"undecided":"pending"}',
      '{"undecided":"slowed"}',
      '"approved"',
      '"issuing"',
      '"denied"',
      '"authorized"',
      '"expired"',
    ]),
  )
})
