import type { Secret } from '../secret.ts'
import type { Store } from '../store/store.ts'
import type { RegisteredApp } from './credentials/app-jwts.ts'
import type { ClientDocuments } from './credentials/client-documents.ts'
import type { Client, FindClient } from './credentials/clients.ts'
import type { PasswordUser } from './credentials/passwords.ts'
import type { PersonalAccessToken } from './credentials/personal-tokens.ts'
import type { DpopRules } from './credentials/proofs.ts'
import type { Registration } from './credentials/registered-clients.ts'
import type { SigningKey } from './credentials/signing-keys.ts'
import type { Dialect } from './grants/dialect.ts'
import type { Resource } from './grants/resources.ts'
import type { ServiceEvent } from './host/events.ts'
import type { ClientAddress, Identify, IssueToken } from './host/hooks.ts'
import type { Policy } from './host/policy.ts'
import type { RequestLogEntry } from './http/request-log.ts'
import type { ExtraEndpoints } from './http/routes.ts'
import type { ServiceRequest } from './http/types.ts'
import type { Limits } from './limits/limits.ts'
import type { Page } from './page/page.ts'
import type { Authentication } from './tokens/authenticate.ts'
import type { RefreshTokens } from './tokens/families.ts'
import type { TokenOwner } from './tokens/tokens.ts'

/** Options of {@link createService}. Only `clients` is required. */
export interface ServiceOptions {
  /**
   * The clients that may request codes. A function looks one up by its ID, for example in your database: it is called with any
   * text that a request names, several times for one login, and whenever a token is used. If it fails or takes longer than ten
   * seconds, the request gets status 503 and may be repeated; if it returns anything else than a client, status 500 with
   * `server_error`. Both go to `onError`.
   *
   * With a function, the store holds the IDs of the clients as they are, otherwise only their hashes; and GitHub's path to delete
   * tokens, which contains the client ID, is not served.
   */
  readonly clients: readonly Client[] | FindClient
  /**
   * Lets clients register themselves for the device flow, at the endpoint that the metadata names: MCP clients do. Default: `false`.
   * Anybody can register under any name, so the verification page says that nobody has checked it. Registrations are limited per
   * network and in all, and expire without a login.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7591.html#section-3 RFC 7591, section 3}
   */
  readonly registration?: boolean | Registration
  /**
   * Accepts clients whose ID is the `https` URL of a document about them, and shows its host beside the name of the client. Default:
   * none. The service fetches the document at the first request: from public addresses only, without redirects, at most 64 KB
   * in ten seconds. It is cached as its headers say, for five minutes at least and a day at most, and used for another day while it
   * cannot be fetched.
   *
   * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ OAuth Client ID Metadata Document}
   */
  readonly clientIdMetadataDocuments?: ClientDocuments
  /**
   * The APIs that clients may name in the field `resource`, at the code request: the token is then for this API only, and
   * the verification page says so. Default: none, and the field is ignored.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8707.html#section-2 RFC 8707, section 2}
   */
  readonly resources?: readonly Resource[]
  /** Users who may call the API with a user name and a password. Default: none. */
  readonly users?: readonly PasswordUser[]
  /** Personal access tokens that the API accepts. Default: none. */
  readonly personalTokens?: readonly PersonalAccessToken[]
  /** Apps that may call the API with an app JWT. Default: none. */
  readonly apps?: readonly RegisteredApp[]
  /**
   * The URL of the login paths, as clients and browsers see it. Default: the URL that `listen` bound, and
   * `http://localhost` before that. Never taken from a request.
   */
  readonly authUrl?: string
  /** The URL of the API. Default: `authUrl`. Each responds under its own host only. */
  readonly baseUrl?: string
  /**
   * Adds endpoints below `baseUrl`, for development and tests: `githubApi()` of `authgraph/testing`. Default: none. Your
   * own routes call `service.requireToken`.
   */
  readonly api?: (service: {
    readonly authenticate: (request: ServiceRequest) => Promise<Authentication | undefined>
    readonly clock: { now(): number }
  }) => ExtraEndpoints
  /**
   * Allows `http` for an `authUrl` or `baseUrl` off loopback. Default: `false`. For test networks only: anyone on the
   * network can read and change pages, cookies, codes and tokens.
   */
  readonly allowHttp?: boolean
  /**
   * Also serves `/.well-known/openid-configuration`. Default: only with `keys`. Some clients, such as oidc-agent and MSAL
   * Python, look for the device endpoint only there. The document names the scopes that clients may request, and the
   * verification page as the authorization endpoint, which is required there: the page refuses an authorization request with
   * `unsupported_response_type`.
   *
   * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata OpenID Connect Discovery 1.0, section 3}
   */
  readonly openidConfiguration?: boolean
  /**
   * Names the verification page as `authorization_endpoint`, and the response type `code`, in the metadata. Default: `false`,
   * since the service has no authorization code flow: a request for it gets `unsupported_response_type`. The discovery of the
   * MCP SDK refuses metadata without both.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-2 RFC 8414, section 2}
   */
  readonly authorizationEndpoint?: boolean
  /**
   * How the service speaks: `github` sends poll errors with status 200 and separates scopes with commas; `rfc8628` uses
   * status 400 and spaces. Default: `github`.
   */
  readonly dialect?: Dialect
  /** Seconds between two polls. Default: 5. */
  readonly interval?: number
  /** Lifetime of the codes in seconds. Default: 900. */
  readonly expiresIn?: number
  /** Seconds by which a poll may come early. Default: a fifth of the interval, at most 1. Use 0 to be strict. */
  readonly leeway?: number
  /** Whether the first poll may come at once (`free`) or only after one interval (`counted`). Default: `free`. */
  readonly firstPoll?: 'free' | 'counted'
  /**
   * Rules against phished approvals, for all clients; `{}` for the defaults of {@link Policy}. Default: none of them, as at
   * GitHub.
   */
  readonly policy?: Policy
  /** Rate limits; see {@link Limits} for the defaults. */
  readonly limits?: Partial<Limits>
  /**
   * Returns the address of a client, by which requests are limited. Default: the remote address of the connection.
   * Behind proxies, use `behindProxies()`. With `fetch`, use what your runtime provides, such as
   * `({ header }) => header('cf-connecting-ip')`. If it returns `undefined`, the request is not limited by address,
   * passwords are limited by user name, and half of `limits.grantsInAll` is all there is; the default then warns, unless
   * `authUrl` is a loopback address.
   */
  readonly clientAddress?: ClientAddress
  /** Where grants, tokens and counts are kept. Default: `memoryStore()`. */
  readonly store?: Store
  /**
   * Signs the forms of the verification page. At least 32 bytes. Default: a random secret in the store, shared by all
   * instances that use the store.
   */
  readonly secret?: string | Secret
  /** Renders the verification page. Default: `defaultPage()`. */
  readonly page?: Page
  /**
   * Returns the signed-in user, for each request to the verification page, within ten seconds. The default is for
   * development only: it treats every visitor as the same user, and warns.
   *
   * For a user who is not signed in, return `signInAt`: the browser is redirected there. After the sign-in, send it to
   * `returnTo`, the URL of the page with the code that was entered. `returnTo` is built from `authUrl` only, so it is
   * safe to redirect to. `createService` has an example.
   */
  readonly identify?: Identify
  /**
   * Creates the access token, within ten seconds. Return the token, or `{ token, expiresIn, scopes }` to limit its
   * lifetime or to grant other scopes than the requested ones. The default is for development only: it returns a random
   * token, and warns unless `authUrl` is a loopback address.
   *
   * It may be called several times for one approval: if it fails or takes too long, or the instance or the store fails before
   * the token is stored, the next poll calls it again. For a refresh also if the client has disconnected.
   */
  readonly issueToken?: IssueToken
  /**
   * Private keys, for access tokens that any API can verify: JWTs (RFC 9068). The first key signs, and all are published at
   * `/.well-known/jwks.json`. Default: none, and access tokens are what `issueToken` returns.
   *
   * `issueToken` then returns no token, only `{ expiresIn, scopes }`, and may be missing. This service still knows each token
   * by its hash: after a revocation, `requireToken` refuses it at once, and other APIs accept it until it expires.
   *
   * With the scope `openid`, a login and each refresh also return an ID token, with `sub`, the id of the user, and
   * `preferred_username`, the login name. Without keys, this scope is not granted.
   *
   * To change keys: append the new key, and start all instances with this list. Ten minutes later, when the APIs know it,
   * move it to the front. Remove the old key when its last token has expired.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-2 RFC 9068, section 2}
   */
  readonly keys?: readonly SigningKey[]
  /**
   * Whether the service signs access tokens (`jwt`), or `issueToken` makes them (`opaque`). Default: `jwt` with `keys`, and
   * otherwise `opaque`.
   */
  readonly accessToken?: 'jwt' | 'opaque'
  /**
   * The `aud` of JWTs whose client named no `resource`: the URI of your API. It must not be one
   * of `resources`. Default: the URL of the service, `authUrl`.
   */
  readonly audience?: string
  /**
   * Returns the owner of a token that `issueToken` made, or `undefined` if the token is not valid. Use it for signed
   * tokens: the service then stores nothing about them. By default it stores a hash of each token.
   */
  readonly verifyToken?: (token: Secret) => TokenOwner | undefined | Promise<TokenOwner | undefined>
  /**
   * Issues refresh tokens. Default: none. Access tokens then expire after 8 hours, unless `issueToken` returns another
   * `expiresIn`.
   */
  readonly refreshTokens?: RefreshTokens
  /**
   * Binds the tokens of a login to the key of its client (DPoP), if the client proves that it has one; `{}` for the defaults.
   * Default: no token is bound, and proofs are ignored.
   *
   * A device code is bound by the request for codes, or else by the first poll with a proof. Its access token, and the refresh
   * token of a client without a secret, are useless without the key. A host that verifies its own tokens, with `verifyToken`,
   * puts the `jkt` that `issueToken` gets into the token, and returns it.
   *
   * Proofs are for URLs below `authUrl`, as clients see it: set it if there is a proxy.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
   */
  readonly dpop?: DpopRules
  /**
   * Called once for each default that is for development only, and when the store was set back to an earlier copy: some
   * logins are lost then, and some revocations. Default: `console.warn`.
   */
  readonly onWarning?: (message: string) => void
  /**
   * Called with internal errors, such as a failing `issueToken`, which clients do not see. Default: `console.error`, for each
   * kind of error at most once a minute.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Called with what happened to codes, decisions and tokens, before the response is sent and without waiting for it. What
   * it throws, or rejects with, goes to `onError`.
   */
  readonly onEvent?: (event: ServiceEvent) => void
  /**
   * Called after each response, for a request log, except responses to bodies that were too large. Each response then
   * carries its id in the header `X-Request-Id`.
   */
  readonly onResponse?: (entry: RequestLogEntry) => void
  /** The clock of the service. Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
}
