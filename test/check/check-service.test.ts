import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { OF_MISUSE } from '../../src/check/check-misuse.ts'
import { OF_REFRESH } from '../../src/check/check-refresh.ts'
import { OF_REVOCATION } from '../../src/check/check-revocation.ts'
import { toJUnit } from '../../src/check/junit.ts'
import { REQUIREMENTS, type RequirementId } from '../../src/check/requirements.ts'
import { createWire } from '../../src/check/wire.ts'
import {
  type CheckOptions,
  type CheckResult,
  checkService,
  createSandbox,
  type SandboxOptions,
} from '../../src/testing/index.ts'
import { check } from './support/check.ts'
import { SPOILERS, type Spoiler } from './support/spoiled-services.ts'

describe('our service', () => {
  test.each([
    ['github', []],
    ['rfc8628', ['device-code-form', 'user-code-form', 'slow-down-interval']],
  ] as const)('meets every requirement (dialect %s)', async (dialect, inapplicable) => {
    const { report, failed, advised, skipped } = await check({ dialect })
    expect([...failed, ...advised]).toEqual([])
    expect(skipped).toEqual(inapplicable)
    expect(report).toMatchObject({ dialect: dialect, requests: 59 })
    expect(report.results).toHaveLength(Object.keys(REQUIREMENTS).length)
    const { requests, passed, notApplicable } = report
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/interop.md'), 'utf8').replaceAll(
      / +/g,
      ' ',
    )
    expect(page).toContain(
      `| our service, dialect \`${dialect}\` | ${requests} | ${passed} | 0 | 0 | ${notApplicable}`,
    )
  })

  test.each([
    ['counts the first poll from the issue', { firstPoll: 'counted' }],
    ['has no leeway', { leeway: 0 }],
    ['polls slowly', { interval: 30 }],
    ['has codes of half a minute', { expiresIn: 30 }],
  ] as const)('meets every requirement if it %s', async (_, service) => {
    const { failed, skipped } = await check({}, { service, options: { waitExpiry: false } })
    expect(failed).toEqual([])
    expect(skipped).toEqual('expiresIn' in service ? [] : ['expired'])
  })

  test('meets every requirement if it limits the rate of requests, though not of polls', async () => {
    let seen = 0
    let limits = false
    const { failed, advised, skipped } = await check({
      before(request) {
        const { fields, method } = request
        seen += 1
        limits = method === 'POST' && seen % 3 === 0 && !fields.has('device_code')
        // Refused before anything else is read.
        if (limits) for (const name of [...fields.keys()]) fields.delete(name)
      },
      after(response) {
        if (!limits) return
        Object.assign(response, { status: 429, body: { message: 'too many requests' } })
        response.headers.set('retry-after', '7')
      },
    })
    expect({ failed, advised, skipped }).toEqual({ failed: [], advised: [], skipped: [] })
  })

  test('is polled early only once, on purpose', async () => {
    const { sandbox } = await check()
    const slowDowns = sandbox.requests.filter(({ outcome }) => outcome === 'slow_down')
    expect(slowDowns).toHaveLength(1)
  })
})

/** Requirements that no specification contains. */
const ADVICE = new Set<RequirementId>([
  'codes-no-store',
  'user-code-entropy',
  'complete-address',
  'early-decision',
  'token-lifetime',
  'redirects',
  'page-frames',
  'page-no-store',
  'query',
  'device-code-private',
  'revoked-with-refresh-token',
  'codes-short',
  'token-short',
  'page-referrer',
  'page-cors',
  'token-in-url',
])

describe('a service', () => {
  test.each(Object.keys(REQUIREMENTS) as RequirementId[])(
    'that breaks the requirement %s fails only that one, or gets advice if no specification requires it',
    async (id) => {
      const { report, failed, advised } = await check(SPOILERS[id](), {
        options: id === 'poll-status' ? { dialect: 'github' } : {},
      })
      expect({ failed, advised }).toEqual(
        ADVICE.has(id) ? { failed: [], advised: [id] } : { failed: [id], advised: [] },
      )
      const result = report.results.find((result) => result.id === id)
      expect(result?.exchange?.request).toMatch(/^(GET|HEAD|POST) http:\/\/localhost\//)
      expect(result?.exchange?.response).toMatch(/^\d{3}\n/)
      expect(result?.detail).toMatch(/\w/)
    },
  )

  test('gets advice on the headers of its page, not on those of another response with HTML', async () => {
    const { advised } = await check({
      after: ({ headers }, { method, path }) => {
        if (method !== 'GET' || path === '/login/device') return
        headers.set('content-type', 'text/html')
        headers.set('access-control-allow-origin', '*')
      },
    })
    expect(advised).toEqual([])
  })

  test('does not need metadata', async () => {
    const { failed, skipped } = await check({
      after: (response, { path }) => {
        if (path.startsWith('/.well-known/')) response.status = 404
      },
    })
    expect(failed).toEqual([])
    expect(skipped).toEqual(['metadata', ...OF_REVOCATION, 'token-in-url'])
  })

  test('whose revocation endpoint is on another origin gets no tokens there, unless the provider names it', async () => {
    const at = 'http://127.0.0.1:9/revoke'
    const spoiler: Spoiler = {
      after: (response, { path }) => {
        if (path.startsWith('/.well-known/')) response.body.revocation_endpoint = at
        if (path === '/revoke') Object.assign(response, { status: 200, body: {} })
      },
    }
    const { sandbox, skipped } = await check(spoiler)
    expect(skipped).toEqual([...OF_REVOCATION, 'token-in-url'])
    const { provider } = sandbox.client
    const named = await check(spoiler, { options: { provider: { ...provider, revocationEndpoint: at } } })
    expect(named.failed).toEqual(expect.arrayContaining(['foreign-revocation', 'revoked-refresh-token']))
    expect(named.sandbox.requests.some(({ path }) => path === '/revoke')).toBe(true)
  })

  test('without refresh tokens is checked for the revocation of access tokens', async () => {
    const service = { refreshTokens: undefined } as unknown as SandboxOptions
    const { failed, skipped } = await check({}, { service })
    expect(failed).toEqual([])
    expect(skipped).toEqual([
      ...OF_REFRESH,
      ...OF_MISUSE.slice(2),
      'revoked-refresh-token',
      'revoked-with-refresh-token',
    ])
    const spoiled = await check(SPOILERS['revoked-access-token'](), { service })
    expect(spoiled.failed).toEqual(['revoked-access-token'])
  })

  test.each([
    ['was not given', undefined],
    ['refuses a valid token', 'http://localhost/app'],
  ])('is not judged by a resource that %s', async (_, resource) => {
    const { failed, skipped } = await check({}, { options: { resource } as Partial<CheckOptions> })
    expect(failed).toEqual([])
    expect(skipped).toEqual(['revoked-access-token', 'revoked-with-refresh-token', 'token-in-url'])
  })

  test.each([
    ['has the requested scope', (body: object) => Object.assign(body, { scope: 'repo authgraph_check' })],
    ['does not say that it has fewer scopes', (body: object) => Object.assign(body, { scope: undefined })],
  ])('fails if a refreshed token %s', async (_, change) => {
    const spoiler = SPOILERS['refresh-scope']()
    const { failed } = await check({
      before: (request) => spoiler.before?.(request),
      after: (response, request) => {
        spoiler.after?.(response, request)
        if (response.body?.scope?.includes('authgraph_check')) change(response.body)
      },
    })
    expect(failed).toEqual(['refresh-scope'])
  })

  test('may refresh with fewer scopes than requested', async () => {
    const spoiler = SPOILERS['refresh-scope']()
    const { failed, advised } = await check({ before: (request) => spoiler.before?.(request) })
    expect([...failed, ...advised]).toEqual([])
  })

  test('without a user is not checked for what needs a user', async () => {
    const { failed, skipped } = await check(
      {},
      { options: { approve: undefined, deny: undefined } as unknown as CheckOptions },
    )
    expect(failed).toEqual([])
    expect(skipped).toEqual([
      'approved',
      'early-decision',
      'token-type',
      'token-scope',
      'token-no-store',
      ...OF_REFRESH,
      'token-once',
      'denied',
      ...OF_MISUSE,
      'token-entropy',
      'token-lifetime',
      ...OF_REVOCATION.slice(2),
      'token-short',
      'token-in-url',
    ])
  })

  test('does not fail if the user does not decide: the rest is not applicable, with the reason', async () => {
    const stay = () => Promise.reject(new Error('the door is shut'))
    const { report, failed, skipped } = await check({}, { options: { approve: stay, deny: stay } })
    expect(failed).toEqual([])
    expect(skipped).toHaveLength(26)
    for (const id of ['approved', 'denied', 'revoked'])
      expect(report.results.find((result) => result.id === id)?.detail).toContain('the door is shut')
  })

  test('does not fail for an unknown second client', async () => {
    const { report, failed, skipped } = await check({}, { options: { otherClientId: 'nobody' } })
    expect(failed).toEqual([])
    expect(skipped).toEqual(['foreign-device-code'])
    const detail = report.results.find(({ id }) => id === 'foreign-device-code')?.detail
    expect(detail).toBe('the second client gets no codes: incorrect_client_credentials')
  })

  test('that gives the token of an approved code to any client fails without a second client', async () => {
    const { failed, skipped } = await check(SPOILERS['foreign-approved-code'](), {
      options: { otherClientId: undefined } as unknown as CheckOptions,
    })
    expect(failed).toEqual(['foreign-approved-code'])
    expect(skipped).toEqual(['foreign-device-code'])
  })

  test('that never sends slow_down fails the github dialect, and gets advice under RFC 8628', async () => {
    const spoiler = SPOILERS['slow-down']()
    expect(await check({ ...spoiler, dialect: 'github' })).toMatchObject({
      failed: ['slow-down'],
      advised: [],
    })
    expect(await check({ ...spoiler, dialect: 'rfc8628' })).toMatchObject({
      failed: [],
      advised: ['slow-down'],
    })
  })

  test.each([
    { name: 'refuses both', problem: (scope: string | null) => !scope, failed: [] },
    {
      name: 'refuses the absent one',
      problem: (scope: string | null) => scope === null,
      failed: ['empty-scope'],
    },
  ])('may treat an empty scope only like an absent one: $name', async ({ problem, failed }) => {
    const refuses: Spoiler = {
      after: (response, { path, fields }) => {
        if (path.endsWith('/device/code') && fields.has('client_id') && problem(fields.get('scope')))
          Object.assign(response, { status: 400, body: { error: 'invalid_scope' } })
      },
    }
    // The check needs a scope of its own to compare with.
    expect(await check(refuses)).toMatchObject({ failed, advised: [] })
  })

  test.each(['%', '%E0%A4%A', '%zz?user_code=%41'])(
    'is checked to the end when its complete URL has a malformed escape: %s',
    async (rest) => {
      const { report, failed, advised } = await check({
        after: ({ body }) => {
          if (body?.device_code) body.verification_uri_complete = `http://localhost/${rest}`
        },
      })
      expect({ failed, advised }).toEqual({ failed: [], advised: ['complete-address'] })
      expect(report.results.find(({ id }) => id === 'metadata')?.outcome).toBe('passed')
    },
  )

  test('may return fractions of a second, with advice against it', async () => {
    const { failed, advised } = await check({
      after: ({ body }) => body?.device_code && Object.assign(body, { expires_in: 900.5 }),
    })
    expect({ failed, advised }).toEqual({ failed: [], advised: ['codes-lifetime'] })
  })

  test('gets page requests only at its own origin or an allowed one', async () => {
    const requestedWith = async (options: Partial<CheckOptions>) => {
      const requested: string[] = []
      const sandbox = createSandbox()
      const { results } = await sandbox.run(
        checkService({
          ...sandbox.client,
          ...options,
          fetch: async (input, init) => {
            requested.push(String(input))
            const response = await sandbox.fetch(input, init)
            const text = await response.text()
            return new Response(
              text.replaceAll('http://localhost/login/device', 'http://127.0.0.1:9/'),
              response,
            )
          },
        }),
      )
      const page = results.find(({ id }) => id === 'page')
      return { isRequested: requested.includes('http://127.0.0.1:9/'), page: page?.outcome }
    }
    expect(await requestedWith({ remote: true })).toEqual({ isRequested: false, page: 'not applicable' })
    expect(await requestedWith({ pageOrigin: 'http://127.0.0.1:9' })).toMatchObject({ isRequested: true })
  })

  test('that is unreachable has no codes', async () => {
    const { report } = await check(
      {},
      {
        options: {
          fetch: () => Promise.reject(Object.assign(new TypeError(), { cause: { code: 'ECONNREFUSED' } })),
        },
      },
    )
    expect(report).toMatchObject({ failed: 1, passed: 0, requests: 2 })
    expect(report.results[0]).toMatchObject({ id: 'codes', outcome: 'failed', detail: 'no response' })
  })

  test('that hangs times out after ten seconds per request', async () => {
    const sandbox = createSandbox()
    sandbox.inject('hang', { times: 2 })
    const report = await sandbox.run(checkService(sandbox.client))
    expect(report.failed).toBe(1)
    expect(report.results[0]?.exchange?.response).toBe('the service did not respond in time')
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBe(20_000)
  })

  test('that never responds to a poll is reported as having no response, not a status', async () => {
    const sandbox = createSandbox()
    sandbox.inject('drop', { on: 'poll', times: Number.POSITIVE_INFINITY })
    const { results } = await sandbox.run(
      checkService({ ...sandbox.client, approve: () => sandbox.approve() }),
    )
    for (const name of ['pending', 'approved'])
      expect(results.find(({ id }) => id === name)).toMatchObject({
        detail: expect.stringContaining('no response'),
      })
  })

  test('without codes has one result to show, and all of them in the report', async () => {
    const sandbox = createSandbox()
    sandbox.inject('html', { times: 2 })
    const told: string[] = []
    const onResult = ({ id }: CheckResult) => told.push(id)
    const { results } = await sandbox.run(checkService({ ...sandbox.client, onResult }))
    expect(told).toEqual(['codes'])
    expect(results).toHaveLength(Object.keys(REQUIREMENTS).length)
  })

  test.each([100_000, 3_000_000])(
    'whose codes expire before the first poll fails (%s seconds)',
    async (interval) => {
      const { report, sandbox, failed } = await check(
        { after: ({ body }) => body?.device_code && Object.assign(body, { interval }) },
        { options: { waitExpiry: false } },
      )
      expect(failed).toEqual(['pending'])
      expect(report.results.find(({ id }) => id === 'pending')?.exchange?.response).toContain(`${interval}`)
      expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
    },
  )

  test('that requires a wait longer than the lifetime is not waited for', async () => {
    const { failed, skipped, sandbox } = await check(
      { after: ({ body }) => body?.error === 'slow_down' && Object.assign(body, { interval: 100_000 }) },
      { options: { waitExpiry: false } },
    )
    expect(failed).toEqual([])
    expect(skipped).toEqual(['recovery', 'expired'])
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
  })

  test('whose early poll delays the decision beyond the lifetime is not waited for', async () => {
    const { failed, advised, sandbox } = await check(
      {
        after: (response) => {
          if (response.body?.access_token || response.body?.error === 'access_denied')
            response.body = { error: 'slow_down', interval: 100_000 }
        },
      },
      { options: { waitExpiry: false } },
    )
    expect(failed).toEqual(['approved', 'denied'])
    expect(advised).toEqual(['early-decision'])
    expect(sandbox.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(900_000)
  })

  test('with a lifetime longer than the longest timer is waited for', async () => {
    const longest = 2 ** 31 - 1
    const { clock, ...sandbox } = createSandbox({ expiresIn: 4_000_000 })
    // Like real timers: a longer one fires at once.
    const setTimeout = (callback: () => void, delay: number) =>
      clock.setTimeout(callback, delay > longest ? 1 : delay)
    const checked = checkService({ ...sandbox.client, clock: { ...clock, setTimeout }, waitExpiry: true })
    await sandbox.advance(5_000_000)
    expect((await checked).results.find(({ id }) => id === 'expired')?.outcome).not.toBe('not applicable')
    const last = sandbox.requests.findLast(({ path }) => path.endsWith('/access_token'))
    expect(last?.at).toBeGreaterThan(Date.UTC(2026, 0, 1) + 4_000_000_000)
  })

  test('on another machine gets no requests without consent', async () => {
    const provider = {
      deviceAuthorizationEndpoint: 'https://a.example/c',
      tokenEndpoint: 'https://a.example/t',
    }
    const fetch = () => Promise.reject(new TypeError())
    const options = { clientId: 'id', provider, fetch }
    await expect(checkService(options)).rejects.toMatchObject({ code: 'bad_option' })
    const local = { deviceAuthorizationEndpoint: 'http://localhost/c', tokenEndpoint: 'http://localhost/t' }
    for (const address of ['https://a.example', 'a.example'])
      for (const name of ['issuer', 'pageOrigin'])
        await expect(checkService({ ...options, provider: local, [name]: address })).rejects.toMatchObject({
          code: 'bad_option',
          message: expect.stringContaining(name),
        })
    expect(await checkService({ ...options, remote: true })).toMatchObject({ requests: 2 })
    const plain = { ...provider, tokenEndpoint: 'http://a.example/t' }
    const report = await checkService({ ...options, provider: plain, remote: true })
    expect(report).toMatchObject({ requests: 0, failed: 1 })
    expect(report.results[0]).toMatchObject({ id: 'secure', outcome: 'failed' })
  })

  test('can be aborted at once during a wait', async () => {
    const sandbox = createSandbox()
    const controller = new AbortController()
    const left = expect(checkService({ ...sandbox.client, signal: controller.signal })).rejects.toThrow(
      'enough',
    )
    await sandbox.advance(1)
    controller.abort(new Error('enough'))
    await left
    expect(sandbox.requests.map(({ outcome }) => outcome)).not.toContain('authorization_pending')
  })

  test('whose user takes longer than an interval is not judged by an early poll', async () => {
    const sandbox = createSandbox()
    const approve = async ({ userCode }: { readonly userCode: string }) => {
      await new Promise<void>((resolve) => sandbox.clock.setTimeout(resolve, 6000))
      await sandbox.approve(userCode)
    }
    const { results } = await sandbox.run(checkService({ ...sandbox.client, approve }))
    expect(results.find(({ id }) => id === 'early-decision')?.outcome).toBe('not applicable')
    expect(results.find(({ id }) => id === 'approved')?.outcome).toBe('passed')
  })
})

test.each([
  ['is repeated after a minute', { 'retry-after': '60' }, [], 2],
  ['is not repeated after more than a minute', { 'retry-after': '61' }, [], 1],
  ['is not repeated if the service names no time', {}, [], 1],
  ['is not repeated if it is a poll', { 'retry-after': '7' }, [['device_code', 'code'] as const], 1],
])('a request that is refused for its rate %s', async (_, headers, fields, times) => {
  const sandbox = createSandbox()
  const asked: number[] = []
  const wire = createWire({
    clock: sandbox.clock,
    signal: undefined,
    fetch: async () => {
      asked.push(sandbox.clock.now())
      return new Response(null, { status: asked.length === 1 ? 429 : 200, headers })
    },
  })
  const { status } = await sandbox.run(wire.send({ method: 'POST', url: 'http://localhost/', fields }))
  expect(status).toBe(times === 1 ? 429 : 200)
  expect(asked).toHaveLength(times)
  expect((asked.at(-1) ?? 0) - (asked[0] ?? 0)).toBe(times === 1 ? 0 : 60_000)
})

test('a check sends at most a hundred requests, follows no redirect, and redacts secrets by name and by value', async () => {
  const asked: (RequestInit | undefined)[] = []
  const clock = createSandbox().clock
  const wire = createWire({
    clock,
    signal: undefined,
    fetch: async (_, init) => {
      asked.push(init)
      return new Response('device_code=short&error=who+is+a-client-of-mine', { status: 400 })
    },
  })
  wire.hide('client_id', 'a-client-of-mine')
  const send = () => wire.send({ method: 'POST', url: 'http://localhost/', fields: [] })
  const { response } = wire.show(await send())
  expect(response).toContain('device_code=[device_code]&error=who+is+[client_id]')
  for (let sent = 1; sent < 100; sent += 1) await send()
  await expect(send()).rejects.toThrow('more requests than it may')
  expect(asked).toHaveLength(100)
  expect(asked.every((init) => init?.redirect === 'manual')).toBe(true)
})

test('a response of one long word without a digit is scanned only once', async () => {
  const text = 'a'.repeat(60_000)
  const wire = createWire({
    clock: createSandbox().clock,
    signal: undefined,
    fetch: async () => new Response(text, { status: 400 }),
  })
  const response = await wire.send({ method: 'GET', url: 'http://localhost/' })
  const before = process.cpuUsage()
  expect(wire.show(response).response).toContain('aaaa')
  // A scan from each of its letters would take seconds of work.
  expect(process.cpuUsage(before).user).toBeLessThan(500_000)
})

test('at most 64 KiB of a response are read', async () => {
  let pulled = 0
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(16 * 1024).fill(97))
      },
    })
  const wire = createWire({
    clock: createSandbox().clock,
    signal: undefined,
    fetch: async () => new Response(endless(), { status: 400 }),
  })
  const response = await wire.send({ method: 'GET', url: 'http://localhost/' })
  expect(wire.show(response).response).toContain('larger than 65536 bytes')
  expect(pulled).toBeLessThanOrEqual(6)
})

test('the JUnit report lists what failed and what does not apply', () => {
  const named = { id: 'codes', requirement: 'a & b', source: 'RFC' } as const
  const xml = toJUnit(
    {
      results: [
        { ...named, outcome: 'passed' },
        {
          ...named,
          outcome: 'advised',
          detail: 'it is <i>',
          exchange: { request: 'GET /', response: '<p>' },
        },
        {
          ...named,
          outcome: 'failed',
          detail: 'it is "<b>"',
          exchange: { request: 'GET /?a&b', response: '<p>' },
        },
        { ...named, outcome: 'not applicable', detail: "nobody's" },
      ],
      ...{ passed: 1, failed: 1, advised: 1, notApplicable: 1, dialect: undefined, requests: 1 },
    },
    'http://localhost/?a&b',
  )
  expect(xml).toContain(
    '<testsuite name="http://localhost/?a&amp;b" tests="4" failures="1" errors="0" skipped="1">',
  )
  expect(xml).toContain(
    '"><system-out>advised: it is &lt;i&gt;\n\nGET /\n\n&lt;p&gt;</system-out></testcase>',
  )
  expect(xml).toContain('name="a &amp; b (RFC)"></testcase>')
  expect(xml).toContain('<failure message="it is &quot;&lt;b&gt;&quot;">GET /?a&amp;b\n\n&lt;p&gt;</failure>')
  expect(xml).toContain('<skipped message="nobody&#39;s"/>')
})

/** Sends the secrets in fields with other names. */
function codesOrToken(
  tell: (body: { readonly device_code?: string; readonly access_token?: string }) => unknown,
): Spoiler {
  return {
    after: (response) => {
      if (response.body?.device_code ?? response.body?.access_token) response.body = tell(response.body)
    },
  }
}

test('a report contains no secret, even if everything fails', async () => {
  const reports = await Promise.all([
    check({ after: ({ headers }) => headers.set('content-type', 'text/plain') }),
    check({ after: (response) => Object.assign(response, { status: response.status === 200 ? 201 : 200 }) }),
    check({
      after: (response) => {
        if (response.body?.device_code) response.body.verification_uri = ''
        response.headers.delete('cache-control')
      },
    }),
    check({
      after: (response) => Object.assign(response, { body: `\u001b[2J${JSON.stringify(response.body)}` }),
    }),
    check({
      after: (response) => {
        if (response.body?.access_token) response.body.refresh_token = 'a-refresh-token'
        if (response.body?.access_token) response.body.token_type = 'mac'
      },
    }),
    check(
      codesOrToken(({ device_code, access_token }) => ({
        deviceCode: device_code,
        accessToken: access_token,
      })),
    ),
    check(codesOrToken((body) => ({ data: JSON.stringify(body) }))),
    check(codesOrToken(({ device_code, access_token }) => `<code>${device_code ?? access_token}</code>`)),
    check({
      after: ({ body }) => {
        if (body?.device_code) body.verification_uri = `http://localhost/nowhere?for=${body.device_code}`
      },
    }),
  ])
  for (const { report, secrets } of reports) {
    expect(report.failed).toBeGreaterThan(0)
    const printed = inspect(report, { depth: 9, maxStringLength: null }) + JSON.stringify(report)
    for (const secret of [...secrets, 'a-refresh-token', '\u001b']) expect(printed).not.toContain(secret)
  }
})
