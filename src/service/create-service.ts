import type { User } from '../../machines/device-grant.ts'
import { createGate, type Gate, type GateOptions, unlessUnavailable } from '../access/gate.ts'
import { type IncomingRequest, readIncoming } from '../access/incoming-request.ts'
import { assertKnown } from '../assert-known.ts'
import { AccessError, BadOptionError } from '../errors.ts'
import { TOKEN_DELETION_PATH, tokenDeletionPath } from '../protocol/endpoints.ts'
import { isLoopback } from '../protocol/syntax.ts'
import { Secret } from '../secret.ts'
import { accessToken } from './endpoints/access-token.ts'
import { deviceCode } from './endpoints/device-code.ts'
import { introspection } from './endpoints/introspection.ts'
import { metadata, openidConfiguration } from './endpoints/metadata.ts'
import { withNonce } from './endpoints/proof-of.ts'
import { registration } from './endpoints/registration.ts'
import { revocation, tokenDeletion } from './endpoints/revocation.ts'
import { verification } from './endpoints/verification.ts'
import type { Decision } from './grants/grants.ts'
import { mayIntrospect } from './grants/resources.ts'
import { checkOptions, OPTIONS } from './host/check-options.ts'
import { harmless } from './host/harmless.ts'
import { RefusedRequest } from './host/refused-request.ts'
import { fetchAdapter, type ServiceFetch } from './http/fetch.ts'
import { type Listening, type ListenOptions, LOOPBACK, listen } from './http/listen.ts'
import { createRequestListener, type RequestListener, serviceRequest } from './http/request-listener.ts'
import { withRequestLog } from './http/request-log.ts'
import { type Addresses, createRouter, createRoutes, type Handlers } from './http/routes.ts'
import {
  HostMistakeError,
  hostError,
  json,
  type ServiceRequest,
  type ServiceResponse,
  unavailable,
} from './http/types.ts'
import type { ServiceOptions } from './options.ts'
import { createParts, listedClients } from './parts.ts'
import { hasUserId, isUser } from './stores/user-id.ts'
import {
  type AuthenticatedToken,
  type Authentication,
  authenticate,
  findToken,
} from './tokens/authenticate.ts'

const NO_USER = 'the user must be a non-empty name, or { id, login }'

/** An authorization service for the device flow. You may destructure it: its functions do not use `this`. */
export interface Service {
  /** Responds to a web `Request`, in any runtime. In a test, pass it to a client as its `fetch`. */
  readonly fetch: ServiceFetch
  /** Responds to a request of Node's `http` or `http2` module, or of a framework built on them. Mount it before body parsers. */
  readonly requestListener: RequestListener
  /** The paths to mount in a framework. Any other path gets 404. */
  readonly paths: readonly string[]
  /**
   * Serves HTTP on Node, by default on a free port of 127.0.0.1. Rejects with {@link BadOptionError} if the port is in
   * use, the socket cannot be created, the certificate is not valid, or the runtime has no HTTP server.
   */
  readonly listen: (at?: ListenOptions) => Promise<Listening>
  /**
   * Protects a route of your own API. Call it once for each kind of route, and call the function that it returns for
   * each request. That function resolves to the owner of the access token, or rejects with an {@link AccessError},
   * which contains the response. It accepts a web `Request`, and the request of Node, Express, Fastify or Hono.
   *
   * ```ts
   * const gate = service.requireToken({ scopes: ['repo'] })
   *
   * async function profile(request: Request) {
   *   const { user } = await gate(request)
   *   return Response.json({ user })
   * }
   * ```
   *
   * A token that was issued for one of `resources` is accepted only if you name that resource, and then no other token is accepted.
   * If you name no resource, personal access tokens are accepted too. For passwords and app JWTs, use `authenticate`.
   *
   * @throws {@link BadOptionError} for an option that is not valid.
   */
  readonly requireToken: (options?: TokenRequirements) => Gate<AuthenticatedToken>
  /**
   * Authenticates a request to your own API, whatever its kind of credential. Resolves to `undefined` if it has none. For a
   * route that needs a credential, use `requireToken`.
   *
   * Wrong passwords are limited per user name and, if the address is known, per network of the client: with a web request, pass
   * `{ url, headers, address }`. An access token must be for the `resource` that you name or, without one, for no resource.
   *
   * Rejects with {@link AccessError} for a credential that is not valid, and if the store does not respond (status 503);
   * with {@link BadOptionError} for anything that is not a request.
   */
  readonly authenticate: (
    request: IncomingRequest,
    options?: Pick<TokenRequirements, 'resource'>,
  ) => Promise<Authentication | undefined>
  /**
   * Approves a user code on behalf of a user. The rules of the page do not apply: neither `policy` nor the limits of wrong
   * codes, nor that only the user who opened the code first can decide. Rejects with {@link BadOptionError} if the user has
   * no name or ID.
   */
  readonly approve: (userCode: string, user: User) => Promise<Decision>
  /**
   * Ends a login by its `family`, the ID that `issueToken` received, or by one of its tokens; or ends all logins of a
   * `user`. Its access tokens are refused from then on, except those that you verify with `verifyToken`: they are valid
   * until they expire. Ending all logins of a user also ends approvals whose token has not been fetched yet: the device
   * gets `access_denied`.
   *
   * The ID of a user may be a number or the same number as a string. Rejects with {@link BadOptionError} if the user has
   * neither a name nor an ID.
   *
   * @returns Whether there was anything to revoke; for a user always `true`.
   */
  readonly revoke: (what: Revocable) => Promise<boolean>
  /** Denies a user code, as if the user had denied on the page. */
  readonly deny: (userCode: string) => Promise<Decision>
}

/** What {@link Service.requireToken} requires. */
export interface TokenRequirements extends GateOptions {
  /** The URI of the API, one of `resources`, that the token must be for. Default: none, for this service's own routes. */
  readonly resource?: string
}

/** What {@link Service.revoke} ends. */
export type Revocable =
  | { readonly token: string | Secret }
  | { readonly family: string }
  | { readonly user: User }

/** The URL of a service that does not listen: it is called in its own process, where any host will do. */
const IN_PROCESS = 'http://localhost'

/**
 * Creates a service that issues device codes, user codes and access tokens, and serves the verification page. In
 * production, pass `identify` and either `issueToken` or `keys`: the defaults are for development only.
 *
 * @throws {@link BadOptionError} for an option that is not valid.
 * @example For development, with the same user for every visitor
 * ```ts
 * import { createService } from 'authgraph/service'
 *
 * const service = createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 * })
 * const { url } = await service.listen({ port: 8080 })
 * ```
 *
 * @example With your own users and tokens
 * ```ts
 * import { createService } from 'authgraph/service'
 *
 * const service = createService({
 *   authUrl: 'https://login.example.com',
 *   clients: [
 *     { clientId: 'my-client-id', name: 'My app', scopes: ['read:user'] },
 *   ],
 *   identify: ({ header }, returnTo) => {
 *     const user = sessions.userOf(header('cookie'))
 *     return user
 *       ? { user }
 *       : { signInAt: `/sign-in?return_to=${encodeURIComponent(returnTo)}` }
 *   },
 *   issueToken: ({ user, scopes }) => sessions.newToken(user, scopes),
 * })
 * const { url } = await service.listen({ port: 8080 })
 * ```
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3 RFC 8628, section 3}
 */
export function createService(options: ServiceOptions): Service {
  assertKnown(options, OPTIONS satisfies Record<keyof ServiceOptions, unknown>)
  checkOptions(options)
  let bound: string | undefined
  const addresses = (): Addresses => ({
    authUrl: options.authUrl ?? bound,
    baseUrl: options.baseUrl ?? options.authUrl ?? bound,
  })
  const issuer = () => addresses().authUrl ?? IN_PROCESS
  const apiUrl = () => addresses().baseUrl ?? IN_PROCESS
  const parts = createParts(options, issuer)
  const { clock, emit, grants, logins, onError, revocations, canRevoke, signingKeys } = parts
  const deletionPaths = listedClients(options).flatMap(({ clientId, clientSecret }) =>
    clientSecret === undefined ? [] : [tokenDeletionPath(Secret.of(clientId).reveal())],
  )
  const canDelete = canRevoke && options.dialect !== 'rfc8628' && deletionPaths.length > 0
  const handlers: Handlers = {
    deviceCode: async (request) => withNonce(parts, request, await deviceCode(parts, request)),
    accessToken: async (request) => withNonce(parts, request, await accessToken(parts, request)),
    verification: (request) => verification(parts, request),
    revocation: canRevoke ? (request) => revocation(parts, request) : undefined,
    registration: parts.registered && ((request) => registration(parts, request)),
    introspection: (options.resources ?? []).some(mayIntrospect)
      ? (request) => introspection(parts, request)
      : undefined,
    tokenDeletion: canDelete ? (request) => tokenDeletion(parts, request) : undefined,
    metadata: () => metadata(parts, options),
    keys: signingKeys && (async () => json(200, { keys: await signingKeys.publicKeys() })),
    openidConfiguration:
      (options.openidConfiguration ?? signingKeys) ? () => openidConfiguration(parts, options) : undefined,
  }
  const api = options.api?.({
    clock,
    authenticate: (request) => authenticate(parts, request, { uri: apiUrl() }),
  })
  const routes = createRoutes(addresses(), handlers, api)
  let route = createRouter(routes)

  /** The URI of a resource as tokens contain it. */
  function knownResource(uri: string | undefined): string | undefined {
    const known = uri === undefined || parts.resources.find(uri)
    if (known === undefined) throw new BadOptionError('resource must be the uri of one of the resources')
    return known === true ? undefined : known.uri
  }

  async function response(request: ServiceRequest): Promise<ServiceResponse> {
    try {
      return await route(request)
    } catch (error) {
      if (error instanceof AccessError) return json(error.status, { message: error.message }, error.headers)
      if (error instanceof RefusedRequest) {
        if (error.event) await emit(error.event, request)
        return error.response
      }
      // Whatever failed, the host may mend it: no client gives up.
      onError(error)
      return error instanceof HostMistakeError ? hostError(error) : unavailable()
    }
  }
  const handle = options.onResponse ? withRequestLog(response, harmless(options.onResponse)) : response

  return {
    fetch: fetchAdapter(handle),
    requestListener: createRequestListener(handle),
    paths: routes.paths.flatMap((path) =>
      path.endsWith(TOKEN_DELETION_PATH)
        ? deletionPaths.map((own) => path.replace(TOKEN_DELETION_PATH, () => own))
        : [path],
    ),
    async listen(at = {}) {
      const { host = LOOPBACK, path, tls } = at
      if (options.authUrl === undefined && !options.allowHttp && !tls && !isLoopback(host))
        throw new BadOptionError(
          'to listen beyond this machine, give authUrl or tls; on a test network, set allowHttp to true',
        )
      if (options.authUrl === undefined && path !== undefined)
        throw new BadOptionError('to listen on a Unix socket, give authUrl')
      const listening = await listen(handle, at)
      bound = listening.url
      route = createRouter(createRoutes(addresses(), handlers, api))
      return listening
    },
    requireToken({ resource, ...required } = {}) {
      const uri = knownResource(resource)
      const find = (token: string) => findToken(parts, token, uri)
      return createGate(required, { find, onError, proofs: parts.apiProofs, uri: () => uri ?? apiUrl() })
    },
    async authenticate(request, { resource } = {}) {
      const uri = knownResource(resource)
      const { originalUrl, url = '/', method, rawHeaders, socket } = readIncoming(request)
      const read = serviceRequest({ method, rawHeaders, socket, url: originalUrl ?? url }, undefined)
      const api = { resource: uri, uri: uri ?? apiUrl() }
      return unlessUnavailable(() => authenticate(parts, read, api), onError)
    },
    async revoke(what) {
      if ('family' in what) return logins.endFamily(what.family, 'host')
      if ('token' in what) return (await logins.revoke(Secret.of(what.token), 'host')) === 'revoked'
      if (!hasUserId(what.user)) throw new BadOptionError(NO_USER)
      await revocations.add(what.user)
      await emit({ type: 'token.revoked', by: 'host', user: what.user })
      return true
    },
    async approve(userCode, user) {
      if (!isUser(user)) throw new BadOptionError(NO_USER)
      return grants.approve(userCode, user, { by: 'host' })
    },
    deny: (userCode) => grants.deny(userCode, { by: 'host' }),
  }
}
