import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import {
  ApiError,
  type ApiWait,
  type Auth,
  basic,
  type CreateApiOptions,
  createApi,
  github,
  personalToken,
  RefusedError,
  rfc8628,
} from '../../src/auth/index.ts'
import type { WaitReason } from '../../src/auth/rate-limit.ts'
import { Secret } from '../../src/secret.ts'
import { steppingClock } from '../support/app-service.ts'
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

  test('asks for JSON, unless the caller asks for more', async () => {
    const { sent, fetch } = recordingFetch()
    const api = createApi({ fetch })
    await api('/user')
    await api('/user', { headers: { accept: 'application/vnd.github+json' } })
    expect(sent.map(({ headers }) => headers.get('accept'))).toEqual([
      'application/json',
      'application/vnd.github+json',
    ])
  })

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

  test('keeps what the API said about a refusal', async () => {
    const body = { message: 'Validation Failed', errors: [{ field: 'title', code: 'missing_field' }] }
    const { fetch } = recordingFetch(
      Response.json(body, {
        status: 422,
        headers: { 'x-request-id': '7', 'content-type': 'application/problem+json' },
      }),
    )
    const error = await createApi({ fetch })('/repos').catch((error: ApiError) => error)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(RefusedError)
    const message =
      'the service refused the request (GET api.github.com/repos) with status 422: Validation Failed'
    expect(error).toMatchObject({ message, body })
    expect((error as ApiError).headers.get('x-request-id')).toBe('7')
  })

  test.each([
    [
      'a text',
      new Response('no such thing', { status: 404, headers: { 'content-type': 'text/plain' } }),
      { status: 404, error: undefined, body: 'no such thing' },
    ],
    ['that it has no body', new Response(null, { status: 404 }), { body: undefined, requestId: undefined }],
    [
      'the code of an OAuth error',
      Response.json({ error: 'insufficient_scope' }, { status: 403 }),
      { status: 403, error: 'insufficient_scope' },
    ],
    ['its id', Response.json({}, { status: 404, headers: { 'x-request-id': '7' } }), { requestId: '7' }],
    [
      'its id at GitHub',
      Response.json({}, { status: 404, headers: { 'x-request-id': '7', 'x-github-request-id': '8' } }),
      { requestId: '8' },
    ],
    [
      'when to try again',
      Response.json({ message: 'Server\nError' }, { status: 500, headers: { 'retry-after': '7' } }),
      {
        name: 'ApiError',
        code: 'refused',
        retryAfter: 7,
        message: 'the service failed (GET api.github.com/x) with status 500: Server Error',
      },
    ],
  ])('keeps of a refusal %s', async (_, response, expected) => {
    await expect(createApi({ fetch: async () => response })('/x')).rejects.toMatchObject(expected)
  })

  test.each([
    ['PUT', 'applications/Iv1/token?state=s3cret', 'PUT api.github.com/applications/Iv1/token'],
    ['GET', 'hooks/ghp_0123456789abcdefghij/1', 'GET api.github.com/hooks/…/1'],
    ['GET', 'repos/octo/a-name-with-many-letters', 'GET api.github.com/repos/octo/a-name-with-many-letters'],
  ])('names a refused %s of %s', async (method, path, named) => {
    const api = createApi({ fetch: async () => Response.json({ message: 'No' }, { status: 403 }) })
    const message = `the service refused the request (${named}) with status 403: No`
    await expect(api(path, { method })).rejects.toMatchObject({ message })
  })

  test.each([
    ['a token', personalToken('ghp_short')],
    ['a password', basic('octocat', 'ghp_short')],
  ])('repeats no message with %s that the API repeats', async (_, auth) => {
    const refusal = Response.json({ message: 'no ghp_short here' }, { status: 403 })
    const api = createApi({ auth, fetch: async () => refusal })
    const message = expect.stringMatching(/ with status 403: no ‹secret› here$/)
    await expect(api('/x')).rejects.toMatchObject({ message })
  })

  test('rejects where the host cannot be reached, and keeps nothing of the request', async () => {
    const fetch = vi.fn(() =>
      Promise.reject(Object.assign(new TypeError('fetch failed'), { code: 'ENOTFOUND' })),
    )
    const error = await createApi({ auth: personalToken('ghp_secret'), fetch })<Error>('/user').catch(
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'unreachable', reason: 'ENOTFOUND' })
    expect(error.message).toBe('api.github.com cannot be reached (ENOTFOUND, GET /user)')
    expect(fetch).toHaveBeenCalledOnce()
    expect(error).not.toHaveProperty('cause')
  })

  test.each(['HEADERS', 'BODY'])('names the call after the timeout of a client for its %s', async (part) => {
    const cause = Object.assign(new Error('late'), { code: `UND_ERR_${part}_TIMEOUT` })
    const api = createApi({ fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) })
    const message = 'the service did not respond in time (GET api.github.com/user)'
    await expect(api('/user')).rejects.toMatchObject({ code: 'timed_out', message })
  })

  test('is not made for a provider without an API, nor for one off https', () => {
    const provider = rfc8628(endpoints)
    expect(() => createApi({ provider })).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(() => createApi({ provider: github({ baseUrl: 'http://api.example' }) })).toThrow(
      expect.objectContaining({ code: 'wrong_host' }),
    )
  })

  test('waits for no proof when its signal is aborted', async () => {
    const controller = new AbortController()
    const auth: Auth = {
      form: 'proving',
      authorization: () => new Secret('Bearer proven'),
      prove() {
        controller.abort(new Error('the user left'))
        return new Promise(() => {})
      },
    }
    const fetch = async () => Response.json({})
    await expect(createApi({ auth, fetch })('/user', { signal: controller.signal })).rejects.toThrow(
      'the user left',
    )
  })

  test('rejects with the reason of the signal, and when the time is over', async () => {
    const fetch: typeof globalThis.fetch = (input, init) =>
      new Promise((_, reject) => {
        const { signal } = new Request(input, init)
        if (signal.aborted) reject(signal.reason)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const api = createApi({ fetch })
    const controller = new AbortController()
    const calling = api('/user', { signal: controller.signal })
    controller.abort(new Error('the user left'))
    await expect(calling).rejects.toThrow('the user left')
    await expect(api('/user?a=b', { timeout: 1 })).rejects.toMatchObject({
      code: 'timed_out',
      message: 'the service did not respond in time (GET api.github.com/user)',
    })
  })
})

describe('a rate limit', () => {
  const NOW = Date.UTC(2026, 0, 1)
  const ok = () => Response.json({ ok: true })
  const limited = (status: number, headers: Record<string, string> = {}, body = {}) =>
    Response.json(body, { status, headers })

  /** An API with these responses, and what was told. */
  function scripted(responses: Response[], options: Partial<CreateApiOptions> = {}) {
    const clock = steppingClock()
    const { sent, fetch } = recordingFetch(...responses)
    const waits: ApiWait[] = []
    const api = createApi({ fetch, clock, onWait: (wait) => waits.push(wait), ...options })
    return { api, sent, waits, waited: () => (clock.time - NOW) / 1000, clock }
  }

  test.each<[string, Response, WaitReason, number]>([
    ['429 with Retry-After', limited(429, { 'retry-after': '7' }), 'secondary_rate_limit', 7],
    ['403 with Retry-After', limited(403, { 'retry-after': '7' }), 'secondary_rate_limit', 7],
    ['503 with Retry-After', limited(503, { 'retry-after': '7' }), 'unavailable', 7],
    ['429 without a time', limited(429), 'secondary_rate_limit', 60],
    [
      '403 that says so',
      limited(403, {}, { message: 'You have exceeded a secondary rate limit. Please wait.' }),
      'secondary_rate_limit',
      60,
    ],
    [
      '403 after the last call of the hour',
      limited(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW / 1000 + 20}` }),
      'rate_limit',
      20,
    ],
    [
      '429 after the last call, by the clock of the API',
      limited(429, {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': `${Date.UTC(2031, 0, 1) / 1000 + 20}`,
        date: 'Wed, 01 Jan 2031 00:00:00 GMT',
      }),
      'rate_limit',
      20,
    ],
    [
      'a limit that was reset meanwhile',
      limited(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW / 1000 - 20}` }),
      'rate_limit',
      0,
    ],
  ])('%s is waited for', async (_, response, reason, seconds) => {
    const { api, sent, waits, waited } = scripted([response, ok()])
    expect(await api('/user', { query: { page: 2 } })).toEqual({ ok: true })
    expect(sent.map(({ url }) => url)).toEqual(Array(2).fill('https://api.github.com/user?page=2'))
    expect(waited()).toBe(seconds)
    expect(waits).toEqual([{ reason, until: NOW + seconds * 1000, method: 'GET', path: '/user' }])
  })

  test.each<[string, Response]>([
    ['a missing permission', limited(403, {}, { message: 'Resource not accessible' })],
    ['a body whose message is not text', limited(403, {}, { message: { toString: null } })],
    ['a missing permission, with calls left', limited(403, { 'x-ratelimit-remaining': '5' })],
    ['an exhausted limit without an end', limited(403, { 'x-ratelimit-remaining': '0' })],
    ['503 without a time', limited(503)],
    ['500 with a time', limited(500, { 'retry-after': '7' })],
    ['404 with a time', limited(404, { 'retry-after': '7' })],
  ])('%s is none', async (_, response) => {
    const { api, sent } = scripted([response, ok()])
    await expect(api('/user')).rejects.toMatchObject({ name: 'ApiError', status: response.status })
    expect(sent).toHaveLength(1)
  })

  test.each(['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'delete'])('is waited for with %s', async (method) => {
    const { api, sent } = scripted([limited(429, { 'retry-after': '7' }), ok()])
    await api('/user', { method, ...(method === 'PUT' && { body: { a: 1 } }) })
    expect(sent).toHaveLength(2)
    if (method === 'PUT') expect(await sent[1]?.json()).toEqual({ a: 1 })
  })

  test('is an error at once for what must not or cannot be sent again', async () => {
    const body = new Blob(['x']).stream()
    for (const request of [
      { method: 'POST' },
      { method: 'PATCH' },
      { method: 'PUT', body, duplex: 'half' },
      { method: 'PUT', body: Readable.from(['x']) as unknown as ReadableStream, duplex: 'half' },
    ]) {
      const { api, sent } = scripted([limited(429, { 'retry-after': '7' }), ok()])
      await expect(api('/user', request)).rejects.toMatchObject({ status: 429, retryAfter: 7 })
      expect(sent).toHaveLength(1)
    }
  })

  test('longer than the bound is an error at once that tells how long', async () => {
    const reset = `${NOW / 1000 + 1800}`
    const exhausted = limited(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
    const { api, sent, waits } = scripted([exhausted, ok()])
    await expect(api('/user')).rejects.toMatchObject({ status: 403, retryAfter: 1800 })
    expect([sent.length, waits]).toEqual([1, []])
    const patient = scripted([exhausted, ok()], { maxWait: 1800 })
    expect(await patient.api('/user')).toEqual({ ok: true })
  })

  test('again and again is an error after three retries, or when all waits together reach the bound', async () => {
    const often = scripted([limited(429, { 'retry-after': '1' })])
    await expect(often.api('/user')).rejects.toMatchObject({ status: 429 })
    expect([often.sent.length, often.waited()]).toEqual([4, 3])
    const long = scripted([limited(429, { 'retry-after': '25' })])
    await expect(long.api('/user')).rejects.toMatchObject({ status: 429 })
    expect([long.sent.length, long.waited()]).toEqual([3, 50])
  })

  test('without a time is waited for longer each time', async () => {
    const { api, waited } = scripted([limited(429), limited(429), ok()], { maxWait: 180 })
    await api('/user')
    expect(waited()).toBe(180)
  })

  test('ends the wait with the signal, and sends nothing more', async () => {
    const controller = new AbortController()
    const { api, sent } = scripted([limited(429, { 'retry-after': '7' }), ok()], {
      onWait: () => controller.abort(new Error('the user left')),
    })
    await expect(api('/user', { signal: controller.signal })).rejects.toThrow('the user left')
    expect(sent).toHaveLength(1)
  })

  test('a listener that throws does not matter', async () => {
    const { api } = scripted([limited(429, { 'retry-after': '7' }), ok()], {
      onWait: () => {
        throw new Error('broken')
      },
    })
    expect(await api('/user')).toEqual({ ok: true })
  })
})

describe('pages', () => {
  const page = (items: unknown, link?: string) =>
    Response.json(items, link === undefined ? {} : { headers: { link } })

  async function all(responses: Response[], request = {}) {
    const { sent, fetch } = recordingFetch(...responses)
    const api = createApi({ fetch, auth: personalToken('ghp_1') })
    const items: unknown[] = []
    for await (const item of api.paginate('/user/repos', request)) items.push(item)
    return { items, urls: sent.map(({ url }) => url), sent }
  }

  test('are followed to the last, with the query of the link and the headers of the caller', async () => {
    const { items, urls, sent } = await all(
      [
        page(
          [1, 2],
          '<https://api.github.com/user/repos?per_page=2&page=2>; rel="next", <https://x/>; rel="last"',
        ),
        page([3, 4], '<https://api.github.com/user/repos?per_page=2&page=3>; rel="next"'),
        page([5], '<https://api.github.com/user/repos?per_page=2&page=1>; rel="first"'),
      ],
      { query: { per_page: 2, page: 1 }, headers: { 'x-own': 'kept' } },
    )
    expect(items).toEqual([1, 2, 3, 4, 5])
    expect(urls).toEqual([
      'https://api.github.com/user/repos?per_page=2&page=1',
      'https://api.github.com/user/repos?per_page=2&page=2',
      'https://api.github.com/user/repos?per_page=2&page=3',
    ])
    for (const { headers } of sent)
      expect([headers.get('x-own'), headers.get('authorization')]).toEqual(['kept', 'Bearer ghp_1'])
  })

  test.each([
    ['</user/repos?page=2>; rel="next"', 'https://api.github.com/user/repos?page=2'],
    ['<?page=2>; rel=next', 'https://api.github.com/user/repos?page=2'],
    ['<repos?page=2>;title="a";REL="last Next"', 'https://api.github.com/user/repos?page=2'],
    ['<https://api.github.com/a,b;c>; rel="next"', 'https://api.github.com/a,b;c'],
  ])('are found in the header %j', async (link, url) => {
    expect((await all([page([1], link), page([2])])).urls[1]).toBe(url)
  })

  test.each([
    '',
    '<https://api.github.com/x>; rel="nextish"',
    'next',
    '<x',
    '; rel="next"',
    '<a>; rev="next"',
  ])('end with the header %j', async (link) => {
    expect((await all([page([1], link), page([2])])).items).toEqual([1])
  })

  test('are requested only when they are read', async () => {
    const { sent, fetch } = recordingFetch(page([1, 2], '<?page=2>; rel="next"'))
    const api = createApi({ fetch })
    for await (const item of api.paginate('/user/repos')) if (item === 2) break
    expect(sent).toHaveLength(1)
    api.paginate('/user/repos')
    expect(sent).toHaveLength(1)
  })

  test('hold the only list of an object, or nothing', async () => {
    expect((await all([page({ total_count: 2, repositories: [1, 2] })])).items).toEqual([1, 2])
    expect((await all([new Response(null, { status: 204 })])).items).toEqual([])
  })

  test.each([{ a: [1], b: [2] }, { a: 1 }, 'text', null])('are not made of %j', async (body) => {
    const message = expect.stringContaining('GET api.github.com/user/repos')
    await expect(all([page(body)])).rejects.toMatchObject({ code: 'bad_response', message })
  })

  test('are not made of a text of any length', async () => {
    const text = new Response('x'.repeat(31_000_000), { headers: { 'content-type': 'application/json' } })
    const message = 'the response (GET api.github.com/user/repos) is not a JSON array or object'
    await expect(all([text])).rejects.toMatchObject({ code: 'bad_response', message })
  })

  test.each([
    ['the page itself', ['/user/repos'], [1]],
    ['an earlier one', ['?page=2', '?page=3', '?page=2'], [1, 1, 1]],
    ['what is no URL', ['http://['], [1]],
  ])('do not lead to %s', async (_, links, read) => {
    const { sent, fetch } = recordingFetch(...links.map((link) => page([1], `<${link}>; rel="next"`)))
    const items: unknown[] = []
    const reading = async () => {
      for await (const item of createApi({ fetch }).paginate('/user/repos')) items.push(item)
    }
    const message = expect.stringContaining(' (GET api.github.com/user/repos)')
    await expect(reading()).rejects.toMatchObject({ code: 'bad_response', message })
    expect([items, sent.length]).toEqual([read, links.length])
  })

  test('do not lead to another origin', async () => {
    const { sent, fetch } = recordingFetch(page([1], '<https://evil.example/>; rel="next"'))
    const pages = createApi({ fetch, auth: personalToken('ghp_1') }).paginate('/user/repos')
    expect((await pages.next()).value).toBe(1)
    await expect(pages.next()).rejects.toMatchObject({ code: 'wrong_host' })
    expect(sent).toHaveLength(1)
  })
})
