import type { User } from '../../machines/device-grant.ts'
import { BadOptionError, StoreUnavailableError } from '../errors.ts'
import { isLoopback, withoutSlash } from '../protocol/address.ts'
import {
  DEFAULT_INTERVAL,
  DEFAULT_LIFETIME,
  DEFAULT_REUSE_WINDOW,
  TOKEN_DELETION_PATH,
  tokenDeletionPath,
} from '../protocol/endpoints.ts'
import { Secret } from '../secret.ts'
import { createAppTokens } from './credentials/app-jwts.ts'
import { createClients } from './credentials/clients.ts'
import { createPasswords } from './credentials/passwords.ts'
import { createPersonalTokens } from './credentials/personal-tokens.ts'
import { developmentDefaults } from './development-defaults.ts'
import { accessToken, grantTypes } from './endpoints/access-token.ts'
import { type Authentication, authenticate } from './endpoints/authenticate.ts'
import { deviceCode } from './endpoints/device-code.ts'
import { metadata, openidConfiguration } from './endpoints/metadata.ts'
import { revocation, tokenDeletion } from './endpoints/revocation.ts'
import { verification } from './endpoints/verification.ts'
import { DIALECTS } from './grants/dialect.ts'
import { createGrants, type Decision } from './grants/grants.ts'
import { createRevocations } from './grants/revocations.ts'
import { createEmit } from './host/emit.ts'
import { harmless } from './host/harmless.ts'
import { fetchAdapter, type ServiceFetch } from './http/fetch.ts'
import { type Listening, type ListenOptions, LOOPBACK, listen } from './http/listen.ts'
import { createRequestListener, type RequestListener } from './http/request-listener.ts'
import { withRequestLog } from './http/request-log.ts'
import { type Addresses, createRouter, createRoutes, type Handlers } from './http/routes.ts'
import { json, type ServiceRequest, type ServiceResponse, unavailable } from './http/types.ts'
import { createEarlyPolls } from './limits/early-polls.ts'
import { createLimiter } from './limits/limiter.ts'
import { DEFAULT_LIMITS } from './limits/limits.ts'
import { checkOptions, type ServiceOptions } from './options.ts'
import { defaultPage } from './page/branded-page.ts'
import { formSecret } from './page/form-secret.ts'
import { memoryStore } from './stores/memory.ts'
import { hasUserId, isUser } from './stores/user-id.ts'
import { createFamilies } from './tokens/families.ts'
import { createGeneration } from './tokens/generation.ts'
import { createHeldRefreshes } from './tokens/held-refreshes.ts'
import { createNewest } from './tokens/newest.ts'
import { revokeFamily, revokeToken } from './tokens/revoke-token.ts'
import { createTokens, signedTokens } from './tokens/tokens.ts'

const SET_BACK =
  'the store was set back to an earlier copy: codes from before are refused, and revocations may be lost'

const NO_USER = 'the user must be a name that is not empty, or { id, login }'

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
   * Authenticates a request to your own API. Accepts a web `Request`. Wrong passwords are limited per user name and, with
   * an `address`, per network of the client.
   */
  readonly authenticate: (request: {
    readonly url?: string
    readonly headers: Headers
    readonly address?: string | undefined
  }) => Promise<Authentication>
  /**
   * Approves a user code on behalf of a user, as if they had approved on the page. Rejects with {@link BadOptionError} if the
   * user has no name or id.
   */
  readonly approve: (userCode: string, user: User) => Promise<Decision>
  /**
   * Ends a login by its `family`, which `issueToken` received, or by one of its tokens; or all logins of a `user`. Access
   * tokens are refused from then on, except those that the host verifies with `verifyToken`: they are valid until they
   * expire. With all logins of a user end the approvals whose token was not fetched yet: the device gets `access_denied`.
   *
   * An id of a user is the same as a number and as a string. Rejects with {@link BadOptionError} if the user has neither a
   * name nor an id.
   *
   * @returns Whether there was anything to revoke; for a user always `true`.
   */
  readonly revoke: (what: Revocable) => Promise<boolean>
  /** Denies a user code, as if the user had denied on the page. */
  readonly deny: (userCode: string) => Promise<Decision>
}

/** What {@link Service.revoke} ends. */
export type Revocable =
  | { readonly token: string | Secret }
  | { readonly family: string }
  | { readonly user: User }

/** The URL of a service that does not listen: it is called in its own process, where any host will do. */
const IN_PROCESS = 'http://localhost'

/**
 * Creates a service that issues device codes, user codes and access tokens, and serves the verification page.
 *
 * @throws {@link BadOptionError} for an option that is not valid.
 * @example
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
  checkOptions(options)
  let bound: string | undefined
  const addresses = (): Addresses => ({
    authUrl: options.authUrl ?? bound,
    baseUrl: options.baseUrl ?? options.authUrl ?? bound,
  })
  const authUrl = () => withoutSlash(addresses().authUrl ?? IN_PROCESS)
  const onWarning = harmless<string>(options.onWarning ?? warn)
  const development = developmentDefaults(onWarning, authUrl)
  const {
    interval = DEFAULT_INTERVAL,
    expiresIn = DEFAULT_LIFETIME,
    leeway = null,
    firstPoll = 'free',
    clock = Date,
    store = memoryStore({ clock }),
    page = defaultPage,
    identify = development.identify,
    issueToken = development.issueToken,
    clientAddress = development.clientAddress,
  } = options
  const onError = harmless<unknown>(options.onError ?? (() => undefined))
  const dialect = DIALECTS[options.dialect ?? 'github']
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const limiter = createLimiter(limits, store, clock)
  const clients = createClients(options.clients, { limiter, policy: options.policy })
  const emit = createEmit(options.onEvent, clients, clock, onError)
  const revocations = createRevocations(store)
  const grants = createGrants(store, clock, revocations, emit)
  const generation = createGeneration(store, clock, () => onWarning(SET_BACK))
  const families = createFamilies(store, clock)
  const tokens = options.verifyToken
    ? signedTokens(options.verifyToken)
    : createTokens(store, families, revocations, clock)
  const canRevoke = !options.verifyToken || options.refreshTokens !== undefined
  const credentials = {
    emit,
    limiter,
    tokens,
    passwords: createPasswords(options.users ?? []),
    personalTokens: createPersonalTokens(options.personalTokens ?? []),
    appTokens: createAppTokens(options.apps ?? [], clock),
  }
  const parts = {
    emit,
    clients,
    grants,
    generation,
    tokens,
    families,
    logins: createNewest('logins', limits.loginsOfUser, store, clock),
    revocations,
    heldRefreshes: createHeldRefreshes(),
    refreshTokens: options.refreshTokens && {
      ...options.refreshTokens,
      reuseWindow: options.refreshTokens.reuseWindow ?? DEFAULT_REUSE_WINDOW,
    },
    limiter,
    earlyPolls: createEarlyPolls(limits.earlyPolls, clock),
    clientAddress,
    dialect,
    pace: { interval, expiresIn, leeway, firstPoll },
    page,
    identify,
    issueToken,
    secret: formSecret(options.secret, store, clock),
    onError,
    clock,
    authUrl,
  }
  const offered = { grantTypes: grantTypes(parts), clients: options.clients, canRevoke }
  const deletionPaths = options.clients.flatMap(({ clientId, clientSecret }) =>
    clientSecret === undefined ? [] : [tokenDeletionPath(Secret.of(clientId).reveal())],
  )
  const canDelete = canRevoke && options.dialect !== 'rfc8628' && deletionPaths.length > 0
  const handlers: Handlers = {
    deviceCode: (request) => deviceCode(parts, request),
    accessToken: (request) => accessToken(parts, request),
    verification: (request) => verification(parts, request),
    revocation: canRevoke ? (request) => revocation(parts, request) : undefined,
    tokenDeletion: canDelete ? (request) => tokenDeletion(parts, request) : undefined,
    metadata: async () => metadata(addresses().authUrl ?? IN_PROCESS, offered),
    openidConfiguration: options.openidConfiguration
      ? async () => openidConfiguration(addresses().authUrl ?? IN_PROCESS, offered)
      : undefined,
    api: options.api?.({
      clock,
      authenticate: (request) =>
        authenticate(credentials, {
          authorization: request.header('authorization'),
          query: request.query,
          address: clientAddress(request),
        }),
    }),
  }
  const routes = createRoutes(addresses(), handlers)
  let route = createRouter(routes)

  async function response(request: ServiceRequest): Promise<ServiceResponse> {
    try {
      return await route(request)
    } catch (error) {
      onError(error)
      if (error instanceof StoreUnavailableError) return unavailable()
      return json(500, { error: 'server_error', error_description: 'the service failed' })
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
          'to listen off loopback, give authUrl or tls; on a test network, set allowHttp to true',
        )
      if (options.authUrl === undefined && path !== undefined)
        throw new BadOptionError('to listen on a Unix socket, give authUrl')
      const listening = await listen(handle, at)
      bound = listening.url
      route = createRouter(createRoutes(addresses(), handlers))
      return listening
    },
    authenticate: ({ url = '', headers, address }) =>
      authenticate(credentials, {
        authorization: headers.get('authorization') ?? undefined,
        query: new URLSearchParams(url.split('?')[1]),
        address,
      }),
    async revoke(what) {
      if ('family' in what) return revokeFamily(parts, what.family)
      if ('token' in what) return (await revokeToken(parts, Secret.of(what.token))) === 'revoked'
      if (!hasUserId(what.user)) throw new BadOptionError(NO_USER)
      await revocations.add(what.user)
      await emit?.({ type: 'token.revoked', by: 'host', user: what.user })
      return true
    },
    async approve(userCode, user) {
      if (!isUser(user)) throw new BadOptionError(NO_USER)
      return grants.approve(userCode, user, { by: 'host' })
    },
    deny: (userCode) => grants.deny(userCode, { by: 'host' }),
  }
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: a host without the option "onWarning" must see warnings too.
  console.warn(message)
}
