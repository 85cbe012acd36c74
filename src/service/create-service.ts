import type { User } from '../../machines/device-grant.ts'
import { BadOptionError, StoreUnavailableError } from '../errors.ts'
import { isLoopback, withoutSlash } from '../protocol/address.ts'
import { DEFAULT_INTERVAL, DEFAULT_LIFETIME } from '../protocol/endpoints.ts'
import { createClients } from './clients.ts'
import { createAppTokens } from './credentials/app-jwts.ts'
import { type Authentication, authenticate } from './credentials/authenticate.ts'
import { createPasswords } from './credentials/passwords.ts'
import { createPersonalTokens } from './credentials/personal-tokens.ts'
import { createTokens, type Tokens } from './credentials/tokens.ts'
import { developmentDefaults } from './development-defaults.ts'
import { DIALECTS } from './dialect.ts'
import { createEarlyPolls } from './early-polls.ts'
import { accessToken } from './endpoints/access-token.ts'
import { app, user } from './endpoints/api.ts'
import { deviceCode } from './endpoints/device-code.ts'
import { metadata, openidConfiguration } from './endpoints/metadata.ts'
import { verification } from './endpoints/verification.ts'
import { formSecret } from './form-secret.ts'
import { createGrants, type Decision } from './grants.ts'
import { fetchAdapter, type ServiceFetch } from './http/fetch.ts'
import { type Listening, type ListenOptions, LOOPBACK, listen } from './http/listen.ts'
import { createRequestListener, type RequestListener } from './http/request-listener.ts'
import { withRequestLog } from './http/request-log.ts'
import { type Addresses, createRouter, createRoutes, type Handlers } from './http/routes.ts'
import { json, type ServiceRequest, type ServiceResponse, unavailable } from './http/types.ts'
import { createLimiter } from './limiter.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { checkOptions, type ServiceOptions } from './options.ts'
import { defaultPage } from './pages/default-page.ts'
import { memoryStore } from './stores/memory.ts'
import { createWaitingGrants } from './waiting-grants.ts'

/**
 * A service for the device flow. Its functions need no `this`.
 *
 * @group Service
 */
export interface Service {
  /** Responds to a web request, in any runtime. A client takes it as its own `fetch`. */
  readonly fetch: ServiceFetch
  /** Responds to a request of Node's `http` module, and of frameworks built on it. Mount it before body parsers. */
  readonly requestListener: RequestListener
  /** The paths that are served, for a framework to mount. Any other path gets 404. */
  readonly paths: readonly string[]
  /** Serves HTTP on Node: on a free port of 127.0.0.1 by default. Rejects with BadOptionError where it cannot. */
  readonly listen: (at?: ListenOptions) => Promise<Listening>
  /**
   * Recognises the credential of a request to an API of your own. Wrong passwords are limited by the IP address of the
   * client; without an `address`, by user name.
   */
  readonly authenticate: (request: {
    readonly url?: string
    readonly headers: Headers
    readonly address?: string | undefined
  }) => Promise<Authentication>
  /** Approves as the user would on the page. */
  readonly approve: (userCode: string, user: User) => Promise<Decision>
  /** Denies as the user would on the page. */
  readonly deny: (userCode: string) => Promise<Decision>
}

/** The address of a service that never listened: it is called in its own process, and any host will do. */
const IN_PROCESS = 'http://localhost'

/**
 * Makes a service that issues codes and tokens as Spec 4 says.
 *
 * @throws {@link BadOptionError} for an option that cannot be used.
 * @group Service
 * @see Spec 3, 4
 */
export function createService(options: ServiceOptions): Service {
  checkOptions(options)
  let bound: string | undefined
  const addresses = (): Addresses => ({
    authUrl: options.authUrl ?? bound,
    baseUrl: options.baseUrl ?? options.authUrl ?? bound,
  })
  const authUrl = () => withoutSlash(addresses().authUrl ?? IN_PROCESS)
  const development = developmentDefaults(options.onWarning ?? warn, authUrl)
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
  const onError = harmless(options.onError ?? (() => undefined))
  const dialect = DIALECTS[options.dialect ?? 'github']
  const clients = createClients(options.clients)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const limiter = createLimiter(limits, store, clock)
  const waitingGrants = createWaitingGrants(limits, expiresIn, store, clock)
  const grants = createGrants(store, clock, (grant) => waitingGrants.remove(grant).catch(onError))
  const tokens = options.verifyToken ? signedTokens(options.verifyToken) : createTokens(store)
  const credentials = {
    limiter,
    tokens,
    passwords: createPasswords(options.users ?? []),
    personalTokens: createPersonalTokens(options.personalTokens ?? []),
    appTokens: createAppTokens(options.apps ?? [], clock),
  }
  const identifyCaller = (request: ServiceRequest) =>
    authenticate(credentials, {
      authorization: request.header('authorization'),
      query: request.query,
      address: clientAddress(request),
    })

  const parts = {
    clients,
    grants,
    tokens,
    limiter,
    waitingGrants,
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
  const handlers: Handlers = {
    deviceCode: (request) => deviceCode(parts, request),
    accessToken: (request) => accessToken(parts, request),
    verification: (request) => verification(parts, request),
    metadata: async () => metadata(addresses().authUrl ?? IN_PROCESS),
    openidConfiguration: options.openidConfiguration
      ? async () => openidConfiguration(addresses().authUrl ?? IN_PROCESS, options.clients)
      : undefined,
    user: async (request) => user(await identifyCaller(request)),
    app: async (request) => app(await identifyCaller(request)),
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
    paths: [...routes.keys()],
    async listen(at = {}) {
      const { host = LOOPBACK, tls } = at
      if (options.authUrl === undefined && !options.allowHttp && !tls && !isLoopback(host))
        throw new BadOptionError(
          'listening off loopback takes an authUrl, or tls: for a test network, set allowHttp to true',
        )
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
    approve: grants.approve,
    deny: grants.deny,
  }
}

/** Who only listens must not be able to end a request: what they throw is dropped. */
function harmless<ReceivedEvent>(
  receive: (received: ReceivedEvent) => void,
): (received: ReceivedEvent) => void {
  return (received) => {
    try {
      receive(received)
    } catch {}
  }
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: a host that gave no option "onWarning" must hear of it all the same.
  console.warn(message)
}

/** Nothing has to be kept of tokens that the host verifies by itself. */
function signedTokens(verify: NonNullable<ServiceOptions['verifyToken']>): Tokens {
  const nothing = async () => undefined
  return { reserve: nothing, keep: nothing, find: async (token) => verify(token) }
}
