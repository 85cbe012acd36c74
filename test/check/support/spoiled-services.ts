import type { RequirementId } from '../../../src/check/requirements.ts'

/** A request of the check as a spoiled service receives it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The access token. */
  readonly token: string | undefined
  /** A spoiler may change them before the service reads them. */
  readonly fields: URLSearchParams
}

/** The response of the service. A spoiler may change it. */
export interface SeenResponse {
  status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: spoilers change the response field by field.
  body: any
}

/** Breaks exactly one thing. */
export interface Spoiler {
  readonly dialect?: 'github' | 'rfc8628'
  before?(request: SeenRequest): void
  after?(response: SeenResponse, request: SeenRequest): void
}

export const CODES = '/login/device/code'
export const POLL = '/login/oauth/access_token'
export const PAGE = '/login/device'
export const REVOCATION = '/login/oauth/revoke'

const atCodes = (request: SeenRequest) => request.method === 'POST' && request.path === CODES
export const atRefresh = ({ path, fields }: SeenRequest) =>
  path === POLL && fields.get('grant_type') === 'refresh_token'
export const atPoll = (request: SeenRequest) =>
  request.method === 'POST' && request.path === POLL && !atRefresh(request)
export const atRevocation = ({ method, path }: SeenRequest) => method === 'POST' && path === REVOCATION

/** Changes every JSON response with the given member. */
export function each(
  member: string,
  change: (response: SeenResponse, request: SeenRequest) => unknown,
): Spoiler {
  return {
    after: (response, request) => {
      if (response.body?.[member] !== undefined) change(response, request)
    },
  }
}

/** Changes each body with codes. Those before it are counted. */
export const codes = (change: (body: SeenResponse['body'], count: number) => unknown): Spoiler => {
  let count = 0
  return each('device_code', ({ body }) => Object.assign(body, change(body, count++)))
}

/** Changes each body with an access token. Those before it are counted. */
export const tokens = (change: (body: SeenResponse['body'], count: number) => unknown): Spoiler => {
  let count = 0
  return each('access_token', ({ body }) => Object.assign(body, change(body, count++)))
}

/** Responds to a request with something else. */
export function instead(
  of: (request: SeenRequest, response: SeenResponse) => boolean,
  status: number,
  body: object,
): Spoiler {
  return {
    after: (response, request) => {
      if (of(request, response)) Object.assign(response, { status, body })
    },
  }
}

/** Changes the headers of the verification page. */
export function page(headers: Readonly<Record<string, string | undefined>>): Spoiler {
  return {
    after: (response, { path }) => {
      if (path !== PAGE) return
      for (const [name, value] of Object.entries(headers))
        if (value === undefined) response.headers.delete(name)
        else response.headers.set(name, value)
    },
  }
}

/** Changes each response to a poll with a token. */
function token(change: (response: SeenResponse) => unknown): Spoiler {
  return {
    after: (response, request) =>
      atPoll(request) && response.body?.access_token !== undefined && change(response),
  }
}

/** Changes each response to a refresh with a token. */
function refreshed(change: (response: SeenResponse, request: SeenRequest) => unknown): Spoiler {
  return {
    after: (response, request) =>
      atRefresh(request) && response.body?.access_token !== undefined && change(response, request),
  }
}

/** Changes the response to a refresh with a token that was spent before. */
function spent(change: (response: SeenResponse) => unknown): Spoiler {
  const seen = new Set<string | null>()
  return {
    after: (response, request) => {
      if (!atRefresh(request)) return
      const refreshToken = request.fields.get('refresh_token')
      if (response.body.error === 'bad_refresh_token' && seen.has(refreshToken)) change(response)
      if (response.body.access_token) seen.add(refreshToken)
    },
  }
}

/** Codes that no other request gets. */
const CODES_BODY = {
  device_code: 'd'.repeat(40),
  user_code: 'WDJB-MJHT',
  verification_uri: 'http://localhost/login/device',
  expires_in: 900,
}

const TOKEN = { access_token: 'a'.repeat(40), token_type: 'bearer', scope: '' }

/** Changes the error code of polls. */
function says(error: string, of: (request: SeenRequest, response: SeenResponse) => boolean): Spoiler {
  return {
    after: (response, request) => {
      if (atPoll(request) && of(request, response)) Object.assign(response, { status: 200, body: { error } })
    },
  }
}

/** Access tokens that survive a revocation: their own one, or that of their refresh token. */
function survivingToken(own: boolean): Spoiler {
  const revoked = new Set<string | null | undefined>()
  return {
    after: (response, request) => {
      if (atRevocation(request) && response.status === 200) revoked.add(request.fields.get('token'))
      if (request.path === '/user' && response.status === 401 && revoked.has(request.token) === own)
        response.status = 200
    },
  }
}

/** Replaces the device codes of the service, in both directions. */
export function alias(toShown: (body: SeenResponse['body'], count: number) => string): Spoiler {
  const real = new Map<string, string>()
  return {
    before: ({ fields }) => {
      const known = real.get(fields.get('device_code') ?? '')
      if (known === undefined) return
      const count = fields.getAll('device_code').length
      fields.delete('device_code')
      for (let index = 0; index < count; index += 1) fields.append('device_code', known)
    },
    after: ({ body }) => {
      if (body?.device_code === undefined) return
      const shown = toShown(body, real.size)
      real.set(shown, body.device_code)
      body.device_code = shown
    },
  }
}

const PENDING = 'authorization_pending'

/** For each requirement, a service that fails only that one. */
export const SPOILERS: Record<RequirementId, () => Spoiler> = {
  secure: () => codes(() => ({ verification_uri: 'http://login.example.com/device' })),
  'form-body': () => {
    let first = true
    return {
      after: (response, request) => {
        if (atCodes(request) && first)
          Object.assign(response, { status: 415, body: { error: 'unsupported' } })
        first = false
      },
    }
  },
  codes: () => codes(() => ({ verification_uri: 'javascript:alert(1)' })),
  'codes-lifetime': () => codes(() => ({ expires_in: '900' })),
  'codes-json': () => each('device_code', ({ headers }) => headers.set('content-type', 'text/plain')),
  'codes-no-store': () => each('device_code', ({ headers }) => headers.set('cache-control', 'max-age=60')),
  'device-code-entropy': () => ({
    dialect: 'rfc8628',
    ...alias((_, count) => `few-bits-${count}`),
  }),
  'user-code-entropy': () => ({
    dialect: 'rfc8628',
    ...codes((_, count) => ({ user_code: `1234-567${count}`, verification_uri_complete: undefined })),
  }),
  'complete-address': () =>
    codes(({ verification_uri }) => ({ verification_uri_complete: verification_uri })),
  'unknown-parameter': () =>
    instead(({ fields }) => fields.has('authgraph_check'), 400, { error: 'invalid_request' }),
  'empty-scope': () => instead(({ fields }) => fields.get('scope') === '', 400, { error: 'invalid_scope' }),
  'codes-unique': () => {
    let first: string | undefined
    return codes(({ user_code }) => {
      first ??= user_code
      return { user_code: first, verification_uri_complete: undefined }
    })
  },
  'codes-repeated': () => ({
    before: (request) => {
      if (atCodes(request)) request.fields.set('client_id', request.fields.get('client_id') ?? '')
    },
  }),
  'codes-no-client': () => ({
    before: (request) => {
      const { fields } = request
      if (atCodes(request) && fields.has('scope') && !fields.has('client_id'))
        fields.set('client_id', 'another')
    },
  }),
  'codes-unknown-client': () => ({
    after: (response, { fields, path }) => {
      if (path === CODES && fields.get('client_id')?.includes('unknown')) response.status = 200
    },
  }),
  'codes-method': () => instead(({ method, path }) => method === 'GET' && path === CODES, 200, CODES_BODY),
  pending: () => {
    let first = true
    return {
      after: ({ body }, request) => {
        if (atPoll(request) && first) body.error = 'not_yet'
        if (atPoll(request)) first = false
      },
    }
  },
  'poll-status': () => ({
    dialect: 'github',
    ...each(
      'error',
      (response) => response.body.error === PENDING && Object.assign(response, { status: 400 }),
    ),
  }),
  'device-code-form': () => alias(({ device_code }) => `${device_code}x`),
  'user-code-form': () => codes(({ user_code }) => ({ user_code: user_code.replace('-', '') })),
  'slow-down': () =>
    each('error', ({ body }) => body.error === 'slow_down' && Object.assign(body, { error: PENDING })),
  'slow-down-interval': () =>
    each('error', ({ body }) => body.error === 'slow_down' && Object.assign(body, { interval: 6 })),
  recovery: () => {
    let slowed = ''
    return {
      after: ({ body }, request) => {
        const code = request.fields.get('device_code') ?? ''
        if (body?.error === PENDING && code === slowed) body.error = 'slow_down'
        if (body?.error === 'slow_down') slowed = code
      },
    }
  },
  approved: () => token((response) => Object.assign(response, { body: { error: 'expired_token' } })),
  'early-decision': () => {
    let kept: object | undefined
    return {
      after: (response, request) => {
        if (!atPoll(request)) return
        if (kept !== undefined) {
          response.body = kept
          kept = undefined
        } else if (response.body?.access_token !== undefined) {
          kept = response.body
          response.body = { error: 'slow_down', interval: 10 }
        }
      },
    }
  },
  'foreign-approved-code': () => {
    let clientId: string | null | undefined
    let isForeign = false
    return {
      before: (request) => {
        const asking = request.fields.get('client_id')
        clientId ??= asking
        isForeign = atPoll(request) && asking !== null && asking !== clientId
        if (isForeign) request.fields.set('client_id', clientId ?? '')
      },
      after: (response) => {
        if (isForeign && response.body.error) response.body = { error: 'incorrect_device_code' }
      },
    }
  },
  'token-type': () => token(({ body }) => Object.assign(body, { token_type: 'mac' })),
  'token-scope': () => token(({ body }) => Object.assign(body, { scope: 'repo gist' })),
  'token-no-store': () => token(({ headers }) => headers.delete('cache-control')),
  refreshed: () => refreshed((response) => Object.assign(response, { body: { error: 'bad_refresh_token' } })),
  'refresh-no-store': () => refreshed(({ headers }) => headers.delete('cache-control')),
  'token-lifetime': () => refreshed(({ body }) => Object.assign(body, { expires_in: undefined })),
  'refresh-rotation': () => {
    const newest = new Map<string, string>()
    return {
      before: ({ fields }) => {
        const real = newest.get(fields.get('refresh_token') ?? '')
        if (real !== undefined) fields.set('refresh_token', real)
      },
      after: (response, request) => {
        if (!response.body?.refresh_token) return
        const [shown = response.body.refresh_token] = newest.keys()
        if (atPoll(request)) newest.clear()
        newest.set(atPoll(request) ? response.body.refresh_token : shown, response.body.refresh_token)
        if (atRefresh(request)) response.body.refresh_token = shown
      },
    }
  },
  'foreign-refresh-token': () => {
    let clientId: string | null | undefined
    return {
      before: (request) => {
        clientId ??= request.fields.get('client_id')
        if (atRefresh(request)) request.fields.set('client_id', clientId ?? '')
      },
    }
  },
  'refresh-scope': () => {
    let scope: string | null = null
    return {
      before: (request) => {
        scope = atRefresh(request) ? request.fields.get('scope') : null
        if (scope !== null) request.fields.delete('scope')
      },
      after: ({ body }) => scope !== null && Object.assign(body, { scope }),
    }
  },
  'spent-refresh-token': () => spent((response) => Object.assign(response, { body: TOKEN })),
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
  'token-entropy': () => token(({ body }) => Object.assign(body, { access_token: '123456' })),
  'device-code-private': () =>
    codes(({ device_code, verification_uri, user_code }) => ({
      verification_uri_complete: `${verification_uri}?user_code=${user_code}&device_code=${device_code}`,
    })),
  'token-once': () => {
    const tokens = new Map<string, object>()
    return {
      after: (response, request) => {
        if (!atPoll(request)) return
        const code = request.fields.get('device_code') ?? ''
        const known = tokens.get(code)
        if (known) response.body = { ...known, access_token: crypto.randomUUID() + crypto.randomUUID() }
        else if (response.body?.access_token !== undefined) tokens.set(code, response.body)
      },
    }
  },
  denied: () => says(PENDING, (_, { body }) => body.error === 'access_denied'),
  'unknown-grant-type': () =>
    says('invalid_grant', ({ fields }) => fields.get('grant_type')?.includes('unknown') === true),
  'no-grant-type': () => says('invalid_grant', ({ fields }) => !fields.has('grant_type')),
  'no-device-code': () => says('invalid_grant', ({ fields }) => !fields.has('device_code')),
  'empty-device-code': () => says('invalid_grant', ({ fields }) => fields.get('device_code') === ''),
  query: () =>
    instead(
      ({ method, path, query }) => method === 'POST' && path === CODES && query.has('client_id'),
      200,
      CODES_BODY,
    ),
  'unknown-device-code': () =>
    says('expired_token', ({ fields }) => /^0+$/.test(fields.get('device_code') ?? '')),
  'foreign-device-code': () => says(PENDING, ({ fields }) => fields.get('client_id') === 'another'),
  'poll-unknown-client': () =>
    says(PENDING, ({ fields }) => fields.get('client_id')?.includes('unknown') === true),
  'poll-no-client': () =>
    says(PENDING, ({ fields }) => fields.has('device_code') && !fields.has('client_id')),
  'poll-repeated': () => says(PENDING, ({ fields }) => fields.getAll('device_code').length > 1),
  'poll-method': () => instead(({ method, path }) => method === 'GET' && path === POLL, 200, TOKEN),
  expired: () => says(PENDING, (_, { body }) => body.error === 'expired_token'),
  'poll-json': () => ({
    after: ({ headers }, request) => {
      if (atPoll(request)) headers.set('content-type', 'text/html')
    },
  }),
  redirects: () => ({
    after: (response, request) => {
      if (atPoll(request) && !request.fields.has('client_id')) response.status = 307
    },
  }),
  page: () => ({
    after: (response, { path }) => {
      if (path === PAGE) response.status = 500
    },
  }),
  'page-frames': () =>
    page({
      'content-security-policy': "default-src 'none'; frame-ancestors *",
      'x-frame-options': undefined,
    }),
  'page-no-store': () => page({ 'cache-control': undefined }),
  metadata: () => ({
    after: (response, { path }) => {
      if (path.startsWith('/.well-known/')) response.body.token_endpoint = 'http://localhost/token'
    },
  }),
  'revocation-unknown': () => ({
    after: (response, request) => {
      if (atRevocation(request) && request.fields.get('token')?.includes('unknown')) response.status = 404
    },
  }),
  'revocation-no-token': () => ({
    after: (response, request) => {
      if (atRevocation(request) && !request.fields.has('token')) response.body = {}
    },
  }),
  'revocation-method': () => {
    const revoked = new Set<string | null>()
    return {
      after: (response, request) => {
        if (request.path === REVOCATION && request.method === 'GET') revoked.add(request.query.get('token'))
        if (atRefresh(request) && revoked.has(request.fields.get('refresh_token')))
          response.body = { error: 'bad_refresh_token' }
      },
    }
  },
  'foreign-revocation': () =>
    instead((request) => atRevocation(request) && request.fields.get('client_id') === 'another', 200, {}),
  revoked: () => ({
    after: (response, request) => {
      if (atRevocation(request) && !/unknown/.test(request.fields.get('token') ?? 'unknown'))
        if (response.status === 200) response.status = 202
    },
  }),
  'revoked-refresh-token': () => {
    const revoked = new Set<string | null>()
    return {
      after: (response, request) => {
        if (atRevocation(request) && response.status === 200) revoked.add(request.fields.get('token'))
        if (atRefresh(request) && revoked.has(request.fields.get('refresh_token'))) response.body = TOKEN
      },
    }
  },
  'revoked-access-token': () => survivingToken(true),
  'revoked-with-refresh-token': () => survivingToken(false),
  'codes-short': () => codes(() => ({ expires_in: 901 })),
  'token-short': () => token(({ body }) => (body.expires_in = 86_401)),
  'page-referrer': () => page({ 'referrer-policy': 'no-referrer, unsafe-url' }),
  'page-cors': () => page({ 'access-control-allow-origin': '*' }),
  'token-in-url': () => ({
    after: (response, { path }) => {
      if (path === '/user' && response.status === 400) response.status = 200
    },
  }),
}

/** A `fetch` between the check and the service that does one thing wrong. */
export function spoiledFetch(
  fetch: typeof globalThis.fetch,
  { before, after }: Spoiler,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body, headers } = init
    const sentHeaders = new Headers(headers)
    const isJson = sentHeaders.get('content-type') === 'application/json'
    const token = sentHeaders.get('authorization')?.replace('Bearer ', '')
    const fields = new URLSearchParams(isJson ? JSON.parse(String(body)) : String(body ?? ''))
    const { pathname: path, searchParams: query } = new URL(String(input))
    const request = { method, path, query, token, fields }
    before?.(request)
    const sent = isJson ? JSON.stringify(Object.fromEntries(fields)) : fields.toString()
    const received = await fetch(input, { ...init, ...(method === 'POST' && { body: sent }) })
    const text = await received.text()
    const response: SeenResponse = { status: received.status, headers: received.headers, body: parse(text) }
    after?.(response, request)
    const { body: said, status } = response
    return new Response(typeof said === 'string' ? said : JSON.stringify(said), {
      status,
      headers: response.headers,
    })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
