import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDeviceAuthorization, exportResume, github, type Provider } from '../../src/index.ts'
import { resumeFlow, startFlow } from '../support/flow.ts'
import { untilTrue } from '../support/hostile-flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token } = responses

/** The client sends JSON to a host that has refused a form in an earlier test. */
function fieldsOf(sent: readonly { readonly body: string }[]): Record<string, string>[] {
  return sent.map(({ body }) =>
    body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
  )
}

function challengeOf(verifier = ''): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** WebCrypto hashes in real time: waits until the request for codes was sent, and its response was read. */
async function hashed(sent: readonly unknown[]) {
  await untilTrue(() => sent.length === 1)
  await new Promise((resolve) => setImmediate(resolve))
}

describe('a login with PKCE', () => {
  test('sends a new challenge with the request for codes, and its verifier with every poll', async () => {
    const flow = startFlow([codes, pending, token], { pkce: true })
    await hashed(flow.sent)
    expect(await flow.result()).toMatchObject({ status: 'authorized' })
    const [request, ...polls] = fieldsOf(flow.sent)
    for (const poll of polls) {
      expect(poll.code_verifier).toMatch(/^[\w-]{43}$/)
      expect(request).toMatchObject({
        code_challenge: challengeOf(poll.code_verifier),
        code_challenge_method: 'S256',
      })
    }
    expect([polls.length, request?.code_verifier]).toEqual([2, undefined])
    const next = startFlow([codes], { pkce: true })
    await hashed(next.sent)
    expect(fieldsOf(next.sent)[0]?.code_challenge).not.toBe(request?.code_challenge)
  })

  test('keeps its verifier over a restart, in the record alone', async () => {
    const first = startFlow([codes], { pkce: true })
    await hashed(first.sent)
    const snapshot = first.actor.getSnapshot()
    const record = exportResume(snapshot, first.time.now)
    const { codeVerifier = '' } = record ?? {}
    expect(fieldsOf(first.sent)[0]?.code_challenge).toBe(challengeOf(codeVerifier))
    for (const shown of [JSON.stringify(snapshot), inspect(snapshot, { depth: 9, showHidden: true })])
      expect(shown).not.toContain(codeVerifier)

    const second = resumeFlow([token], record, first.time)
    expect(await second.result()).toMatchObject({ status: 'authorized' })
    expect(fieldsOf(second.sent)[0]?.code_verifier).toBe(codeVerifier)
  })

  test('keeps a verifier that a server repeats out of its error', async () => {
    const flow = startFlow([codes], { pkce: true })
    await hashed(flow.sent)
    const record = exportResume(flow.actor.getSnapshot(), flow.time.now)
    const echo = { error: 'invalid_grant', error_description: `PKCE: ${record?.codeVerifier}` }
    const second = resumeFlow([echo], record, flow.time)
    expect(await second.result()).toMatchObject({ error: { description: 'PKCE: ‹secret›' } })
  })
})

test('a login without PKCE sends neither, even if the provider lists S256', async () => {
  const flow = startFlow([codes, token], { provider: { ...github(), codeChallengeMethods: ['S256'] } })
  await flow.result()
  for (const { body } of flow.sent) expect(body).not.toMatch(/code_(challenge|verifier)/)
})

describe('PKCE is refused', () => {
  test('at a provider that does not list S256', () => {
    const listed = (...codeChallengeMethods: string[]) => ({ ...github(), codeChallengeMethods })
    const create = (pkce: boolean, provider: Provider) =>
      createDeviceAuthorization({ clientId: 'id', pkce, provider })
    expect(() => create(true, listed('plain'))).toThrow('S256')
    create(false, listed('plain'))
    create(true, listed('plain', 'S256'))
  })

  test('where there is no WebCrypto', () => {
    vi.stubGlobal('crypto', {})
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(() => createDeviceAuthorization({ clientId: 'id', pkce: true })).toThrow('WebCrypto')
    createDeviceAuthorization({ clientId: 'id' })
  })
})
