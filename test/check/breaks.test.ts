import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { check } from './support/check.ts'
import {
  alias,
  atPoll,
  atRefresh,
  atRevocation,
  CODES,
  codes,
  each,
  instead,
  PAGE,
  POLL,
  page,
  REVOCATION,
  type SeenRequest,
  SPOILERS,
  type Spoiler,
  tokens,
} from './support/spoiled-services.ts'

/** Ends the login of a refresh token or device code that a stranger presented. */
function strict(
  isStranger: (request: SeenRequest) => boolean,
  field: 'device_code' | 'refresh_token',
): Spoiler {
  const ended = new Set<string | null>()
  return {
    after: (response, request) => {
      const secret = request.fields.get(field)
      if (secret === null || request.path !== POLL) return
      if (ended.has(secret)) Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
      if (isStranger(request)) ended.add(secret)
    },
  }
}

const foreign = ({ fields }: SeenRequest) => fields.get('client_id') === 'another'
const stranger = ({ fields }: SeenRequest) => fields.get('client_id') !== 'client-id-in-the-clear'

const tooMuch = ({ fields }: SeenRequest) => /authgraph_check/.test(fields.get('scope') ?? '')
const isAccessToken = ({ fields }: SeenRequest) => /^gho_/.test(fields.get('token') ?? '')

/** Carries out a revocation that the service has refused, or that came as something else. */
function carriesOut(of: (request: SeenRequest) => boolean, status: number): Spoiler {
  const revoked = new Set<string | null>()
  return {
    after: (response, request) => {
      if (request.path === REVOCATION && of(request)) {
        revoked.add(request.fields.get('token') ?? request.query.get('token'))
        Object.assign(response, { status, body: { error: 'unauthorized_client' } })
      } else if (atRefresh(request) && revoked.has(request.fields.get('refresh_token')))
        Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
    },
  }
}

const TOKEN = { access_token: 'k9fJ2mQ7xV4tR8wL3pZ6sB1nC5dG0hYe', token_type: 'Bearer' }

/**
 * A conforming service with one thing broken, and the requirements that say so. Empty: the check does not see it. These
 * come on top of `SPOILERS`, of which each requirement has one.
 */
const BREAKS: readonly (readonly [what: string, spoiler: () => Spoiler, found: readonly string[]])[] = [
  [
    'revokes a token for another client, with status 400',
    () => carriesOut(foreign, 400),
    ['foreign-revocation'],
  ],
  [
    'revokes a token on GET, with status 405',
    () => carriesOut(({ method }) => method === 'GET', 405),
    ['revocation-method'],
  ],
  [
    'lets an access token survive its revocation',
    () =>
      instead(
        ({ path, token }, { status }) => path === '/user' && token !== undefined && status === 401,
        200,
        {},
      ),
    ['revoked-access-token', 'revoked-with-refresh-token'],
  ],
  [
    'denies with status 200',
    () => instead((_, { body }) => body?.error === 'access_denied', 200, { error: 'access_denied' }),
    ['poll-status'],
  ],
  [
    'sends slow_down with status 429',
    () => instead((_, { body }) => body?.error === 'slow_down', 429, { error: 'slow_down' }),
    ['poll-status'],
  ],
  [
    'counts its device codes',
    () => alias((_, count) => `device-code-00000000000000000000000${1000 + count}`),
    ['device-code-entropy'],
  ],
  [
    'derives device codes from the time of day',
    () => alias((_, count) => `${(1_790_000_000_000 + count * 977).toString(16).padStart(32, '0')}`),
    ['device-code-entropy'],
  ],
  [
    'counts its user codes',
    () => codes((_, count) => ({ user_code: `QWERT-000${count}`, verification_uri_complete: undefined })),
    ['user-code-entropy'],
  ],
  [
    'puts the user code into the device code',
    () => alias(({ device_code, user_code }) => `${user_code}.${device_code}`),
    ['device-code-private'],
  ],
  [
    'repeats the device code in errors',
    () => ({
      after: ({ body }, { fields }) =>
        body?.error && Object.assign(body, { error_description: `wrong: ${fields.get('device_code')}` }),
    }),
    ['device-code-private'],
  ],
  [
    'counts its access tokens',
    () => tokens((_, count) => ({ access_token: `token-0000000000000000000000000${count}` })),
    ['token-entropy'],
  ],
  [
    'reads a poll from the query of a POST',
    () =>
      instead(
        ({ method, path, query }) => method === 'POST' && path === POLL && query.has('device_code'),
        400,
        {
          error: 'authorization_pending',
        },
      ),
    ['query'],
  ],
  ['sends expires_in of a token as text', () => tokens(() => ({ expires_in: '3600' })), ['token-lifetime']],
  [
    'lets every https site frame its page',
    () => page({ 'content-security-policy': 'frame-ancestors https:', 'x-frame-options': 'DENY' }),
    ['page-frames'],
  ],
  [
    'forbids framing only in the obsolete form of one site',
    () => page({ 'content-security-policy': undefined, 'x-frame-options': 'ALLOW-FROM https://a.example' }),
    ['page-frames'],
  ],
  [
    'sends the token with token_type only in a header',
    () => tokens(() => ({ token_type: undefined })),
    ['token-type'],
  ],
  [
    'sends a token with status 201',
    () =>
      each(
        'access_token',
        (response, request) => atPoll(request) && Object.assign(response, { status: 201 }),
      ),
    ['approved'],
  ],
  [
    'names the other address verification_url',
    () => codes(() => ({ verification_uri: undefined })),
    ['codes'],
  ],
  ['sends an interval as text', () => codes(() => ({ interval: '5' })), ['codes-lifetime']],
  [
    'expires with invalid_grant',
    () => instead((_, { body }) => body?.error === 'expired_token', 400, { error: 'invalid_grant' }),
    ['expired'],
  ],
  [
    'denies with expired_token',
    () => instead((_, { body }) => body?.error === 'access_denied', 400, { error: 'expired_token' }),
    ['denied'],
  ],
  // Not seen: the check never waits for a token to expire, polls once after a denial, and cannot look into the service.
  ['accepts access tokens for longer than expires_in', () => tokens(() => ({ expires_in: 1 })), []],
  ['gives every login the same access token', () => tokens(() => ({ access_token: TOKEN.access_token })), []],
  [
    'derives device codes from a counter with a hash',
    () => alias((_, count) => createHash('sha256').update(String(count)).digest('hex')),
    [],
  ],
  [
    'issues tokens for any other grant type',
    () => instead(({ fields }) => fields.get('grant_type') === 'password', 200, TOKEN),
    [],
  ],
  [
    'gives a denied device a token at its second poll',
    () => {
      const denied = new Set<string | null>()
      return {
        after: (response, { fields }) => {
          const code = fields.get('device_code')
          if (denied.has(code)) Object.assign(response, { status: 200, body: TOKEN })
          if (response.body?.error === 'access_denied') denied.add(code)
        },
      }
    },
    [],
  ],
]

/** Other ways to conform, or not to care where nothing is required. Nothing is accused. */
const VARIANTS: readonly (readonly [what: string, spoiler: () => Spoiler])[] = [
  [
    'shows documentation to GET',
    () => ({
      after: (response, { method, path }) => {
        if (method === 'POST' || ![CODES, POLL, REVOCATION].includes(path)) return
        response.headers.set('content-type', 'text/html')
        Object.assign(response, { status: 200, body: '<h1>Send a POST</h1>' })
      },
    }),
  ],
  [
    'fails at GET',
    () =>
      instead(({ method, path }) => method === 'GET' && path.startsWith('/login/') && path !== PAGE, 500, {}),
  ],
  [
    'shares its origin with a server that publishes metadata',
    () => ({
      after: ({ body }, { path }) => {
        if (!path.startsWith('/.well-known/')) return
        for (const name of ['device_authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
          body[name] = `http://localhost/elsewhere/${name}`
      },
    }),
  ],
  [
    'has a page for every unknown path',
    () => instead(({ path }) => path.startsWith('/.well-known/'), 200, ['an application']),
  ],
  ['ends a grant whose code a stranger presents', () => strict(stranger, 'device_code')],
  ['ends a login whose refresh token a stranger presents', () => strict(stranger, 'refresh_token')],
  [
    'spends a refresh token although it refuses the scope',
    () => {
      const { after = () => undefined } = strict(tooMuch, 'refresh_token')
      return {
        after: (response, request) => {
          if (tooMuch(request)) Object.assign(response, { status: 400, body: { error: 'invalid_scope' } })
          after(response, request)
        },
      }
    },
  ],
  [
    'repeats the response to a spent refresh token for a while',
    () => {
      const responses = new Map<string | null, object>()
      return {
        after: (response, request) => {
          if (!atRefresh(request) || request.fields.get('client_id') === 'another') return
          const token = request.fields.get('refresh_token')
          const known = responses.get(token)
          if (known) Object.assign(response, { status: 200, body: known })
          else if (response.body.access_token) responses.set(token, response.body)
        },
      }
    },
  ],
  [
    'lets a named site frame its page, in the second of two policies',
    () =>
      page({
        'content-security-policy': "default-src 'none', frame-ancestors 'self' https://www.example.com",
        'x-frame-options': undefined,
      }),
  ],
  [
    'sends x-frame-options twice',
    () => page({ 'x-frame-options': 'DENY, deny', 'content-security-policy': undefined }),
  ],
  [
    'does not revoke access tokens',
    () =>
      instead((request) => atRevocation(request) && isAccessToken(request), 400, {
        error: 'unsupported_token_type',
      }),
  ],
  [
    'lets only clients with a secret revoke tokens',
    () => instead(({ path }) => path === REVOCATION, 401, {}),
  ],
  [
    'ends the login with its access token',
    () => {
      let ended = false
      return {
        after: (response, request) => {
          if (atRefresh(request) && ended)
            Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
          ended = atRevocation(request) && isAccessToken(request)
        },
      }
    },
  ],
]

describe('a service that breaks one thing', () => {
  test.each(BREAKS)('%s', async (_, spoiler, found) => {
    const { failed, advised } = await check({ ...spoiler(), dialect: 'rfc8628' })
    expect([...failed, ...advised]).toEqual(found)
  })
})

describe('a service that is only different is not accused if it', () => {
  test.each(VARIANTS)('%s', async (_, spoiler) => {
    const { failed, advised } = await check({ ...spoiler(), dialect: 'rfc8628' })
    expect([...failed, ...advised]).toEqual([])
  })
})

test('a service that fails every misuse is checked to the end, with a new login after each', async () => {
  const faults = [
    SPOILERS['poll-method'](),
    SPOILERS['foreign-approved-code'](),
    SPOILERS['foreign-refresh-token'](),
    carriesOut(({ method }) => method === 'GET', 200),
    carriesOut(foreign, 200),
  ]
  const { report, failed } = await check({
    before: (request) => {
      for (const { before } of faults) before?.(request)
    },
    after: (response, request) => {
      for (const { after } of faults) after?.(response, request)
    },
  })
  expect(failed).toEqual([
    'poll-method',
    'foreign-approved-code',
    'foreign-refresh-token',
    'revocation-method',
    'foreign-revocation',
  ])
  expect(report.requests).toBeLessThan(70)
})

test('the documentation counts the breaks that are found and not found, and the variants', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/interop.md'), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  )
  const requirements = Object.keys(SPOILERS).length
  const found = requirements + BREAKS.filter(([, , ids]) => ids.length > 0).length
  expect(page).toContain(
    `finds ${found} of ${requirements + BREAKS.length} faults in a service that is otherwise right, and accuses none of ${VARIANTS.length} services`,
  )
  for (const [what, , ids] of BREAKS) if (ids.length === 0) expect(page).toContain(what)
})
