import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { RefusedError, TimedOutError } from '../../src/errors.ts'
import { deviceInput } from '../../src/machines.ts'
import type { PollResponse } from '../../src/protocol/poll-response.ts'
import { Secret } from '../../src/secret.ts'
import { parseDeviceCodes } from '../../src/testing/index.ts'
import { responses } from '../support/responses.ts'

/** One of each. */
const RESPONSES = {
  pending: [{ type: 'pending', at: 0 }],
  slow_down: [{ type: 'slow_down', at: 0 }],
  token: [
    {
      type: 'token',
      at: 0,
      token: { accessToken: new Secret('token'), tokenType: 'bearer', scopes: [], missingScopes: [] },
    },
  ],
  denied: [{ type: 'denied', at: 0 }],
  expired: [{ type: 'expired', at: 0 }],
  refused: [
    { type: 'refused', at: 0, error: new RefusedError({ error: 'invalid_client', status: 401 }) },
    { type: 'refused', at: 0, error: new RefusedError({ error: 'incorrect_device_code', status: 200 }) },
  ],
  fault: [{ type: 'fault', at: 0, error: new TimedOutError() }],
} satisfies { [Type in PollResponse['type']]: Extract<PollResponse, { type: Type }>[] }

test('the table has every type of poll result that is declared', () => {
  const source = readFileSync(resolve(import.meta.dirname, '../../src/protocol/poll-response.ts'), 'utf8')
  const [, union = ''] = /^export type PollResponse =\n((?: {2}.*\n)+)/m.exec(source) ?? []
  const declared = [...union.matchAll(/readonly type: '(\w+)'/g)].map(([, type]) => type)
  expect(declared.length).toBeGreaterThan(6)
  expect(Object.keys(RESPONSES).sort()).toEqual(declared.sort())
})

test('the guide on adding a poll response leads through code that has its example', () => {
  const root = resolve(import.meta.dirname, '../..')
  const guide = readFileSync(resolve(root, 'docs/extend/poll-response.md'), 'utf8')
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(guide) ?? []
  const files = table.split('\n').flatMap((row) => (row.split('|')[2] ?? '').match(/[\w/.-]+\.ts/g) ?? [])
  expect(files.length).toBeGreaterThan(7)
  for (const file of files)
    expect(readFileSync(resolve(root, file), 'utf8'), file).toMatch(/slow_?down|refused/i)
})

const STATUSES = ['requested', 'pending', 'slowed'] as const

test.each(
  STATUSES.flatMap((status) =>
    Object.values(RESPONSES)
      .flat()
      .map((output) => [output.type, status, output] as const),
  ),
)('the poll result "%s" has a transition out of polling (status %s)', (_, status, output) => {
  const polling = deviceAuthorization.resolveState({ value: 'polling', context: contextWith(status) })
  const done = { type: 'xstate.done.actor.pollToken', output } as never
  // Throws where an action reads a member that this type of result lacks.
  const [next] = transition(deviceAuthorization, polling, done)
  expect(next.value).not.toBe('polling')
})

function contextWith(status: (typeof STATUSES)[number]) {
  const codes = parseDeviceCodes(responses.codes)
  const times = { nextPollAt: 5000, expiresAt: 900_000, lookedAt: 0 }
  const resume = { codes, status, interval: 5, margin: 1.05, ...times }
  return getInitialSnapshot(deviceAuthorization, { ...deviceInput({ clientId: 'id' }), resume }).context
}
