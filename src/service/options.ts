import type { User } from '../../machines/device-grant.ts'
import { BadOptionError } from '../errors.ts'
import { isBaseAddress, isLoopback } from '../protocol/address.ts'
import { isScope, isScopes } from '../protocol/scopes.ts'
import { Secret } from '../secret.ts'
import type { App } from './credentials/app-jwts.ts'
import type { PasswordUser } from './credentials/passwords.ts'
import type { PersonalAccessToken } from './credentials/personal-tokens.ts'
import type { TokenOwner } from './credentials/tokens.ts'
import { DIALECTS, type Dialect } from './dialect.ts'
import type { RequestLogEntry } from './http/request-log.ts'
import type { ServiceRequest } from './http/types.ts'
import { checkLimits, type Limits } from './limits.ts'
import type { Page } from './pages/page.ts'
import type { Store } from './store.ts'
import { isText, isTextOrSecret } from './text-or-secret.ts'

/**
 * A client that may ask for codes.
 *
 * @group Service
 */
export interface Client {
  readonly clientId: string | Secret
  /** What the user is shown. */
  readonly name: string
  /** The scopes that it may ask for: any by default. A request for another one is refused with `invalid_scope`. */
  readonly scopes?: readonly string[]
}

/**
 * Who sits at the browser, or where they sign in first.
 *
 * @group Service
 */
export type Identity = { readonly user: User } | { readonly signInAt: string }

/**
 * What a token is made for.
 *
 * @group Service
 */
export interface TokenRequest {
  readonly user: User
  readonly client: { readonly clientId: Secret; readonly name: string }
  readonly scopes: readonly string[]
}

/**
 * What `issueToken` may give in place of a bare token.
 *
 * @group Service
 */
export interface MadeToken {
  readonly token: string | Secret
  /** Seconds that the token lives, which the client is told too. By default the service knows it for a year. */
  readonly expiresIn?: number
  /** The scopes that are granted: those of the request by default. */
  readonly scopes?: readonly string[]
}

/**
 * What `createService` takes. Only the clients have no default.
 *
 * @group Service
 */
export interface ServiceOptions {
  readonly clients: readonly Client[]
  /** Who may use the API with a user name and a password. */
  readonly users?: readonly PasswordUser[]
  /** Who may use the API with a personal access token. */
  readonly personalTokens?: readonly PersonalAccessToken[]
  /** Which applications may use the API with a token that they signed. */
  readonly apps?: readonly App[]
  /**
   * The address of the login paths, as clients and people see it: where `listen` bound by default, `http://localhost`
   * before that. Never taken from a request.
   */
  readonly authUrl?: string
  /** The address of the API: that of the login paths by default. Each answers under its own host only. */
  readonly baseUrl?: string
  /**
   * Whether `authUrl` and `baseUrl` may be `http` off loopback: `false` by default. For test networks only: anyone on
   * the way can read and change pages, cookies, codes and tokens.
   */
  readonly allowHttp?: boolean
  /**
   * Whether to serve `/.well-known/openid-configuration` as well: `false` by default. Some clients look for the device
   * endpoint only there, such as oidc-agent and MSAL Python. It names the scopes that clients may ask for.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-5 RFC 8414, section 5}
   */
  readonly openidConfiguration?: boolean
  /** Whose dialect to follow: status 200 for poll errors and commas between scopes (the default), or 400 and spaces. */
  readonly dialect?: Dialect
  /** Seconds between two polls: 5 by default. */
  readonly interval?: number
  /** Seconds the codes live: 900 by default. */
  readonly expiresIn?: number
  /** Seconds by which a poll may come early: a fifth of the interval and at most one by default; 0 is strict. */
  readonly leeway?: number
  /** Whether the first poll may come at once (the default), or one interval after the codes were issued. */
  readonly firstPoll?: 'free' | 'counted'
  /** What may happen how often; see {@link Limits} for the defaults of each. */
  readonly limits?: Partial<Limits>
  /**
   * Tells the address of a client, by which requests are limited: where the connection comes from by default. Behind
   * proxies give `behindProxies`, and with `fetch` what your runtime says, such as
   * `({ header }) => header('cf-connecting-ip')`. Nothing is limited by an address that is `undefined`, but passwords,
   * by user name: the default then warns, where people sign in at more than this machine.
   */
  readonly clientAddress?: (request: ServiceRequest) => string | undefined
  /** `memoryStore()` by default. */
  readonly store?: Store
  /**
   * The key that the forms of the verification page are signed with, at least 32 bytes. By default a random one in the
   * store, which all instances that share the store have in common.
   */
  readonly secret?: string | Secret
  /** Writes the verification page: `defaultPage` by default. */
  readonly page?: Page
  /**
   * Says who is at the browser, for each request to the verification page. It has ten seconds. The default is for
   * development: it takes everyone for one user, and warns.
   *
   * Whoever is not signed in is sent to `signInAt`, and must come back to `returnTo` afterwards: the address of the
   * page, with the code that was entered. It is made of `authUrl` alone, so that it can be handed on as it is:
   *
   * ```ts
   * import { createService } from 'authgraph/service'
   *
   * const service = createService({
   *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
   *   identify: ({ header }, returnTo) => {
   *     const user = sessions.userOf(header('cookie'))
   *     return user ? { user } : { signInAt: `/sign-in?return_to=${encodeURIComponent(returnTo)}` }
   *   },
   * })
   * ```
   */
  readonly identify?: (request: ServiceRequest, returnTo: string) => Identity | Promise<Identity>
  /**
   * Makes the token: a random one by default, with a warning where people sign in at more than this machine. It has
   * ten seconds, after which another poll may try. Where it fails, or the client has hung up meanwhile, the approval is
   * kept, and the next poll tries again: it may be called several times for one approval.
   *
   * Return the token, or `{ token, expiresIn, scopes }` to limit its lifetime or to grant other scopes than those of the
   * request.
   */
  readonly issueToken?: (
    request: TokenRequest,
  ) => string | Secret | MadeToken | Promise<string | Secret | MadeToken>
  /**
   * Says whom a token of `issueToken` stands for, `undefined` for one that does not hold. By default the service keeps
   * a hash of each token that it issued; with this it keeps nothing of them, as suits tokens that are signed.
   */
  readonly verifyToken?: (token: Secret) => TokenOwner | undefined | Promise<TokenOwner | undefined>
  /** Hears, once each, of defaults that are for development only: `console.warn` by default. */
  readonly onWarning?: (message: string) => void
  /** Hears of what went wrong inside, such as a failing `issueToken`; clients are not told. */
  readonly onError?: (error: unknown) => void
  /**
   * Hears of each answer, for a log, but of those to bodies that were too large; each then carries its id in the header
   * `X-Request-Id`.
   */
  readonly onResponse?: (answered: RequestLogEntry) => void
  /** Tells the time, epoch milliseconds. */
  readonly clock?: {
    /** Epoch milliseconds. */
    now(): number
  }
}

/**
 * Refuses options that cannot be used.
 *
 * @throws {@link BadOptionError} that names the option.
 */
export function checkOptions(options: Partial<ServiceOptions> | null | undefined): void {
  const {
    clients,
    users,
    personalTokens,
    apps,
    authUrl,
    baseUrl,
    allowHttp = false,
    interval,
    expiresIn,
    leeway,
    limits,
    dialect = 'github',
  } = options ?? {}
  checkClients(clients)
  for (const [name, list] of Object.entries({ users, personalTokens, apps }))
    if (list !== undefined && !Array.isArray(list)) throw new BadOptionError(`${name} must be a list`)
  for (const [name, address] of Object.entries({ authUrl, baseUrl })) {
    if (address === undefined) continue
    if (!isBaseAddress(address))
      throw new BadOptionError(`${name} must be an http(s) address without a query`)
    if (!allowHttp && !isSecureOrLoopback(address))
      throw new BadOptionError(
        `${name} must be https, or http on a loopback address: for a test network, set allowHttp to true`,
      )
  }
  if (!Object.hasOwn(DIALECTS, dialect)) throw new BadOptionError('dialect must be "github" or "rfc8628"')
  if (!isWholeSeconds(interval))
    throw new BadOptionError('interval must be a whole number of seconds, 1 or more')
  if (!isWholeSeconds(expiresIn))
    throw new BadOptionError('expiresIn must be a whole number of seconds, 1 or more')
  if (leeway !== undefined && !(leeway >= 0 && leeway < Number.POSITIVE_INFINITY))
    throw new BadOptionError('leeway must be a number of seconds, 0 or more')
  checkLimits(limits ?? {})
}

function checkClients(clients: readonly Client[] | undefined): void {
  if (!Array.isArray(clients))
    throw new BadOptionError(
      'clients must list who may ask for codes: [{ clientId: "my-app", name: "My app" }]',
    )
  for (const [index, client] of clients.entries()) {
    const { clientId, name, scopes = [] } = (client ?? {}) as Partial<Client>
    if (!isTextOrSecret(clientId))
      throw new BadOptionError(`clients[${index}].clientId must be the client id, a string or a Secret`)
    if (!isText(name))
      throw new BadOptionError(`clients[${index}].name must be the name that users are shown`)
    if (!isScopes(scopes) || !scopes.every(isScope))
      throw new BadOptionError(`clients[${index}].scopes must list scopes such as "read:user"`)
  }
  const ids = clients.map(({ clientId }) => Secret.of(clientId).reveal())
  if (new Set(ids).size < ids.length)
    throw new BadOptionError('clients must not have the same clientId twice')
}

/** Whether what is sent to an address stays between the two ends: it is `https`, or never leaves this machine. */
export function isSecureOrLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

function isWholeSeconds(seconds: number | undefined): boolean {
  return seconds === undefined || (Number.isSafeInteger(seconds) && seconds >= 1)
}
