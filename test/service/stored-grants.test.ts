import { expect, test } from 'vitest'
import type { Json } from '../../src/store/store.ts'
import { startService } from '../support/start-service.ts'
import grants from './stored-grants.json' with { type: 'json' }

/** A service with the store of an earlier version, one grant in each state. */
async function startOn(state: keyof typeof grants) {
  const { deviceCode, userCode, records } = grants[state]
  const service = startService({ issueToken: () => 'the-token' })
  const { update } = service.memory
  for (const [key, value] of Object.entries<Json>(records))
    await update(key, () => ({ result: undefined, value }))
  return {
    ...service,
    userCode,
    /** The result of a poll. */
    poll: async () => {
      const { body } = await service.poll(deviceCode)
      return body.error ?? body.access_token
    },
    /** The stored grant. */
    kept: () =>
      update(Object.keys(records).find((key) => key.startsWith('grant:')) ?? '', (value) => ({
        result: (value as { readonly state?: string } | undefined)?.state,
      })),
  }
}

test.each([
  ['requested', 'authorization_pending', 'pending'],
  ['pending', 'slow_down', 'slowed'],
  ['slowed', 'slow_down', 'slowed'],
  ['approved', 'the-token', 'authorized'],
  ['issuing', 'authorization_pending', 'issuing'],
  ['denied', 'access_denied', 'denied'],
  ['authorized', 'incorrect_device_code', 'authorized'],
] as const)('a grant stored as %s polls as %s and is then stored as %s', async (state, said, kept) => {
  const service = await startOn(state)
  expect(await service.poll()).toBe(said)
  expect(await service.kept()).toBe(kept)
})

test.each(['requested', 'pending', 'slowed'] as const)(
  'a grant stored as %s can be decided',
  async (state) => {
    const service = await startOn(state)
    expect(await service.approve(service.userCode, 'octocat')).toBe('done')
    expect(await service.poll()).toBe('the-token')
  },
)

test('a grant stored while its token was being issued gets a new one after the claim', async () => {
  const service = await startOn('issuing')
  service.wait(10)
  expect(await service.poll()).toBe('the-token')
})
