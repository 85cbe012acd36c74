import { describe, expect, test, vi } from 'vitest'
import { ApiError, createApi, github, personalToken, RefusedError, rfc8628 } from '../../src/auth/index.ts'
import { recordingFetch } from '../support/form-contract.ts'

describe('createApi', () => {
  test('calls the API with JSON both ways, and no credential by default', async () => {
    const { sent, fetch } = recordingFetch(Response.json({ login: 'octocat' }))
    const api = createApi({ fetch })
    expect(await api('/user', { method: 'PATCH', body: { name: 'x' }, query: { page: 2 } })).toEqual({
      login: 'octocat',
    })
    const [request] = sent
    expect(request?.url).toBe('https://api.github.com/user?page=2')
    expect(request?.headers.get('content-type')).toBe('application/json')
    expect(request?.headers.has('authorization')).toBe(false)
    expect(await request?.json()).toEqual({ name: 'x' })
  })

  const endpoints = {
    deviceAuthorizationEndpoint: 'https://a.example',
    tokenEndpoint: 'https://a.example',
  }

  test.each([
    github({ baseUrl: 'https://git.example/api/v3/' }),
    rfc8628({ ...endpoints, baseUrl: 'https://git.example/api/v3' }),
    rfc8628({ ...endpoints, baseUrl: 'https://git.example/api/v3/' }),
  ])('sends the credential to the address of the provider ($baseUrl)', async (provider) => {
    const { sent, fetch } = recordingFetch()
    await createApi({ auth: personalToken('ghp_1'), provider, fetch })('user')
    expect(sent[0]?.url).toBe('https://git.example/api/v3/user')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer ghp_1')
  })

  test.each(['GET', 'DELETE', 'POST'])(
    'asks for JSON with %s, unless the caller asks for more',
    async (method) => {
      const { sent, fetch } = recordingFetch()
      const api = createApi({ fetch })
      await api('/user', { method })
      await api('/user', { method, headers: { accept: 'application/vnd.github+json' } })
      expect(sent.map(({ headers }) => headers.get('accept'))).toEqual([
        'application/json',
        'application/vnd.github+json',
      ])
    },
  )

  test('gives the whole response where it is asked for it', async () => {
    const { sent, fetch } = recordingFetch(
      Response.json([{ id: 1 }], { status: 201, headers: { link: '</repos?page=2>; rel="next"' } }),
    )
    const response = await createApi({ auth: personalToken('ghp_1'), fetch }).raw<{ id: number }[]>('/repos')
    expect([response.status, response.headers.get('link'), response._data]).toEqual([
      201,
      '</repos?page=2>; rel="next"',
      [{ id: 1 }],
    ])
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer ghp_1')
  })

  test.each(['json', 'raw'])('keeps what the API said about a refusal (%s)', async (kind) => {
    const body = {
      message: 'Validation Failed',
      errors: [{ field: 'title', code: 'missing_field' }],
      documentation_url: 'https://docs.github.com/rest',
    }
    const { fetch } = recordingFetch(
      Response.json(body, {
        status: 422,
        headers: { 'x-request-id': '7', 'content-type': 'application/problem+json' },
      }),
    )
    const api = createApi({ fetch })
    const calling: Promise<unknown> = kind === 'raw' ? api.raw('/repos') : api('/repos')
    const error = await calling.catch((error: ApiError) => error)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toMatchObject({ message: 'the service refused the request with status 422', body })
    expect((error as ApiError).headers.get('x-request-id')).toBe('7')
  })

  test.each([
    [
      'text',
      new Response('no such thing', { status: 404, headers: { 'content-type': 'text/plain' } }),
      'no such thing',
    ],
    ['nothing', new Response(null, { status: 404 }), undefined],
  ])('keeps a body that is %s', async (_, response, body) => {
    const error = await createApi({ fetch: async () => response })<Error>('/x').catch((error) => error)
    expect(error).toMatchObject({ status: 404, error: undefined, body })
  })

  test('keeps the code of an OAuth error', async () => {
    const { fetch } = recordingFetch(Response.json({ error: 'insufficient_scope' }, { status: 403 }))
    await expect(createApi({ fetch })('/x')).rejects.toMatchObject({
      status: 403,
      error: 'insufficient_scope',
    })
  })

  test.each([404, 422, 429, 500, 503])('rejects with the status %d, and repeats nothing', async (status) => {
    const { sent, fetch } = recordingFetch(
      Response.json({ message: 'secret' }, { status, headers: { 'retry-after': '7' } }),
    )
    const error = await createApi({ fetch })<Error>('/user').catch((error: Error) => error)
    expect(error).toMatchObject({ name: 'ApiError', code: 'refused', status, retryAfter: 7 })
    expect(error.message).not.toContain('secret')
    expect(sent).toHaveLength(1)
  })

  test('uses the fetch that the runtime has at the time of the call', async () => {
    const api = createApi()
    vi.stubGlobal('fetch', async (request: Request) => Response.json({ url: request.url }))
    expect(await api('/user')).toEqual({ url: 'https://api.github.com/user' })
    vi.unstubAllGlobals()
  })

  test('rejects where the host cannot be reached, and keeps nothing of the request', async () => {
    const fetch = vi.fn(() =>
      Promise.reject(Object.assign(new TypeError('fetch failed'), { code: 'ENOTFOUND' })),
    )
    const error = await createApi({ auth: personalToken('ghp_secret'), fetch })<Error>('/user').catch(
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'unreachable', reason: 'ENOTFOUND' })
    expect(error.message).toBe('api.github.com cannot be reached: ENOTFOUND')
    expect(fetch).toHaveBeenCalledOnce()
    expect(error).not.toHaveProperty('cause')
  })

  test('rejects with another error where the fetch has a bug', async () => {
    const fetch = () => Promise.reject(new TypeError('ghp_secret.then is not a function'))
    const error = await createApi({ auth: personalToken('ghp_secret'), fetch })<Error>('/user').catch(
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'bad_option', message: 'fetch has a bug: it threw a TypeError' })
    expect(error).not.toHaveProperty('cause')
  })

  test('keeps to the host of the API', async () => {
    const { sent, fetch } = recordingFetch()
    await expect(createApi({ fetch })('https://evil.example/')).rejects.toMatchObject({ code: 'wrong_host' })
    expect(sent).toEqual([])
  })

  test('is not made for a provider without an API, nor for one off https', () => {
    const provider = rfc8628(endpoints)
    expect(() => createApi({ provider })).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(() => createApi({ provider: github({ baseUrl: 'http://api.example' }) })).toThrow(
      expect.objectContaining({ code: 'wrong_host' }),
    )
  })
})
