import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { REQUIREMENTS, type RequirementId, requirementsFrom } from '../../src/check/requirements.ts'
import {
  type CheckOptions,
  type CheckResult,
  checkService,
  createSandbox,
  type Fault as SandboxFault,
} from '../../src/testing/index.ts'
import { ecKey } from '../support/ec-key.ts'
import { check, type Special } from './support/check.ts'
import {
  atCodes,
  atMetadata,
  atPage,
  atPoll,
  both,
  CLIENT_ID,
  change,
  codes,
  error,
  FAULTS,
  type Fault,
  MORE_FAULTS,
  members,
  refreshed,
  respond,
  status,
  token,
  VARIANTS,
} from './support/faults.ts'

const OF_MISUSE = requirementsFrom('poll-method')
const OF_REFRESH = requirementsFrom('refreshed')
const OF_REVOCATION = requirementsFrom('revocation-unknown')

/** What a service has only with keys, with APIs that may ask about tokens, or with DPoP. */
const OF_FEATURES = [
  ...requirementsFrom('jwks'),
  ...requirementsFrom('introspection-anonymous'),
  ...requirementsFrom('dpop-algorithms'),
]
const OF_DPOP = requirementsFrom('dpop-algorithms')

/** A service that signs its tokens, and lets an API ask about them. */
const SIGNS = {
  keys: [await ecKey('key')],
  resources: [{ uri: 'https://api.example', name: 'API', secret: 'of the API' }],
}

/** The start of virtual time. */
const BEGIN = Date.UTC(2026, 0, 1)

const page = readFileSync(resolve(import.meta.dirname, '../../docs/interop.md'), 'utf8').replaceAll(
  /\s+/g,
  ' ',
)

const withCodes = (to: object) => members((_, { body }) => body?.device_code, to)
const withDecision = (_: unknown, { body }: { readonly body: Record<string, unknown> | undefined }) =>
  body?.access_token ?? body?.error === 'access_denied'
const noMetadata = status(atMetadata, 404)

/** Refuses every third request for its rate, before anything else is read. */
function limitsRate(): Fault {
  let seen = 0
  let limits = false
  return {
    before: ({ fields, method }) => {
      seen += 1
      limits = method === 'POST' && seen % 3 === 0 && !fields.has('device_code')
      if (limits) for (const name of [...fields.keys()]) fields.delete(name)
    },
    after: (response) => {
      if (!limits) return
      Object.assign(response, { status: 429, body: { message: 'too many requests' } })
      response.headers.set('retry-after', '7')
    },
  }
}

/** The requirements about the tokens of a login. */
const OF_TOKENS = [
  'token-type',
  'token-scope',
  'token-no-store',
  ...OF_REFRESH,
  'token-once',
  ...OF_MISUSE,
  'token-entropy',
  'token-lifetime',
  ...OF_REVOCATION.slice(2),
  'token-short',
  'token-in-url',
]

/** The requirements about refresh tokens. */
const OF_REFRESH_TOKENS = [
  ...OF_REFRESH,
  ...OF_MISUSE.slice(2),
  'revoked-refresh-token',
  'revoked-with-refresh-token',
]

const oneFault = (fault: Fault) => ({ fault, options: { waitExpiry: false } })

/** What is special about a service, and the requirements with each outcome. */
type Case = readonly [
  special: Special & { readonly fault?: Fault },
  expected: { readonly [Outcome in 'failed' | 'advised' | 'skipped' | 'unchecked']?: readonly string[] },
]

/** A case for each of these values. */
const each = <Value>(values: readonly Value[], of: (value: Value) => readonly [what: string, ...Case]) =>
  Object.fromEntries(values.map(of).map(([what, ...found]): [string, Case] => [what, found]))

/** What else the results depend on. */
const CASES: Readonly<Record<string, Case>> = {
  'counts the first poll from the issue': [
    { service: { firstPoll: 'counted' }, options: { waitExpiry: false } },
    { skipped: ['expired'] },
  ],
  'has no leeway': [{ service: { leeway: 0 } }, { skipped: [] }],
  'polls slowly': [{ service: { interval: 30 } }, { skipped: [] }],
  'has codes of half a minute': [{ service: { expiresIn: 30 }, ...oneFault({}) }, { skipped: [] }],
  'limits the rate of requests, though not of polls': [{ fault: limitsRate() }, { skipped: [] }],
  'has no metadata': [{ fault: noMetadata }, { skipped: ['metadata', ...OF_REVOCATION, 'token-in-url'] }],
  ...each(['http://127.0.0.1:9/', 5, '/login/oauth/revoke'], (revocation_endpoint) => [
    `names the revocation endpoint ${revocation_endpoint}, which is elsewhere or not a URL`,
    { fault: members(atMetadata, { revocation_endpoint }) },
    { skipped: [...OF_REVOCATION, 'token-in-url'] },
  ]),
  'issues no refresh tokens': [
    { service: { refreshTokens: undefined } },
    { advised: ['token-short'], skipped: OF_REFRESH_TOKENS },
  ],
  'issues no refresh tokens, and access tokens that survive their revocation': [
    { service: { refreshTokens: undefined }, fault: FAULTS['revoked-access-token']() },
    { failed: ['revoked-access-token'], advised: ['token-short'] },
  ],
  'has neither refresh tokens nor a resource': [
    { service: { refreshTokens: undefined }, options: { resource: undefined } },
    {
      advised: ['token-short'],
      skipped: [...OF_REFRESH_TOKENS, 'revocation-method', 'revoked-access-token', 'token-in-url'],
    },
  ],
  ...each(['http://localhost/app', undefined], (resource) => [
    `is checked with the resource ${resource}, which accepts no token`,
    { options: { resource } },
    { skipped: ['revoked-access-token', 'revoked-with-refresh-token', 'token-in-url'] },
  ]),
  'has no user': [
    { options: { approve: undefined, deny: undefined } },
    { unchecked: ['approved', 'early-decision', 'denied', ...OF_TOKENS] },
  ],
  'sends no token': [{ fault: FAULTS.approved() }, { failed: ['approved'], skipped: OF_TOKENS }],
  'does not know the second client': [
    { options: { otherClientId: 'nobody' } },
    { unchecked: ['foreign-device-code'] },
  ],
  'gives the token of an approved code to any client, without a second client': [
    { fault: FAULTS['foreign-approved-code'](), options: { otherClientId: undefined } },
    { failed: ['foreign-approved-code'], skipped: ['foreign-device-code'] },
  ],
  'never sends slow_down, in the dialect github': [
    { fault: { ...FAULTS['slow-down'](), dialect: 'github' } },
    { failed: ['slow-down'], skipped: ['slow-down-interval', 'recovery'] },
  ],
  'never sends slow_down, in the dialect rfc8628': [
    { fault: { ...FAULTS['slow-down'](), dialect: 'rfc8628' } },
    { advised: ['slow-down'] },
  ],
  ...each([100_000, 3_000_000], (interval) => [
    `sends codes that expire before the first poll: after ${interval} seconds`,
    oneFault(withCodes({ interval })),
    { failed: ['pending'] },
  ]),
  'requires a wait longer than the lifetime': [
    oneFault(members((_, { body }) => body?.error === 'slow_down', { interval: 100_000 })),
    { skipped: ['recovery', 'expired'] },
  ],
  'delays a decision beyond the lifetime after an early poll': [
    oneFault(
      change(withDecision, (response) => {
        response.body = { error: 'slow_down', interval: 100_000 }
      }),
    ),
    { failed: ['approved', 'denied'], advised: ['early-decision'] },
  ],
  'sends no page': [
    { fault: status(atPage, 400) },
    { failed: ['page'], skipped: ['page-frames', 'page-no-store', 'page-referrer', 'page-cors'] },
  ],
  'sends no complete URL': [
    { fault: withCodes({ verification_uri_complete: undefined }) },
    { skipped: ['complete-address'] },
  ],
  ...each(['soon', '10'], (interval) => [
    `sends slow_down with the interval ${JSON.stringify(interval)}`,
    { fault: members(error('slow_down'), { interval }) },
    { failed: ['slow-down-interval'] },
  ]),
  ...each(['x', ''], (before) => [
    `has a letter too many ${before ? 'before' : 'after'} its user codes`,
    {
      fault: members(codes, ({ user_code }) => ({
        user_code: before ? `${before}${user_code}` : `${user_code}X`,
        verification_uri_complete: undefined,
      })),
    },
    { failed: ['user-code-form'], skipped: ['complete-address'] },
  ]),
  'replaces a refresh token once': [
    {
      fault: change(refreshed, (response, _, count) => {
        if (count === 1) Object.assign(response, { status: 200, body: { error: 'bad_refresh_token' } })
      }),
    },
    { failed: ['refresh-rotation'], skipped: ['spent-refresh-token', 'refresh-reuse'] },
  ],
  ...each([[], null, '"expired_token"'], (body) => [
    `responds to a poll with ${JSON.stringify(body)}`,
    {
      fault: change(
        (request) => atPoll(request) && /^0+$/.test(request.sent.get('device_code') ?? ''),
        (response) => Object.assign(response, { body }),
      ),
    },
    { failed: ['unknown-device-code', 'poll-json'] },
  ]),
  'has the metadata of other endpoints under the issuer that is named': [
    {
      fault: members(atMetadata, { device_authorization_endpoint: '/codes', token_endpoint: '/token' }),
      options: { issuer: 'http://localhost' },
    },
    { failed: ['metadata'] },
  ],
}

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

const OF_GITHUB = ['device-code-form', 'user-code-form', 'slow-down-interval']

test.each([
  ['dialect `github`', { dialect: 'github' }, {}, OF_FEATURES, 59],
  ['dialect `rfc8628`', { dialect: 'rfc8628' }, {}, [...OF_GITHUB, ...OF_FEATURES], 59],
  ['signed tokens, introspection', { dialect: 'rfc8628' }, SIGNS, [...OF_GITHUB, ...OF_DPOP], 63],
  ['signed tokens, introspection, DPoP', { dialect: 'rfc8628' }, { ...SIGNS, dpop: {} }, OF_GITHUB, 66],
  [
    'signed tokens, introspection, DPoP with nonces',
    { dialect: 'rfc8628' },
    { ...SIGNS, dpop: { nonce: true } },
    OF_GITHUB,
    67,
  ],
  [
    'opaque tokens, introspection',
    { dialect: 'rfc8628' },
    { ...SIGNS, accessToken: 'opaque' },
    [...OF_GITHUB, 'jwt-claims', 'jwt-signature', ...OF_DPOP],
    63,
  ],
] as const)('our service meets every requirement (%s)', async (mode, fault, service, inapplicable, sent) => {
  const { report, sandbox, failed, advised, skipped } = await check(fault, { service })
  expect({ failed, advised, skipped }).toEqual({ failed: [], advised: [], skipped: inapplicable })
  expect(report).toMatchObject({ dialect: fault.dialect, requests: sent })
  expect(report.results).toHaveLength(Object.keys(REQUIREMENTS).length)
  // Once, on purpose.
  expect(sandbox.requests.filter(({ outcome }) => outcome === 'slow_down')).toHaveLength(1)
  const { requests, passed, notApplicable } = report
  if (mode.startsWith('dialect'))
    expect(page).toContain(`| our service, ${mode} | ${requests} | ${passed} | 0 | 0 | ${notApplicable}`)
})

describe('a service that', () => {
  test.each(Object.entries(CASES))('%s', async (_, [{ fault, ...special }, expected]) => {
    const { failed, advised, skipped, unchecked, sandbox } = await check(fault, special)
    const wanted = { failed: [], advised: [], skipped, unchecked: [], ...expected }
    expect({ failed, advised, skipped: skipped.sort(), unchecked: unchecked.sort() }).toEqual({
      ...wanted,
      skipped: [...new Set([...wanted.skipped, ...OF_FEATURES])].sort(),
      unchecked: [...wanted.unchecked].sort(),
    })
    if (special.options?.waitExpiry === false) expect(sandbox.clock.now() - BEGIN).toBeLessThan(900_000)
  })

  test.each(Object.keys(REQUIREMENTS) as RequirementId[])(
    'breaks the requirement %s fails only that one, or gets advice if no specification requires it',
    async (id) => {
      const options = id === 'poll-status' ? { dialect: 'github' as const } : {}
      const service = OF_FEATURES.includes(id) ? SIGNS : {}
      const { resultOf, failed, advised } = await check(FAULTS[id](), { options, service })
      const isAdvice = ADVICE.has(id)
      expect({ failed, advised }).toEqual({ failed: isAdvice ? [] : [id], advised: isAdvice ? [id] : [] })
      const { exchange, detail } = resultOf(id) ?? {}
      expect(exchange?.request).toMatch(/^(GET|HEAD|POST) http:\/\/localhost\//)
      expect(exchange?.response).toMatch(/^\d{3}\n/)
      expect(detail).toMatch(/\w/)
    },
  )

  test.each(Object.entries(MORE_FAULTS))('%s', async (_, [fault, found]) => {
    const { failed, advised } = await check({ ...fault(), dialect: 'rfc8628' })
    expect([...failed, ...advised]).toEqual([found])
  })

  test.each(Object.entries(VARIANTS))('%s: is not accused', async (_, fault) => {
    const { failed, advised } = await check({ ...fault(), dialect: 'rfc8628' })
    expect([...failed, ...advised]).toEqual([])
  })

  test('fails every misuse is checked to the end, with a new login after each', async () => {
    const ids = [
      'poll-method',
      'foreign-approved-code',
      'foreign-refresh-token',
      'revocation-method',
      'foreign-revocation',
    ] as const
    const { report, failed } = await check(both(...ids.map((id) => FAULTS[id]())))
    expect(failed).toEqual(ids)
    expect(report.requests).toBeLessThan(70)
  })

  test('names its revocation endpoint on another origin in the provider gets tokens there', async () => {
    const revocationEndpoint = 'http://127.0.0.1:9/revoke'
    const { provider } = createSandbox().client
    const { failed } = await check(
      respond(({ path }) => path === '/revoke', 200, {}),
      { options: { provider: { ...provider, revocationEndpoint } } },
    )
    expect(failed).toEqual(expect.arrayContaining(['foreign-revocation', 'revoked-refresh-token']))
  })

  test.each([
    [0, ['approved', 'denied']],
    [1, ['denied']],
  ])('has a user who can approve %i times fails for want of a decision: %j', async (times, wanted) => {
    let approvals = 0
    const sandbox = createSandbox()
    const stay = () => Promise.reject(new Error('the door is shut'))
    const approve = async ({ userCode }: { readonly userCode: string }) => {
      approvals += 1
      await (approvals > times ? stay() : sandbox.approve(userCode))
    }
    const { results } = await sandbox.run(checkService({ ...sandbox.client, approve, deny: stay }))
    expect(results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toEqual(wanted)
    for (const id of [...wanted, 'poll-method'])
      expect(results.find((result) => result.id === id)?.detail).toContain('the door is shut')
  })

  test.each([
    [1000, 'passed'],
    [6000, 'not applicable'],
  ])('has a user who takes %i ms: whether an early poll hides the decision is %s', async (time, outcome) => {
    const sandbox = createSandbox()
    const approve = async ({ userCode }: { readonly userCode: string }) => {
      await new Promise<void>((resolve) => sandbox.clock.setTimeout(resolve, time))
      await sandbox.approve(userCode)
    }
    const { results } = await sandbox.run(checkService({ ...sandbox.client, approve }))
    expect(results.find(({ id }) => id === 'early-decision')?.outcome).toBe(outcome)
    expect(results.find(({ id }) => id === 'approved')?.outcome).toBe('passed')
  })

  test('has a lifetime longer than the longest timer is waited for', async () => {
    const longest = 2 ** 31 - 1
    const { clock, ...sandbox } = createSandbox({ expiresIn: 4_000_000 })
    // Like real timers: a longer one fires at once.
    const setTimeout = (callback: () => void, delay: number) =>
      clock.setTimeout(callback, delay > longest ? 1 : delay)
    const checked = checkService({ ...sandbox.client, clock: { ...clock, setTimeout }, waitExpiry: true })
    await sandbox.advance(5_000_000)
    expect((await checked).results.find(({ id }) => id === 'expired')?.outcome).not.toBe('not applicable')
    const last = sandbox.requests.findLast(({ path }) => path.endsWith('/access_token'))
    expect(last?.at).toBeGreaterThan(BEGIN + 4_000_000_000)
  })

  test.each<[what: string, options: Partial<CheckOptions>, isRequested: boolean]>([
    ['its own origin', { remote: true }, false],
    ['an allowed one', { pageOrigin: 'http://127.0.0.1:9' }, true],
  ])('shows its page elsewhere gets a request for it only at %s', async (_, options, isRequested) => {
    const requested: string[] = []
    const sandbox = createSandbox()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requested.push(String(input))
      const response = await sandbox.fetch(input, init)
      const text = await response.text()
      return new Response(text.replaceAll('http://localhost/login/device', 'http://127.0.0.1:9/'), response)
    }
    await sandbox.run(checkService({ ...sandbox.client, ...options, fetch }))
    expect(requested.includes('http://127.0.0.1:9/')).toBe(isRequested)
  })

  test('responds with JSON without codes violates one requirement, and has one result to show', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ body: '{"device_code":"x"}' }, { times: 2 })
    const shown: string[] = []
    const onResult = ({ id }: CheckResult) => shown.push(id)
    const report = await sandbox.run(checkService({ ...sandbox.client, onResult }))
    expect(shown).toEqual(['codes'])
    expect(report).toMatchObject({ failed: 1, passed: 0, requests: 2 })
    expect(report.results).toHaveLength(Object.keys(REQUIREMENTS).length)
    const detail = 'missing user_code, verification_uri'
    expect(report.results[0]).toMatchObject({ id: 'codes', outcome: 'failed', detail })
    expect(report.results[0]?.exchange?.response).toContain('200')
  })

  test.each<[SandboxFault, error: object, seconds?: number]>([
    [
      'drop',
      { code: 'unreachable', message: 'localhost cannot be reached (ECONNRESET, POST /login/device/code)' },
    ],
    ['hang', { code: 'timed_out' }, 10],
    ['html', { code: 'bad_response', message: expect.stringContaining('is not a JSON object') }],
    [{ body: 'x'.repeat(70_000) }, { code: 'bad_response' }],
    [{ status: 302 }, { code: 'redirected' }],
    [{ status: 500 }, { code: 'refused', status: 500 }],
    [
      { status: 429, retryAfter: 90 },
      { code: 'refused', status: 429, retryAfter: 90 },
    ],
    [
      { body: '{"error":"invalid_client"}', status: 401 },
      { code: 'refused', error: 'invalid_client' },
    ],
    [{ body: '{"error":"unauthorized_client"}', status: 400 }, { code: 'forbidden' }],
  ])(
    'responds with %j to the first request ends the check with an error',
    async (fault, error, seconds = 0) => {
      const sandbox = createSandbox()
      sandbox.inject(fault, { times: 2 })
      const onResult = () => expect.unreachable()
      await expect(sandbox.run(checkService({ ...sandbox.client, onResult }))).rejects.toMatchObject(error)
      expect(sandbox.clock.now() - BEGIN).toBe(seconds * 1000)
    },
  )

  test('takes only JSON, and refuses the client, ends the check with the error of the client', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 415 })
    sandbox.inject({ error: 'incorrect_client_credentials' })
    await expect(sandbox.run(checkService(sandbox.client))).rejects.toMatchObject({
      error: 'incorrect_client_credentials',
    })
  })

  test('is on another machine gets no requests without consent', async () => {
    const provider = {
      deviceAuthorizationEndpoint: 'https://a.example/c',
      tokenEndpoint: 'https://a.example/t',
    }
    const local = { deviceAuthorizationEndpoint: 'http://localhost/c', tokenEndpoint: 'http://localhost/t' }
    const fetch = () => Promise.reject(new TypeError())
    const options = { clientId: 'id', provider, fetch }
    await expect(checkService(options)).rejects.toMatchObject({ code: 'bad_option' })
    for (const address of ['https://a.example', 'a.example'])
      for (const name of ['issuer', 'pageOrigin'])
        await expect(checkService({ ...options, provider: local, [name]: address })).rejects.toMatchObject({
          code: 'bad_option',
          message: expect.stringContaining(name),
        })
    await expect(checkService({ ...options, remote: true })).rejects.toMatchObject({ code: 'unreachable' })
    const plain = { ...provider, tokenEndpoint: 'http://a.example/t' }
    const report = await checkService({ ...options, provider: plain, remote: true })
    expect(report).toMatchObject({ requests: 0, failed: 1 })
    expect(report.results[0]).toMatchObject({ id: 'secure', outcome: 'failed' })
  })
})

test.each([
  ['github', 'repo,gist,user', 'passed'],
  ['github', undefined, 'failed'],
  ['github', 'repo', 'not applicable'],
  ['rfc8628', 'repo gist user', 'passed'],
  ['rfc8628', 'repo gist,user', 'failed'],
  ['rfc8628', ',repo gist', 'failed'],
  ['rfc8628', undefined, 'not applicable'],
  ['rfc8628', 5, 'not applicable'],
  ['rfc8628', 'repo', 'not applicable'],
] as const)('in the dialect %s, the scope %j of a token is %s', async (dialect, scope, outcome) => {
  const { resultOf } = await check({ ...members(token, { scope }), dialect })
  expect(resultOf('token-scope')?.outcome).toBe(outcome)
})

test.each([
  ['those of the token', 'rfc8628', ' gist  user ', 'repo gist', 'gist user authgraph_check'],
  [
    'those requested, if the token names none',
    'rfc8628',
    undefined,
    'repo gist',
    'repo gist authgraph_check',
  ],
  ['those requested, with commas', 'github', undefined, 'repo,gist', 'repo gist authgraph_check'],
] as const)(
  'a refresh asks for one scope more than %s',
  async (_, dialect, granted, codesFor, refreshFor) => {
    const scopes = new Set<string | null>()
    const fault = both(
      members((...seen) => token(...seen) || refreshed(...seen), { scope: granted }),
      { before: ({ sent }) => scopes.add(sent.get('scope')) },
    )
    await check({ ...fault, dialect }, { options: { dialect } })
    expect([...scopes]).toEqual(expect.arrayContaining([codesFor, refreshFor]))
  },
)

test('a check says what it saw, what was better, and why something does not apply', async () => {
  const details = async (fault: Fault, special?: Special) => {
    const { report } = await check(fault, special)
    return Object.fromEntries(report.results.map(({ id, detail }) => [id, detail]))
  }
  const { 'slow-down': slowDown, ...seen } = await details(
    { dialect: 'github' },
    { options: { dialect: 'auto' } },
  )
  expect(slowDown).toBeUndefined()
  expect(seen).toMatchObject({
    'slow-down-interval': 'from 5 to 10 seconds',
    'poll-status': 'status 200, as in the dialect github',
  })
  expect(await details({}, { options: { approve: undefined, deny: undefined } })).toMatchObject({
    approved: 'nobody approved: set approve (--approve)',
    denied: 'nobody denied: set deny (--deny)',
    'poll-method': 'nobody approved: set approve (--approve)',
    'token-short': 'nobody approved: set approve (--approve)',
  })
  const undecided = { approve: () => undefined, deny: () => undefined }
  expect(await details({}, { options: undecided })).toMatchObject({
    approved: expect.stringContaining('make sure that approve (--approve) decides'),
    denied: expect.stringContaining('make sure that deny (--deny) decides'),
  })
  const faults = both(
    FAULTS['slow-down-interval'](),
    FAULTS['codes-unique'](),
    FAULTS.revoked(),
    members(codes, { expires_in: undefined }),
    members(token, { token_type: undefined, scope: undefined }),
    status(atPage, 500),
  )
  expect(await details({ ...faults, dialect: 'github' })).toMatchObject({
    'slow-down-interval': 'wanted an interval of 10 or more',
    'codes-unique': 'two responses had the same user code',
    'codes-lifetime': 'missing expires_in',
    'token-type': 'missing token_type',
    'token-scope': 'missing scope',
    revoked: 'wanted status 200, got 202',
    'page-frames': 'the service has no page',
  })
})

test('a service that soon sends no codes any more ends the checks that need new ones', async () => {
  const { resultOf } = await check(
    change(atCodes, (response, _, count) => {
      if (count > 7) Object.assign(response, { status: 503, body: {} })
    }),
  )
  for (const id of ['poll-method', 'no-grant-type', 'revoked'])
    expect(resultOf(id)?.detail).toBe('the service sent no codes')
})

test('metadata is looked for at both addresses of an issuer with a path', async () => {
  const { sandbox } = await check({}, { options: { issuer: 'http://localhost/a/tenant/' } })
  expect(sandbox.requests.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      '/.well-known/oauth-authorization-server/a/tenant',
      '/a/tenant/.well-known/openid-configuration',
    ]),
  )
})

test('an error of the caller ends the check', async () => {
  const onResult = ({ id }: CheckResult) => {
    if (id === 'pending') throw new Error('the disk is full')
  }
  await expect(check({}, { options: { onResult } })).rejects.toThrow('the disk is full')
  for (const options of [{ clientId: '' }, { otherClientId: CLIENT_ID }])
    await expect(check({}, { options })).rejects.toMatchObject({ code: 'bad_option' })
})

test('a check can be aborted at once during a wait', async () => {
  const sandbox = createSandbox()
  const controller = new AbortController()
  const checked = checkService({ ...sandbox.client, signal: controller.signal })
  const left = expect(checked).rejects.toThrow('enough')
  await sandbox.advance(1)
  controller.abort(new Error('enough'))
  await left
  expect(sandbox.requests.map(({ outcome }) => outcome)).not.toContain('authorization_pending')
})

test('the documentation counts the faults that are found, and the variants', () => {
  const found = Object.keys({ ...FAULTS, ...MORE_FAULTS }).length
  expect(page).toContain(
    `finds ${found} faults in a service that is otherwise correct. It reports no fault in ${Object.keys(VARIANTS).length} services`,
  )
})

test.each<[what: string, Fault]>([
  [
    'sends control characters',
    change(
      () => true,
      (response, _, count) =>
        count > 0 && Object.assign(response, { body: `\u001b[2J${JSON.stringify(response.body)}` }),
    ),
  ],
  [
    'sends a short refresh token',
    members((_, { body }) => body?.access_token, { refresh_token: 'a-refresh-token', token_type: 'mac' }),
  ],
  [
    'sends secrets in fields with other names',
    elsewhere(({ device_code, access_token }) => ({ deviceCode: device_code, accessToken: access_token })),
  ],
  ['sends secrets in JSON within JSON', elsewhere((body) => ({ data: JSON.stringify(body) }))],
  [
    'sends secrets in a page',
    elsewhere(({ device_code, access_token }, count) =>
      count === 0 ? undefined : `<code>${device_code ?? access_token}</code>`,
    ),
  ],
  [
    'sends secrets in an address',
    members(
      (_, { body }) => body?.device_code,
      ({ device_code }) => ({ verification_uri: `http://localhost/nowhere?for=${device_code}` }),
    ),
  ],
])('the report on a service that %s contains no secret', async (_, fault) => {
  const { report, secrets } = await check(fault)
  expect(report.failed).toBeGreaterThan(0)
  const printed = inspect(report, { depth: 9, maxStringLength: null }) + JSON.stringify(report)
  for (const secret of [...secrets, 'a-refresh-token', '\u001b']) expect(printed).not.toContain(secret)
})

/** Sends the secrets otherwise. */
function elsewhere(
  to: (body: { readonly device_code?: string; readonly access_token?: string }, count: number) => unknown,
): Fault {
  return change(
    (_, { body }) => body?.device_code ?? body?.access_token,
    (response, _, count) => {
      response.body = to(response.body, count) ?? response.body
    },
  )
}
