import type { RequirementId } from '../../../src/check/requirements.ts'

/** A request of the check as a faulty service receives it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The access token. */
  readonly token: string | undefined
  /** The proof of DPoP. */
  readonly proof: string | undefined
  readonly sent: URLSearchParams
  /** What the service reads. A fault may change it. */
  readonly fields: URLSearchParams
}

/** The response of the service. A fault may change it. */
export interface SeenResponse {
  status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: faults change the response field by field.
  body: any
}

/** Breaks exactly one thing. */
export interface Fault {
  readonly dialect?: 'github' | 'rfc8628'
  readonly before?: ((request: SeenRequest) => unknown) | undefined
  readonly after?: (response: SeenResponse, request: SeenRequest) => unknown
}

type When = (request: SeenRequest, response: SeenResponse) => unknown
type Body = SeenResponse['body']

export const CLIENT_ID = 'client-id-in-the-clear'
export const OTHER_CLIENT_ID = 'another'

const CODES = '/login/device/code'
const POLL = '/login/oauth/access_token'
const PAGE = '/login/device'
const REVOCATION = '/login/oauth/revoke'

const PENDING = 'authorization_pending'

const TOKEN = { access_token: 'k9fJ2mQ7xV4tR8wL3pZ6sB1nC5dG0hYe', token_type: 'bearer', scope: '' }

/** Codes that no other request gets. */
const OTHER_CODES = {
  device_code: 'd'.repeat(40),
  user_code: 'WDJB-MJHT',
  verification_uri: 'http://localhost/login/device',
  expires_in: 900,
}

const at =
  (path: string, method = 'POST') =>
  (request: SeenRequest) =>
    request.method === method && request.path === path
export const atCodes = at(CODES)
export const atPage = at(PAGE, 'GET')
const atRevocation = at(REVOCATION)
const atResource = at('/user', 'GET')
const INTROSPECTION = '/login/oauth/introspect'
const atKeys = at('/.well-known/jwks.json', 'GET')
const atRefresh = ({ path, sent }: SeenRequest) => path === POLL && sent.get('grant_type') === 'refresh_token'
export const atPoll = (request: SeenRequest) => at(POLL)(request) && !atRefresh(request)
export const atMetadata = ({ path }: SeenRequest) => path.startsWith('/.well-known/')

const isForeign = ({ sent }: SeenRequest) => sent.get('client_id') === OTHER_CLIENT_ID
const isStranger = ({ sent }: SeenRequest) => sent.get('client_id') !== CLIENT_ID
const isUnknown = (name: string) => (request: SeenRequest) => /unknown/.test(request.sent.get(name) ?? '')
const isTooMuch = ({ sent }: SeenRequest) => /authgraph_check/.test(sent.get('scope') ?? '')
const isAccessToken = ({ sent }: SeenRequest) => /^gho_/.test(sent.get('token') ?? '')

/** Responses with codes; with any token; with the token of a login; with that of a refresh. */
export const codes: When = (_, { body }) => body?.device_code !== undefined
const tokens: When = (_, { body }) => body?.access_token !== undefined
export const token: When = (...seen) => atPoll(seen[0]) && tokens(...seen)
export const refreshed: When = (...seen) => atRefresh(seen[0]) && tokens(...seen)
export const error =
  (code: string): When =>
  (_, { body }) =>
    body?.error === code

/** Only the first time. */
function first(when: When): When {
  let seen = false
  return (...now) => {
    const isFirst = !seen && when(...now)
    seen ||= Boolean(isFirst)
    return isFirst
  }
}

/** Changes responses. Those before are counted. */
export function change(
  when: When,
  how: (response: SeenResponse, request: SeenRequest, count: number) => unknown,
): Fault {
  let count = 0
  return {
    after: (response, request) => {
      if (when(request, response)) how(response, request, count++)
    },
  }
}

/** Sends another response. */
export function respond(when: When, status: number, body: object = { error: 'invalid_client' }): Fault {
  return change(when, (response) => Object.assign(response, { status, body }))
}

/** Sends another status. */
export function status(when: When, status: number): Fault {
  return change(when, (response) => Object.assign(response, { status }))
}

/** Changes members of the body; `undefined` removes one. */
export function members(when: When, to: object | ((body: Body, count: number) => object)): Fault {
  return change(when, ({ body }, _, count) =>
    Object.assign(body, typeof to === 'function' ? to(body, count) : to),
  )
}

/** Changes headers; `undefined` removes one. */
export function headers(when: When, to: Readonly<Record<string, string | undefined>>): Fault {
  return change(when, (response) => {
    for (const [name, value] of Object.entries(to))
      if (value === undefined) response.headers.delete(name)
      else response.headers.set(name, value)
  })
}

/** Responds to a poll with an error. */
function says(code: string, when: When): Fault {
  return respond((...seen) => atPoll(seen[0]) && when(...seen), 200, { error: code })
}

/** Takes a request for one of the client. */
function trusts(when: (request: SeenRequest) => boolean): Fault {
  return { before: (request) => when(request) && request.fields.set('client_id', CLIENT_ID) }
}

/** Replaces a secret of the service, in both directions. */
function alias(name: 'device_code' | 'refresh_token', toShown: (body: Body, count: number) => string): Fault {
  const real = new Map<string, string>()
  return {
    before: ({ fields }) => {
      for (const field of [name, 'token']) {
        const shown = fields.getAll(field)
        fields.delete(field)
        for (const secret of shown) fields.append(field, real.get(secret) ?? secret)
      }
    },
    ...change(
      (_, { body }) => body?.[name] !== undefined,
      ({ body }) => {
        const shown = toShown(body, real.size)
        real.set(shown, body[name])
        body[name] = shown
      },
    ),
  }
}

/** Knows the tokens of some requests, for the responses after them. */
function remembers(
  name: 'token' | 'device_code' | 'refresh_token',
  when: When,
  then: (response: SeenResponse, request: SeenRequest, known: Set<string | null>) => unknown,
): Fault {
  const known = new Set<string | null>()
  return {
    after: (response, request) => {
      then(response, request, known)
      if (when(request, response)) known.add(request.sent.get(name) ?? request.query.get(name))
    },
  }
}

const isRevoked: When = (request, response) => atRevocation(request) && response.status === 200

/** Access tokens that survive a revocation: their own one, or that of their refresh token. */
function survivingToken(own: boolean): Fault {
  return remembers('token', isRevoked, (response, request, revoked) => {
    if (atResource(request) && response.status === 401 && revoked.has(request.token ?? null) === own)
      response.status = 200
  })
}

/** Ends the login of a refresh token or device code that a stranger presented. */
function strict(when: When, name: 'device_code' | 'refresh_token'): Fault {
  const isHere: When = ({ path, sent }) => path === POLL && sent.has(name)
  return remembers(
    name,
    (...seen) => isHere(...seen) && when(...seen),
    (response, request, ended) => {
      if (isHere(request, response) && ended.has(request.sent.get(name)))
        Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
    },
  )
}

/** Carries out a revocation that the service has refused, or that came as something else. */
function carriesOut(when: When, status: number): Fault {
  const isHere: When = (...seen) => seen[0].path === REVOCATION && when(...seen)
  return remembers('token', isHere, (response, request, revoked) => {
    if (isHere(request, response)) Object.assign(response, { status, body: { error: 'unauthorized_client' } })
    else if (atRefresh(request) && revoked.has(request.sent.get('refresh_token')))
      Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
  })
}

/** Refuses an empty scope, and an absent one if `always`. */
function refusesScope(always: boolean): Fault {
  return respond(
    ({ path, sent }) =>
      path === CODES && sent.has('client_id') && (always ? !sent.get('scope') : !sent.has('scope')),
    400,
    { error: 'invalid_scope' },
  )
}

/** Spoils a refresh whose scope the service has ignored. */
function ignoresScope(to: object): Fault {
  return both(
    FAULTS['refresh-scope'](),
    members((_, { body }) => body?.scope?.includes('authgraph_check'), to),
  )
}

function completeUrl(rest: string): Fault {
  return members(codes, { verification_uri_complete: `http://localhost/${rest}` })
}

/** Forbids framing by the older header only. */
function framing(options: string): Fault {
  return headers(atPage, { 'content-security-policy': undefined, 'x-frame-options': options })
}

const isUnknownClient: When = (request) => atCodes(request) && isUnknown('client_id')(request)
const isForeignRevocation: When = (request) => atRevocation(request) && isForeign(request)

/** A letter as it can stand in a URL. */
function escaped(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`
}

/** Changes parts of a JWT and keeps its signature. */
function tamper(
  jwt: string,
  { header = {}, claims = {} }: { readonly header?: object; readonly claims?: object },
) {
  const [head = '', payload = '', signature] = jwt.split('.')
  const changed = (part: string, to: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(String(Buffer.from(part, 'base64url'))), ...to })).toString(
      'base64url',
    )
  return [changed(head, header), changed(payload, claims), signature].join('.')
}

/** A service that supports DPoP, with what it does with the URL of a proof. */
function speaksDpop({ algorithms = ['ES256'], checksUrl = true, tokenType = 'DPoP' } = {}): Fault {
  const published = members(atMetadata, { dpop_signing_alg_values_supported: algorithms })
  return both(published, {
    before: ({ path, proof, fields }) => {
      const { htu } = proof ? JSON.parse(String(Buffer.from(proof.split('.')[1] ?? '', 'base64url'))) : {}
      if (proof && checksUrl && htu !== `http://localhost${path}`) fields.set('device_code', 'of-no-grant')
    },
    after: ({ body }, { proof }) => {
      if (proof && body?.access_token) body.token_type = tokenType
    },
  })
}

/** For each requirement, a service that fails only that one. */
export const FAULTS: Record<RequirementId, () => Fault> = {
  secure: () => members(codes, { verification_uri: 'http://login.example.com/?to=https://a.example' }),
  'form-body': () => respond(first(atCodes), 415, { error: 'unsupported' }),
  codes: () => members(codes, { verification_uri: 'javascript:alert(1)' }),
  'codes-lifetime': () => members(codes, { expires_in: '900' }),
  'codes-json': () => headers(codes, { 'content-type': 'text/plain' }),
  'codes-no-store': () => headers(codes, { 'cache-control': 'max-age=60' }),
  'device-code-entropy': () => ({
    dialect: 'rfc8628',
    ...alias('device_code', (_, count) => `few-bits-${count}`),
  }),
  'user-code-entropy': () => ({
    dialect: 'rfc8628',
    ...members(codes, (_, count) => ({
      user_code: `1234-567${count}`,
      verification_uri_complete: undefined,
    })),
  }),
  'complete-address': () =>
    members(codes, ({ verification_uri }) => ({ verification_uri_complete: verification_uri })),
  'unknown-parameter': () =>
    respond(({ sent }) => sent.has('authgraph_check'), 400, { error: 'invalid_request' }),
  'empty-scope': () => respond(({ sent }) => sent.get('scope') === '', 400, { error: 'invalid_scope' }),
  'codes-unique': () => {
    let first: string | undefined
    return members(codes, ({ user_code }) => {
      first ??= user_code
      return { user_code: first, verification_uri_complete: undefined }
    })
  },
  'codes-repeated': () =>
    trusts((request) => atCodes(request) && request.sent.getAll('client_id').length > 1),
  'codes-no-client': () =>
    trusts((request) => atCodes(request) && request.sent.has('scope') && !request.sent.has('client_id')),
  'codes-unknown-client': () => status(isUnknownClient, 200),
  'codes-method': () => respond(at(CODES, 'GET'), 200, OTHER_CODES),
  pending: () => members(first(atPoll), { error: 'not_yet' }),
  'poll-status': () => ({ dialect: 'github', ...status(error(PENDING), 400) }),
  'device-code-form': () => alias('device_code', ({ device_code }) => `${device_code}x`),
  'user-code-form': () => members(codes, ({ user_code }) => ({ user_code: user_code.replace('-', '') })),
  'slow-down': () => members(error('slow_down'), { error: PENDING }),
  'slow-down-interval': () => members(error('slow_down'), { interval: 6 }),
  recovery: () =>
    remembers('device_code', error('slow_down'), ({ body }, { sent }, slowed) => {
      if (body?.error === PENDING && slowed.has(sent.get('device_code'))) body.error = 'slow_down'
    }),
  approved: () => respond(token, 200, { error: 'expired_token' }),
  'early-decision': () => {
    let kept: object | undefined
    return change(atPoll, (response) => {
      if (kept !== undefined) {
        response.body = kept
        kept = undefined
      } else if (response.body?.access_token !== undefined) {
        kept = response.body
        response.body = { error: 'slow_down', interval: 10 }
      }
    })
  },
  'foreign-approved-code': () => {
    const isForeign = (request: SeenRequest) =>
      atPoll(request) && request.sent.has('client_id') && isStranger(request)
    return {
      ...trusts(isForeign),
      ...members((request, { body }) => isForeign(request) && body.error, { error: 'incorrect_device_code' }),
    }
  },
  'token-type': () => members(token, { token_type: 'mac' }),
  'token-scope': () => members(token, { scope: 'repo gist' }),
  'token-no-store': () => headers(token, { 'cache-control': undefined }),
  refreshed: () => respond(refreshed, 200, { error: 'bad_refresh_token' }),
  'refresh-no-store': () => headers(refreshed, { 'cache-control': undefined }),
  'token-lifetime': () => members(refreshed, { expires_in: undefined }),
  'refresh-rotation': () => {
    const newest = new Map<string, string>()
    return {
      before: ({ fields }) => {
        const real = newest.get(fields.get('refresh_token') ?? '')
        if (real !== undefined) fields.set('refresh_token', real)
      },
      after: ({ body }, request) => {
        if (!body?.refresh_token) return
        const [shown = body.refresh_token] = newest.keys()
        if (atPoll(request)) newest.clear()
        newest.set(atPoll(request) ? body.refresh_token : shown, body.refresh_token)
        if (atRefresh(request)) body.refresh_token = shown
      },
    }
  },
  'foreign-refresh-token': () => trusts(atRefresh),
  'refresh-scope': () => ({
    before: (request) => atRefresh(request) && request.fields.delete('scope'),
    ...change(
      ({ sent }) => sent.has('refresh_token') && sent.has('scope'),
      ({ body }, { sent }) => Object.assign(body, { scope: sent.get('scope') }),
    ),
  }),
  'spent-refresh-token': () =>
    remembers('refresh_token', refreshed, (response, request, spent) => {
      const isSpent = atRefresh(request) && spent.has(request.sent.get('refresh_token'))
      if (isSpent && response.body.error === 'bad_refresh_token') response.body = TOKEN
    }),
  'refresh-reuse': () => {
    let first: string | null = null
    return {
      before: (request) => {
        if (!atRefresh(request)) return
        const refreshToken = request.fields.get('refresh_token')
        if (refreshToken === first) request.fields.set('refresh_token', 'unknown')
        first ??= refreshToken
      },
    }
  },
  'token-entropy': () => members(token, { access_token: '123456' }),
  'device-code-private': () =>
    members(codes, ({ device_code, verification_uri, user_code }) => ({
      verification_uri_complete: `${verification_uri}?user_code=${user_code}&device_code=${device_code}`,
    })),
  'token-once': () => {
    const tokens = new Map<string | null, object>()
    return change(atPoll, (response, { sent }) => {
      const code = sent.get('device_code')
      const known = tokens.get(code)
      if (known) response.body = { ...known, access_token: crypto.randomUUID() + crypto.randomUUID() }
      else if (response.body?.access_token !== undefined) tokens.set(code, response.body)
    })
  },
  denied: () => says(PENDING, error('access_denied')),
  'unknown-grant-type': () => says('invalid_grant', isUnknown('grant_type')),
  'no-grant-type': () => says('invalid_grant', ({ sent }) => !sent.has('grant_type')),
  'no-device-code': () => says('invalid_grant', ({ sent }) => !sent.has('device_code')),
  'empty-device-code': () => says('invalid_grant', ({ sent }) => sent.get('device_code') === ''),
  query: () => respond((request) => atCodes(request) && request.query.has('client_id'), 200, OTHER_CODES),
  'unknown-device-code': () =>
    says('expired_token', ({ sent }) => /^0+$/.test(sent.get('device_code') ?? '')),
  'foreign-device-code': () => says(PENDING, isForeign),
  'poll-unknown-client': () => says(PENDING, isUnknown('client_id')),
  'poll-no-client': () => says(PENDING, ({ sent }) => sent.has('device_code') && !sent.has('client_id')),
  'poll-repeated': () => says(PENDING, ({ sent }) => sent.getAll('device_code').length > 1),
  'poll-method': () =>
    remembers('device_code', at(POLL, 'GET'), (response, request, spent) => {
      if (at(POLL, 'GET')(request)) Object.assign(response, { status: 200, body: TOKEN })
      else if (spent.has(request.sent.get('device_code'))) response.body = { error: 'invalid_grant' }
    }),
  expired: () => says(PENDING, error('expired_token')),
  'poll-json': () => headers(atPoll, { 'content-type': 'text/html' }),
  redirects: () => status((request) => atPoll(request) && !request.sent.has('client_id'), 307),
  page: () => status(atPage, 500),
  'page-frames': () =>
    headers(atPage, {
      'content-security-policy': "default-src 'none'; frame-ancestors *",
      'x-frame-options': undefined,
    }),
  'page-no-store': () => headers(atPage, { 'cache-control': undefined }),
  metadata: () => members(atMetadata, { token_endpoint: 'http://localhost/token' }),
  jwks: () => members(atKeys, ({ keys }) => ({ keys: [{ ...keys[0], d: 'private' }] })),
  'jwt-claims': () =>
    members(tokens, ({ access_token }) => ({
      // Nobody can verify its signature.
      access_token: tamper(access_token, { header: { alg: 'none' }, claims: { jti: undefined } }),
    })),
  'jwt-signature': () =>
    members(tokens, ({ access_token }) => ({
      access_token: tamper(access_token, { claims: { scope: 'all' } }),
    })),
  'introspection-anonymous': () => respond(at(INTROSPECTION), 200, { active: true, sub: '1' }),
  'introspection-method': () => respond(at(INTROSPECTION, 'GET'), 200, { active: true, sub: '1' }),
  'dpop-algorithms': () => speaksDpop({ algorithms: ['ES256', 'HS256'] }),
  'dpop-proof': () => speaksDpop({ checksUrl: false }),
  'dpop-token-type': () => speaksDpop({ tokenType: 'bearer' }),
  'revocation-unknown': () => status((request) => atRevocation(request) && isUnknown('token')(request), 404),
  'revocation-no-token': () =>
    respond((request) => atRevocation(request) && !request.sent.has('token'), 400, {}),
  'revocation-method': () => carriesOut(({ method }) => method === 'GET', 405),
  'foreign-revocation': () => respond(isForeignRevocation, 200, {}),
  revoked: () =>
    status((...seen) => isRevoked(...seen) && !/unknown/.test(seen[0].sent.get('token') ?? 'unknown'), 202),
  'revoked-refresh-token': () =>
    remembers('token', isRevoked, (response, request, revoked) => {
      if (atRefresh(request) && revoked.has(request.sent.get('refresh_token'))) response.body = TOKEN
    }),
  'revoked-access-token': () => survivingToken(true),
  'revoked-with-refresh-token': () => survivingToken(false),
  'codes-short': () => members(codes, { expires_in: 901 }),
  'token-short': () => members(token, { expires_in: 86_401 }),
  'page-referrer': () => headers(atPage, { 'referrer-policy': 'no-referrer, unsafe-url' }),
  'page-cors': () => headers(atPage, { 'access-control-allow-origin': '*' }),
  'token-in-url': () => status((request, response) => atResource(request) && response.status === 400, 200),
}

/** More faults, with the requirement that says so. */
export const MORE_FAULTS: Readonly<Record<string, readonly [() => Fault, found: RequirementId]>> = {
  'revokes a token for another client, with status 400': [
    () => carriesOut(isForeign, 400),
    'foreign-revocation',
  ],
  'sends slow_down with status 429': [() => status(error('slow_down'), 429), 'poll-status'],
  'puts the user code into the device code': [
    () => alias('device_code', ({ device_code, user_code }) => `${user_code}.${device_code}`),
    'device-code-private',
  ],
  'repeats the device code in errors': [
    () =>
      change(
        (_, { body }) => body?.error,
        ({ body }, { sent }) =>
          Object.assign(body, { error_description: `wrong: ${sent.get('device_code')}` }),
      ),
    'device-code-private',
  ],
  'counts its access tokens': [
    () => members(tokens, (_, count) => ({ access_token: `token-0000000000000000000000000${count}` })),
    'token-entropy',
  ],
  'has user codes of five letters, which its device codes contain': [
    () =>
      members(codes, ({ device_code }) => ({
        user_code: device_code.slice(0, 5).toUpperCase(),
        verification_uri_complete: undefined,
      })),
    'user-code-entropy',
  ],
  'counts its refresh tokens': [
    () => alias('refresh_token', (_, count) => `refresh-0000000000000000000000000${count}`),
    'token-entropy',
  ],
  'sends no refresh token with the second refresh': [
    () => change(refreshed, ({ body }, _, count) => count === 1 && delete body.refresh_token),
    'refresh-rotation',
  ],
  'reads a poll from the query of a POST': [
    () =>
      respond((request) => at(POLL)(request) && request.query.has('device_code'), 400, { error: PENDING }),
    'query',
  ],
  'sends expires_in of a token as text': [() => members(tokens, { expires_in: '3600' }), 'token-lifetime'],
  'lets every https site frame its page': [
    () => headers(atPage, { 'content-security-policy': 'frame-ancestors https:', 'x-frame-options': 'DENY' }),
    'page-frames',
  ],
  'lets one site frame its page': [() => framing('ALLOW-FROM https://a.example'), 'page-frames'],
  'sends no token_type': [() => members(tokens, { token_type: undefined }), 'token-type'],
  'sends a token with status 201': [() => status(token, 201), 'approved'],
  'names the other address verification_url': [
    () =>
      members(codes, ({ verification_uri }) => ({
        verification_uri: undefined,
        verification_url: verification_uri,
      })),
    'codes',
  ],
  'sends an interval as text': [() => members(codes, { interval: '5' }), 'codes-lifetime'],
  'sends fractions of a second': [() => members(codes, { expires_in: 900.5 }), 'codes-lifetime'],
  'sends codes with status 201': [() => status(codes, 201), 'codes'],
  'refuses only an absent scope': [() => refusesScope(false), 'empty-scope'],
  'sends a number as token_type': [() => members(token, { token_type: 5 }), 'token-type'],
  'refreshes with a scope that was not approved': [
    () => ignoresScope({ scope: 'repo authgraph_check' }),
    'refresh-scope',
  ],
  'does not say which scopes a refreshed token has': [
    () => ignoresScope({ scope: undefined }),
    'refresh-scope',
  ],
  'refuses a repeated parameter with another error': [
    () => respond(({ sent }) => sent.getAll('client_id').length > 1, 400),
    'codes-repeated',
  ],
  'has no referrer policy': [() => headers(atPage, { 'referrer-policy': undefined }), 'page-referrer'],
  'ends its complete URL with half an escape': [() => completeUrl('%E0%A4%A'), 'complete-address'],
  'has what is no escape in its complete URL': [() => completeUrl('%zz?user_code=%41'), 'complete-address'],
  'forbids framing by "allowall, deny"': [() => framing('allowall, deny'), 'page-frames'],
  'forbids framing by "deny, allowall"': [() => framing('deny, allowall'), 'page-frames'],
  'fails for an unknown client': [() => respond(isUnknownClient, 500), 'codes-unknown-client'],
  'gives an unknown client no error': [() => respond(isUnknownClient, 400, {}), 'codes-unknown-client'],
  'fails to revoke a token of another': [() => respond(isForeignRevocation, 500), 'foreign-revocation'],
  'refuses that with status 200': [() => respond(isForeignRevocation, 200), 'foreign-revocation'],
  'refuses that without an error': [() => respond(isForeignRevocation, 400, {}), 'foreign-revocation'],
  'is another issuer': [() => members(atMetadata, { issuer: 'http://localhost/other' }), 'metadata'],
  'names no issuer': [() => members(atMetadata, { issuer: undefined }), 'metadata'],
  'names other codes': [() => members(atMetadata, { device_authorization_endpoint: CODES }), 'metadata'],
  'grants passwords': [() => members(atMetadata, { grant_types_supported: ['password'] }), 'metadata'],
  'names no grant': [() => members(atMetadata, { grant_types_supported: undefined }), 'metadata'],
}

/** Other ways to conform, or not to care where nothing is required. Nothing is accused. */
export const VARIANTS: Readonly<Record<string, () => Fault>> = {
  'redirects its page to a sign-in': () => status(atPage, 300),
  'shows documentation to GET': () =>
    change(
      ({ method, path }) => method === 'GET' && [CODES, POLL, REVOCATION].includes(path),
      (response) => {
        response.headers.set('content-type', 'text/html')
        Object.assign(response, { status: 200, body: '<h1>Send a POST</h1>' })
      },
    ),
  'fails at GET': () =>
    status(({ method, path }) => method === 'GET' && [CODES, POLL, REVOCATION].includes(path), 500),
  'shares its origin with a server that publishes metadata': () =>
    members(atMetadata, {
      device_authorization_endpoint: 'http://localhost/elsewhere/codes',
      token_endpoint: 'http://localhost/elsewhere/token',
      revocation_endpoint: 'http://localhost/elsewhere/revocation',
    }),
  'has a page for every unknown path': () => respond(atMetadata, 200, ['an application']),
  'ends a grant whose code a stranger presents': () => strict(isStranger, 'device_code'),
  'ends a login whose refresh token a stranger presents': () => strict(isStranger, 'refresh_token'),
  'spends a refresh token although it refuses the scope': () =>
    both(respond(isTooMuch, 400, { error: 'invalid_scope' }), strict(isTooMuch, 'refresh_token')),
  'repeats the response to a spent refresh token for a while': () => {
    const responses = new Map<string | null, object>()
    return change(
      (request) => atRefresh(request) && !isForeign(request),
      (response, { sent }) => {
        const refreshToken = sent.get('refresh_token')
        const known = responses.get(refreshToken)
        if (known) Object.assign(response, { status: 200, body: known })
        else if (response.body.access_token) responses.set(refreshToken, response.body)
      },
    )
  },
  'lets a named site frame its page, in the second of two policies': () =>
    headers(atPage, {
      'content-security-policy': "default-src 'none', frame-ancestors 'self' https://www.example.com",
      'x-frame-options': undefined,
    }),
  'sends x-frame-options twice': () => framing('deny,  sameorigin'),
  'forbids framing by an empty list': () => headers(atPage, { 'content-security-policy': 'frame-ancestors' }),
  'prefers the last known referrer policy': () =>
    headers(atPage, { 'referrer-policy': 'unsafe-url, no-referrer' }),
  'escapes the user code in its complete URL': () =>
    members(codes, ({ user_code }) => ({
      verification_uri_complete: `http://localhost/?user_code=${user_code.replaceAll(/\w/g, escaped)}`,
    })),
  'sends tokens for a day': () => members(token, { expires_in: 86_400 }),
  'refuses an absent scope and an empty one': () => refusesScope(true),
  'refreshes with fewer scopes than requested': () => ({ before: FAULTS['refresh-scope']().before }),
  'does not revoke access tokens': () =>
    respond((request) => atRevocation(request) && isAccessToken(request), 400, {
      error: 'unsupported_token_type',
    }),
  'lets only clients with a secret revoke tokens': () => respond(({ path }) => path === REVOCATION, 401, {}),
  'ends the login with its access token': () => {
    let ended = false
    return {
      after: (response, request) => {
        if (atRefresh(request) && ended)
          Object.assign(response, { status: 400, body: { error: 'invalid_grant' } })
        ended = atRevocation(request) && isAccessToken(request)
      },
    }
  },
}

/** A service with several faults. */
export function both(...faults: readonly Fault[]): Fault {
  return {
    before: (request) => {
      for (const { before } of faults) before?.(request)
    },
    after: (response, request) => {
      for (const { after } of faults) after?.(response, request)
    },
  }
}
