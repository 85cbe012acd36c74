import { describe, expect, test } from 'vitest'
import { createDeviceAuthorization, exportResume, Secret } from '../../src/index.ts'
import { errorWith } from '../support/error-with.ts'
import { resumeFlow, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, token } = responses

/** The fields of each request of a login. */
async function fieldsOf(options: Parameters<typeof startFlow>[1]) {
  const flow = startFlow([codes, pending, token], options)
  await flow.result()
  return flow.sent.map(({ body }) => [...new URLSearchParams(body)])
}

describe('further parameters', () => {
  test('are sent with the request for codes, and the resources with every poll too', async () => {
    const [request = [], ...polls] = await fieldsOf({
      resource: 'https://api.example/',
      audience: 'the-api',
      parameters: { acr_values: 'phr', login_hint: new Secret('user@example.com') },
    })
    expect(request).toEqual(
      expect.arrayContaining([
        ['resource', 'https://api.example/'],
        ['audience', 'the-api'],
        ['acr_values', 'phr'],
        ['login_hint', 'user@example.com'],
      ]),
    )
    expect(request).toHaveLength(6)
    for (const poll of polls)
      expect(poll.map(([name]) => name)).toEqual(['client_id', 'device_code', 'grant_type', 'resource'])
  })

  test('are absent if there are none', async () => {
    const [request = []] = await fieldsOf({})
    expect(request.map(([name]) => name)).toEqual(['client_id', 'scope'])
  })

  test('the resources are sent after a restart too', async () => {
    const first = startFlow([codes], { resource: 'urn:files' })
    await first.time.settle()
    const record = exportResume(first.actor.getSnapshot(), first.time.now)
    const second = resumeFlow([token], record, first.time)
    await second.result()
    expect(new URLSearchParams(second.sent[0]?.body).getAll('resource')).toEqual(['urn:files'])
  })

  test.each([
    ...['audience', 'client_assertion', 'client_assertion_type', 'client_id', 'client_secret'],
    ...['code_challenge', 'code_challenge_method', 'code_verifier', 'device_code', 'grant_type'],
    ...['refresh_token', 'resource', 'scope'],
  ])('may not contain %s', (name) => {
    expect(() => createDeviceAuthorization({ clientId: 'id', parameters: { [name]: 'x' } })).toThrow(
      errorWith('bad_option', `"${name}"`),
    )
  })

  test.each([
    ['parameters', { parameters: { prompt: 5 } }, 'prompt'],
    ['scopes', { scopes: 'repo' }, 'scopes'],
    ['audience', { audience: ['a'] }, 'audience'],
    ['resource', { resource: 5 }, 'resource'],
    ['resource', { resource: [] as unknown[] as string[], audience: 5 }, 'audience'],
    ['resource', { resource: 'api.example' }, 'resource'],
    ['resource', { resource: ['urn:a', '/path'] }, 'resource'],
    ['resource', { resource: 'https://api.example/#part' }, 'resource'],
  ])('%s is refused where it is %j', (_, options, message) => {
    expect(() => createDeviceAuthorization({ clientId: 'id', ...(options as object) })).toThrow(
      errorWith('bad_option', message),
    )
  })
})
