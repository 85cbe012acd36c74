import { Octokit as Core } from '@octokit/core'
import type { StrategyInterface } from '@octokit/types'
import { Octokit } from 'octokit'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  type Auth,
  app,
  basic,
  github,
  installation,
  none,
  personalToken,
  Secret,
} from '../../src/auth/index.ts'
import {
  type OctokitAuthentication,
  type OctokitStrategyOptions,
  octokitAuth,
} from '../../src/octokit/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'
import { appService, privateKey } from '../support/app-service.ts'
import { recordingFetch } from '../support/form-contract.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'

type Service = ReturnType<typeof appService>

const ourApp = ({ clock }: Service) => app({ appId: 1, privateKey, clock })

const hello = (service: Service) =>
  installation({ app: ourApp(service), installationId: 11, clock: service.clock })

/** The requests of an Octokit with a personal token, each with its `Authorization` header. */
function sending(baseUrl?: string) {
  const { sent, fetch } = recordingFetch()
  const authStrategy = octokitAuth(personalToken('ghp_1'))
  return {
    octokit: new Octokit({ authStrategy, request: { fetch }, ...(baseUrl !== undefined && { baseUrl }) }),
    headers: () => sent.map(({ url, headers }) => [url, headers.get('authorization')]),
    sent,
  }
}

describe.each([
  ['@octokit/core', Core],
  ['octokit', Octokit],
] as const)('%s', (_, Kind) => {
  test('calls the API as an app', async () => {
    const service = appService()
    const { baseUrl, fetch } = service
    const octokit = new Kind({ authStrategy: octokitAuth(ourApp(service)), baseUrl, request: { fetch } })
    expect((await octokit.request('GET /app')).data).toEqual({ id: 1 })
  })

  test('calls the API as an installation, with one token for many calls', async () => {
    const service = appService()
    const { baseUrl, fetch } = service
    const octokit = new Kind({ authStrategy: octokitAuth(hello(service)), baseUrl, request: { fetch } })
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => octokit.request('GET /installation/repositories')),
    )
    expect(new Set(responses.map(({ data }) => data.total_count))).toEqual(new Set([2]))
    expect(service.minted()).toBe(1)
  })

  test('calls the API as the user of a session', async () => {
    const service = startService({ clock: Date, interval: 1 })
    const session = createSession({
      clientId: CLIENT_ID,
      store: memoryStore(),
      fetch: service.fetch,
      provider: github({ authUrl: HOST, baseUrl: HOST }),
      onCodes: ({ userCode }) => service.approve(userCode, { id: 7, login: 'octocat' }),
    })
    await session.login()
    const octokit = new Kind({
      authStrategy: octokitAuth(session),
      baseUrl: HOST,
      request: { fetch: service.fetch },
    })
    expect((await octokit.request('GET /user')).data.login).toBe('octocat')
    session.actor.stop()
  })
})

describe('octokit.auth()', () => {
  test.each<[Auth, OctokitAuthentication]>([
    [none(), { type: 'unauthenticated' }],
    [personalToken('ghp_1'), { type: 'token', tokenType: 'personalToken', token: 'ghp_1' }],
    [
      basic('Aladdin', 'open sesame'),
      { type: 'basic', headers: { authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' } },
    ],
  ])('returns the credential of $form', async (form, authentication) => {
    expect(await new Core({ authStrategy: octokitAuth(form) }).auth()).toEqual(authentication)
  })
})

describe('the credential', () => {
  test('goes to the host of the API, for all kinds of requests', async () => {
    const { octokit, headers } = sending('https://git.example/api/v3')
    await octokit.rest.users.getAuthenticated()
    await octokit.request('https://git.example/api/v3/user')
    await octokit.graphql('{ viewer { login } }').catch(() => undefined)
    expect(headers()).toEqual(
      ['v3/user', 'v3/user', 'graphql'].map((path) => [`https://git.example/api/${path}`, 'Bearer ghp_1']),
    )
  })

  test.each([
    'https://evil.example/user',
    'https://api.github.com.evil.example/',
    'https://api.github.com:444/',
    'http://api.github.com/user',
    'https://uploads.github.com.evil.example/',
  ])('does not go to %s', async (url) => {
    const { octokit, headers } = sending()
    await octokit.request(url)
    expect(headers()).toEqual([[url, null]])
  })

  test('does not follow a base URL that one request or derived defaults name', async () => {
    const { octokit, headers } = sending()
    await octokit.request('GET /user', { baseUrl: 'https://evil.example' })
    await octokit.request.defaults({ baseUrl: 'https://evil.example' })('GET /user')
    expect(headers().map(([, header]) => header)).toEqual([null, null])
  })

  test.each([
    [undefined, 'https://uploads.github.com', true],
    ['https://api.octo.ghe.com', 'https://uploads.octo.ghe.com', true],
    ['https://api.octo.ghe.com', 'https://uploads.github.com', false],
    ['https://git.example/api/v3', 'https://uploads.github.com', false],
    ['https://api.github.com.example', 'https://uploads.github.com.example', false],
  ])('with the API at %s, goes to %s: %s', async (baseUrl, uploads, goes) => {
    const { octokit, headers } = sending(baseUrl)
    const asset = { owner: 'o', repo: 'r', release_id: 1, name: 'a', label: 'b', data: 'x' }
    await octokit.rest.repos.uploadReleaseAsset({ ...asset, baseUrl: uploads })
    expect(headers()).toEqual([
      [`${uploads}/repos/o/r/releases/1/assets?name=a&label=b`, goes ? 'Bearer ghp_1' : null],
    ])
  })

  test('does not go to the login paths, even of the same host', async () => {
    const { octokit, headers } = sending('https://git.example/api/v3')
    await octokit.request('POST https://git.example/login/oauth/access_token')
    await octokit.request('POST https://git.example/login/device/code')
    expect(headers().map(([, header]) => header)).toEqual([null, null])
  })

  test('is not in the errors of Octokit', async () => {
    const fetch = async () => Response.json({ message: 'Not Found' }, { status: 404 })
    const octokit = new Core({ authStrategy: octokitAuth(personalToken('ghp_secret')), request: { fetch } })
    const error = await octokit.request('GET /user').catch((error: Error) => error)
    expect(error).toMatchObject({ name: 'HttpError', status: 404 })
    expect(JSON.stringify([error, (error as unknown as { request: object }).request])).not.toContain(
      'ghp_secret',
    )
  })

  test('is not sent without https', () => {
    const make = () => new Core({ authStrategy: octokitAuth(none()), baseUrl: 'http://api.example' })
    expect(make).toThrow(expect.objectContaining({ code: 'wrong_host' }))
  })
})

describe('a request', () => {
  test('rejects as Octokit does where the host cannot be reached', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const octokit = new Core({ authStrategy: octokitAuth(personalToken('ghp_1')), request: { fetch } })
    await expect(octokit.request('GET /user')).rejects.toMatchObject({ name: 'HttpError', status: 500 })
  })

  test('that is cancelled does not wait for a credential', async () => {
    const controller = new AbortController()
    const { sent, fetch } = recordingFetch()
    const form: Auth = { form: 'slow', authorization: () => new Promise(() => undefined) }
    const octokit = new Core({ authStrategy: octokitAuth(form), request: { fetch } })
    const { signal } = controller
    const calling = octokit.request('GET /user', { request: { signal } })
    controller.abort()
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' })
    expect(sent).toEqual([])
  })

  test('is sent again with its body, unless that is a stream', async () => {
    const retrying: Auth = {
      form: 'retrying',
      authorization: () => new Secret('Bearer x'),
      learn: ({ status }) => status === 401,
    }
    for (const [body, tries] of [
      ['text', 2],
      [new Blob(['text']).stream(), 1],
      [(async function* () {})(), 1],
    ] as const) {
      const { sent, fetch } = recordingFetch(new Response(null, { status: 401 }), Response.json({}))
      const octokit = new Core({ authStrategy: octokitAuth(retrying), request: { fetch } })
      await octokit.request('POST /markdown/raw', { data: body as string }).catch(() => undefined)
      expect(sent).toHaveLength(tries)
      if (tries === 2)
        expect(await Promise.all(sent.map((request) => request.text()))).toEqual(['text', 'text'])
    }
  })

  test('uses the fetch of the request, and else the one that the runtime has then', async () => {
    const { sent, fetch } = recordingFetch()
    const octokit = new Core({ authStrategy: octokitAuth(personalToken('ghp_1')) })
    await octokit.request('GET /user', { request: { fetch } })
    vi.stubGlobal('fetch', fetch)
    await octokit.request('GET /user')
    vi.unstubAllGlobals()
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer ghp_1', 'Bearer ghp_1'])
  })
})

test('a strategy has the types of Octokit', () => {
  expectTypeOf(octokitAuth(none())).toExtend<
    StrategyInterface<[OctokitStrategyOptions], [], OctokitAuthentication>
  >()
})
