import { onTestFinished } from 'vitest'
import { deviceLogin, type McpLoginOptions, type PendingCodes } from '../../../src/mcp/index.ts'
import type { ServiceOptions } from '../../../src/service/index.ts'
import { memoryStore } from '../../../src/session/index.ts'
import { VirtualTime } from '../../../src/testing/sandbox/virtual-time.ts'
import { CLIENT_ID, CODES_PATH, HOST, startService, TOKEN_PATH } from '../../support/start-service.ts'

/** The MCP server of a test, and what its tools need. */
export const SERVER = 'http://localhost:8787/mcp'
const METADATA = 'http://localhost:8787/.well-known/oauth-protected-resource/mcp'

/** What a test may change. */
interface WorldOptions {
  readonly service?: Partial<ServiceOptions>
  /** Whether the service issues refresh tokens. Default: yes. */
  readonly isRefreshed?: boolean
  /** Members of the documents. */
  readonly metadata?: object
  readonly issuer?: object
}

/**
 * An MCP server, our service as its issuer, which also registers clients, and any number of programs that share a store, in
 * virtual time.
 */
export function world({ service: more, isRefreshed = true, metadata, issuer }: WorldOptions = {}) {
  const time = new VirtualTime()
  const clock = time.clock()
  const service = startService({
    clock,
    dialect: 'rfc8628',
    ...(isRefreshed && { refreshTokens: { lifetime: 30 * 24 * 3600 } }),
    ...more,
  })
  const counts = {
    codes: 0,
    polls: 0,
    registrations: 0,
    refreshes: 0,
    revocations: 0,
    documents: 0,
    calls: 0,
  }
  const server = {
    /** The scopes that a call needs, by the name of the tool. */
    needs: (tool: string): string[] => (tool === 'write' ? ['tool:write'] : []),
    /** The `Authorization` headers that it received. */
    received: [] as (string | null)[],
    accepts: async (header: string) =>
      service.authenticate({ headers: new Headers({ authorization: header }) }),
    document: {
      ...{ resource: SERVER, authorization_servers: [HOST], scopes_supported: ['tool:read'] },
      ...metadata,
    },
    respond: undefined as ((url: URL) => Response | undefined) | undefined,
  }

  async function serve(url: URL, request: Request): Promise<Response> {
    const special = server.respond?.(url)
    if (special) return special
    if (url.pathname.startsWith('/.well-known/')) {
      counts.documents += 1
      return url.href === METADATA ? Response.json(server.document) : new Response('', { status: 404 })
    }
    counts.calls += 1
    const header = request.headers.get('authorization')
    server.received.push(header)
    const found = header === null ? undefined : await server.accepts(header).catch(() => undefined)
    const challenge = `Bearer resource_metadata="${METADATA}"`
    if (found === undefined)
      return new Response('', { status: 401, headers: { 'www-authenticate': challenge } })
    const scope = server.needs(await request.text())
    const granted: readonly string[] = 'scopes' in found ? (found.scopes as readonly string[]) : []
    if (scope.every((name) => granted.includes(name))) return Response.json({ scopes: granted })
    const lacks = `${challenge}, error="insufficient_scope", scope="${scope.join(' ')}"`
    return new Response('', { status: 403, headers: { 'www-authenticate': lacks } })
  }

  async function serveIssuer(url: URL, request: Request): Promise<Response> {
    if (url.pathname === '/register') {
      counts.registrations += 1
      return Response.json({ client_id: CLIENT_ID }, { status: 201 })
    }
    if (url.pathname.startsWith('/.well-known/')) counts.documents += 1
    if (url.pathname === CODES_PATH) counts.codes += 1
    if (url.pathname === TOKEN_PATH) counts.polls += 1
    if (url.pathname.endsWith('/revoke')) counts.revocations += 1
    if (url.pathname === TOKEN_PATH && /refresh_token/.test(await request.clone().text()))
      counts.refreshes += 1
    const response = await service.fetch(request)
    if (url.pathname !== '/.well-known/oauth-authorization-server') return response
    return Response.json({ ...(await response.json()), registration_endpoint: `${HOST}/register`, ...issuer })
  }

  const fetch: typeof globalThis.fetch = time.through(async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    return url.port === '8787' ? serve(url, request) : serveIssuer(url, request)
  })

  /** What was sent to the paths of `at`. */
  const sent: RequestInit[] = []
  /** A `fetch` that responds itself at one path of the server or the issuer, or forwards the request. */
  function at(
    path: string,
    respond: (forward: () => Promise<Response>) => Response | Promise<Response>,
    next = fetch,
  ): typeof globalThis.fetch {
    return async (input, init = {}) => {
      const forward = () => next(input, init)
      if (input instanceof Request || new URL(input).pathname !== path) return forward()
      sent.push(init)
      return respond(forward)
    }
  }

  const store = memoryStore({ clock })
  const shown: PendingCodes[] = []
  /** A program with a login of its own, which shares the store. */
  function program(options: Partial<McpLoginOptions> = {}) {
    const onCodes = (codes: PendingCodes) => shown.push(codes)
    const login = deviceLogin(SERVER, { store, fetch, clock, onCodes, ...options })
    const call = (tool = 'read', init: RequestInit = {}) =>
      login.fetch(SERVER, { method: 'POST', body: tool, ...init })
    onTestFinished(async () => void (await login.session().catch(() => undefined))?.actor.stop())
    return { ...login, call }
  }

  /** Resolves once virtual time has brought the promise to its end. */
  async function over<Value>(promise: Promise<Value>): Promise<Value> {
    let isOver = false
    const done = () => {
      isOver = true
    }
    promise.then(done, done)
    await time.until(() => isOver)
    return promise
  }

  const approve = ({ userCode }: { readonly userCode: string }) =>
    service.approve(userCode, { id: 7, login: 'octocat' })

  /** A program whose user approves at once. */
  async function loggedIn() {
    const one = program({ onCodes: approve })
    await over(one.call())
    return one
  }

  const parts = { time, clock, service, counts, server, store, fetch, at, sent, shown }
  return { ...parts, program, over, approve, loggedIn }
}

/** A promise that the test resolves. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
