import {
  createSession,
  LoginRequiredError,
  memoryStore,
} from 'authgraph/session'
import type { Sandbox } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'

const HOUR = 60 * 60

test.override({ sandboxOptions: { refreshTokens: { lifetime: 24 * HOUR } } })

/**
 * A session that is logged in, and whose access token expires after 8 hours.
 */
async function loggedIn(sandbox: Sandbox) {
  const { client } = sandbox
  const session = createSession({
    ...client,
    store: memoryStore(),
    onCodes: () => sandbox.approve(),
  })
  await sandbox.run(session.login())
  return session
}

/** How often the tokens were refreshed. */
const refreshes = ({ requests }: Sandbox) =>
  requests.filter(({ outcome }) => outcome === 'refreshed').length

test('refreshes an expired token once, although two callers need it', async ({
  sandbox,
}) => {
  const session = await loggedIn(sandbox)
  await sandbox.advance(8 * HOUR)
  await sandbox.run(Promise.all([session.token(), session.token()]))
  expect(refreshes(sandbox)).toBe(1)
})

test('survives the loss of a new refresh token', async ({ sandbox }) => {
  const session = await loggedIn(sandbox)
  await sandbox.advance(8 * HOUR)
  sandbox.inject('lose', { on: 'refresh' })
  await sandbox.run(session.token())
  expect(refreshes(sandbox)).toBe(1)
})

test('asks for a login after the user has revoked the token', async ({
  sandbox,
}) => {
  const session = await loggedIn(sandbox)
  await sandbox.revoke()
  await sandbox.advance(8 * HOUR)
  await expect(sandbox.run(session.token())).rejects.toThrow(
    LoginRequiredError,
  )
})
