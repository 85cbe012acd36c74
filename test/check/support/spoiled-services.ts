import type { RequirementId } from '../../../src/check/requirements.ts'

/** A request of the check as a spoiled service sees it. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** A spoiler may change them before the service reads them. */
  readonly fields: URLSearchParams
}

/** What the service answered. A spoiler may change it. */
export interface SeenResponse {
  status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what the wire brings is changed field by field.
  body: any
}

/** Does one thing wrong, and nothing else. */
export interface Spoiler {
  readonly dialect?: 'github' | 'rfc8628'
  before?(asked: Asked): void
  after?(answered: SeenResponse, asked: Asked): void
}

const CODES = '/login/device/code'
const POLL = '/login/oauth/access_token'
const PAGE = '/login/device'

const atCodes = (asked: Asked) => asked.method === 'POST' && asked.path === CODES
const atPoll = (asked: Asked) => asked.method === 'POST' && asked.path === POLL

/** Changes each answer with codes. */
function codes(change: (answered: SeenResponse) => unknown): Spoiler {
  return { after: (answered) => answered.body?.device_code !== undefined && change(answered) }
}

/** Changes each answer with a token. */
function token(change: (answered: SeenResponse) => unknown): Spoiler {
  return { after: (answered) => answered.body?.access_token !== undefined && change(answered) }
}

/** Changes the error word of polls. */
function says(error: string, of: (asked: Asked, answered: SeenResponse) => boolean): Spoiler {
  return {
    after: (answered, asked) => {
      if (atPoll(asked) && of(asked, answered)) answered.body = { error }
    },
  }
}

/** Another device code in place of the service's own, back and forth. */
function alias(toShown: (code: string, count: number) => string): Spoiler {
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
      const shown = toShown(body.device_code, real.size)
      real.set(shown, body.device_code)
      body.device_code = shown
    },
  }
}

const PENDING = 'authorization_pending'

/** For each requirement, a service that fails it and no other one. */
export const SPOILERS: Record<RequirementId, () => Spoiler> = {
  secure: () =>
    codes(({ body }) => {
      body.verification_uri = 'http://login.example.com/device'
    }),
  'form-body': () => {
    let first = true
    return {
      after: (answered, asked) => {
        if (atCodes(asked) && first) Object.assign(answered, { status: 415, body: { error: 'unsupported' } })
        first = false
      },
    }
  },
  codes: () => codes(({ body }) => Object.assign(body, { verification_uri: 'javascript:alert(1)' })),
  'codes-lifetime': () => codes(({ body }) => Object.assign(body, { expires_in: '900' })),
  'codes-json': () => codes(({ headers }) => headers.set('content-type', 'text/plain')),
  'codes-no-store': () => codes(({ headers }) => headers.set('cache-control', 'max-age=60')),
  'device-code-entropy': () => ({
    dialect: 'rfc8628',
    ...alias((_, count) => `few-bits-${count}`),
  }),
  'user-code-entropy': () => {
    let count = 0
    return {
      dialect: 'rfc8628',
      ...codes(({ body }) => {
        body.user_code = `1234-567${count++}`
        body.verification_uri_complete = undefined
      }),
    }
  },
  'complete-address': () =>
    codes(({ body }) => Object.assign(body, { verification_uri_complete: body.verification_uri })),
  'unknown-parameter': () => ({
    after: (answered, { fields }) => {
      if (fields.has('authgraph_check'))
        Object.assign(answered, { status: 400, body: { error: 'invalid_request' } })
    },
  }),
  'empty-scope': () => ({
    after: (answered, { fields }) => {
      if (fields.get('scope') === '')
        Object.assign(answered, { status: 400, body: { error: 'invalid_scope' } })
    },
  }),
  'codes-unique': () => {
    let first: string | undefined
    return codes(({ body }) => {
      first ??= body.user_code
      body.user_code = first
      body.verification_uri_complete = undefined
    })
  },
  'codes-repeated': () => ({
    before: (asked) => {
      if (atCodes(asked)) asked.fields.set('client_id', asked.fields.get('client_id') ?? '')
    },
  }),
  'codes-no-client': () => ({
    before: (asked) => {
      if (atCodes(asked) && !asked.fields.has('client_id')) asked.fields.set('client_id', 'another')
    },
  }),
  'codes-unknown-client': () => ({
    after: (answered, { fields, path }) => {
      if (path === CODES && fields.get('client_id')?.includes('unknown')) answered.status = 200
    },
  }),
  'codes-method': () => ({
    after: (answered, { method, path }) => {
      if (method === 'HEAD' && path === CODES) answered.status = 200
    },
  }),
  pending: () => {
    let first = true
    return {
      after: ({ body }, asked) => {
        if (atPoll(asked) && first) body.error = 'not_yet'
        if (atPoll(asked)) first = false
      },
    }
  },
  'poll-status': () => ({
    dialect: 'github',
    after: (answered) => {
      if (answered.body?.error === PENDING) answered.status = 400
    },
  }),
  'device-code-form': () => alias((code) => `${code}x`),
  'user-code-form': () =>
    codes(({ body }) => Object.assign(body, { user_code: body.user_code.replace('-', '') })),
  'slow-down': () => ({ dialect: 'github', ...says(PENDING, (_, { body }) => body.error === 'slow_down') }),
  'slow-down-interval': () => ({
    after: ({ body }) => {
      if (body?.error === 'slow_down') body.interval = 6
    },
  }),
  recovery: () => {
    let slowed = ''
    return {
      after: ({ body }, asked) => {
        const code = asked.fields.get('device_code') ?? ''
        if (body?.error === PENDING && code === slowed) body.error = 'slow_down'
        if (body?.error === 'slow_down') slowed = code
      },
    }
  },
  approved: () => token((answered) => Object.assign(answered, { body: { error: 'expired_token' } })),
  'early-decision': () => {
    let kept: object | undefined
    return {
      after: (answered) => {
        if (kept !== undefined) {
          answered.body = kept
          kept = undefined
        } else if (answered.body?.access_token !== undefined) {
          kept = answered.body
          answered.body = { error: 'slow_down', interval: 10 }
        }
      },
    }
  },
  'foreign-approved-code': () => {
    let clientId: string | null | undefined
    let isForeign = false
    return {
      before: (asked) => {
        const asking = asked.fields.get('client_id')
        clientId ??= asking
        isForeign = atPoll(asked) && asking !== null && asking !== clientId
        if (isForeign) asked.fields.set('client_id', clientId ?? '')
      },
      after: (answered) => {
        if (isForeign && answered.body.error) answered.body = { error: 'incorrect_device_code' }
      },
    }
  },
  'token-type': () => token(({ body }) => Object.assign(body, { token_type: 'mac' })),
  'token-scope': () => token(({ body }) => Object.assign(body, { scope: 'repo gist' })),
  'token-no-store': () => token(({ headers }) => headers.delete('cache-control')),
  'token-once': () => {
    const tokens = new Map<string, object>()
    return {
      after: (answered, { fields }) => {
        const code = fields.get('device_code') ?? ''
        if (answered.body?.access_token !== undefined) tokens.set(code, answered.body)
        answered.body = tokens.get(code) ?? answered.body
      },
    }
  },
  denied: () => says(PENDING, (_, { body }) => body.error === 'access_denied'),
  'unknown-grant-type': () =>
    says('invalid_grant', ({ fields }) => fields.get('grant_type')?.includes('unknown') === true),
  'no-grant-type': () => says('invalid_grant', ({ fields }) => !fields.has('grant_type')),
  'no-device-code': () => says('invalid_grant', ({ fields }) => !fields.has('device_code')),
  'empty-device-code': () => says('invalid_grant', ({ fields }) => fields.get('device_code') === ''),
  'unknown-device-code': () =>
    says('expired_token', ({ fields }) => /^0+$/.test(fields.get('device_code') ?? '')),
  'foreign-device-code': () => says(PENDING, ({ fields }) => fields.get('client_id') === 'another'),
  'poll-unknown-client': () =>
    says(PENDING, ({ fields }) => fields.get('client_id')?.includes('unknown') === true),
  'poll-no-client': () => says(PENDING, ({ fields }) => !fields.has('client_id')),
  'poll-repeated': () => says(PENDING, ({ fields }) => fields.getAll('device_code').length > 1),
  'poll-method': () => ({
    after: (answered, { method, path }) => {
      if (method === 'GET' && path === POLL) answered.status = 200
    },
  }),
  expired: () => says(PENDING, (_, { body }) => body.error === 'expired_token'),
  'poll-json': () => ({
    after: ({ headers }, asked) => {
      if (atPoll(asked)) headers.set('content-type', 'text/html')
    },
  }),
  redirects: () => ({
    after: (answered, asked) => {
      if (atPoll(asked) && !asked.fields.has('client_id')) answered.status = 307
    },
  }),
  page: () => ({
    after: (answered, { path }) => {
      if (path === PAGE) answered.status = 500
    },
  }),
  'page-frames': () => ({
    after: ({ headers }, { path }) => {
      if (path !== PAGE) return
      headers.delete('x-frame-options')
      headers.set('content-security-policy', "default-src 'none'; frame-ancestors https://example.com")
    },
  }),
  'page-no-store': () => ({
    after: ({ headers }, { path }) => {
      if (path === PAGE) headers.delete('cache-control')
    },
  }),
  metadata: () => ({
    after: (answered, { path }) => {
      if (path.startsWith('/.well-known/')) answered.body.token_endpoint = 'http://localhost/token'
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
    const isJson = new Headers(headers).get('content-type') === 'application/json'
    const fields = new URLSearchParams(isJson ? JSON.parse(String(body)) : String(body ?? ''))
    const asked = { method, path: new URL(String(input)).pathname, fields }
    before?.(asked)
    const sent = isJson ? JSON.stringify(Object.fromEntries(fields)) : fields.toString()
    const response = await fetch(input, { ...init, ...(method === 'POST' && { body: sent }) })
    const text = await response.text()
    const answered: SeenResponse = { status: response.status, headers: response.headers, body: parse(text) }
    after?.(answered, asked)
    const { body: said, status } = answered
    return new Response(typeof said === 'string' ? said : JSON.stringify(said), {
      status,
      headers: answered.headers,
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
