import { expect, test } from 'vitest'
import { github } from '../../src/index.ts'
import type { OAuthToken } from '../../src/protocol/oauth-token.ts'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/session/index.ts'
import { revoke } from '../../src/session/revoke.ts'
import type { SessionParts } from '../../src/session/session-actors.ts'

const clock = { now: () => 0, setTimeout, clearTimeout }

/** Revokes the tokens `newest` and `older` at a provider that responds to each with a status, or not at all. */
async function revokeBoth(responses: {
  readonly newest: number | 'none' | 'refused'
  readonly older: number
}) {
  const sent: string[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const { access_token } = JSON.parse(String(init?.body)) as { access_token: 'newest' | 'older' }
    sent.push(access_token)
    const status = responses[access_token]
    if (status === 'none') throw new TypeError('fetch failed')
    // As Google responds to a token that has ended, with 400.
    if (status === 400 || status === 401) return Response.json({ error: 'invalid_token' }, { status })
    if (status === 'refused') return Response.json({ error: 'invalid_client' }, { status: 400 })
    return new Response(null, { status })
  }
  const sender = {
    provider: github(),
    clientId: new Secret('id'),
    authentication: { method: 'client_secret_post', clientSecret: new Secret('s') } as const,
    fetch,
    clock,
  }
  const parts: SessionParts = {
    store: memoryStore(),
    name: 'default',
    data: {},
    sender,
    number: 0,
    copy: { id: 'c', running: new Set() },
  }
  const tokens = (['newest', 'older'] as const).map(
    (name): OAuthToken => ({
      accessToken: new Secret(name),
      tokenType: 'bearer',
      scopes: [],
      missingScopes: [],
    }),
  )
  const revocation = await revoke(parts, { revoking: tokens }).catch((error) => ({
    revoked: false,
    why: error.message,
  }))
  return { ...revocation, sent }
}

const sent = ['newest', 'older']

test.each([
  { newest: 204, older: 204 } as const,
  // The older token ended with the newest one.
  { newest: 204, older: 404 } as const,
  { newest: 400, older: 400 } as const,
])('reports that both tokens are revoked: %j', async (responses) => {
  expect(await revokeBoth(responses)).toEqual({ revoked: true, sent })
})

test.each([
  [{ newest: 500, older: 204 }, 'status 500'],
  [{ newest: 500, older: 404 }, 'status 500'],
  [{ newest: 404, older: 404 }, 'status 404'],
  [{ newest: 'none', older: 503 }, 'cannot be reached'],
  [{ newest: 204, older: 503 }, 'status 503'],
  [{ newest: 401, older: 204 }, 'status 401'],
  [{ newest: 'refused', older: 204 }, 'status 400'],
] as const)('continues after a failure, and reports the first one: %j', async (responses, why) => {
  expect(await revokeBoth(responses)).toEqual({ revoked: false, why: expect.stringContaining(why), sent })
})
