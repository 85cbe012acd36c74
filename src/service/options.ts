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
   * The clients that may request codes: a list, or a function that finds one by its ID.
   *
   * A function is called with any ID that a request contains, several times for one login, and whenever a token is
   * used. If it fails or takes longer than ten seconds, the request gets status 503 and may be repeated. If it returns
   * something that is not a client, the request gets status 500 with `server_error`. Both errors go to `onError`.
   *
   * With a list, the store holds only hashes of client IDs; with a function, the IDs themselves. GitHub's path for deleting
   * tokens contains the client ID, and is served only with a list.
   */
  readonly clients: readonly Client[] | FindClient
  /**
   * Lets clients register themselves for the device flow, as MCP clients do. Default: `false`.
   *
   * The metadata names the endpoint. Anybody can register under any name, so the verification page says that nobody has
   * checked it. Registrations are limited per network and in total, and expire without a login.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7591.html#section-3 RFC 7591, section 3}
   */
  readonly registration?: boolean | Registration
  /**
   * Accepts clients whose ID is the `https` URL of a document about them. Default: none.
   *
   * The service fetches the document at the first request: from public addresses only, without redirects, at most 64 KiB in
   * ten seconds. It caches the document as the response headers say, for at least five minutes and at most a day, and uses it for another day
   * while it cannot be fetched. The verification page shows the host of the document beside the name of the client.
   *
   * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/ OAuth Client ID Metadata Document}
   */
  readonly clientIdMetadataDocuments?: ClientDocuments
  /**
   * The APIs that clients may request a token for, with the field `resource` of the code request. Default: none, and the
   * field is ignored.
   *
   * Such a token is for this API only, and the verification page says so.
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
   * URL of the login paths, as clients and browsers see it. Default: the URL that `listen` bound, and `http://localhost`
   * before that. It is never taken from a request.
   */
  readonly authUrl?: string
  /** URL of the API. Default: `authUrl`. If the two have different hosts, each host serves only its own paths. */
  readonly baseUrl?: string
  /**
   * Adds endpoints below `baseUrl`, for development and tests: `githubApi()` from `authgraph/testing`. Default: none. Protect
   * your own routes with `service.requireToken` instead.
   */
  readonly api?: (service: {
    readonly authenticate: (request: ServiceRequest) => Promise<Authentication | undefined>
    readonly clock: { now(): number }
  }) => ExtraEndpoints
  /**
   * Allows `http` for an `authUrl` or `baseUrl` that is not a loopback address. Default: `false`. Only for test networks:
   * anyone on the network can read and change pages, cookies, codes and tokens.
   */
  readonly allowHttp?: boolean
  /**
   * Also serves the metadata at `/.well-known/openid-configuration`. Default: `true` with `keys`, otherwise `false`.
   *
   * Some clients, such as oidc-agent and MSAL Python, look for the device endpoint only there. The document lists the
   * scopes that clients may request. It must name an authorization endpoint, so it names the verification page, which
   * refuses an authorization request with `unsupported_response_type`.
   *
   * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata OpenID Connect Discovery 1.0, section 3}
   */
  readonly openidConfiguration?: boolean
  /**
   * Adds an `authorization_endpoint`, the verification page, and the response type `code` to the metadata. Default:
   * `false`.
   *
   * Some clients refuse metadata without both, as the discovery of the MCP SDK does. The service has no authorization
   * code flow: a request for it gets `unsupported_response_type`.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-2 RFC 8414, section 2}
   */
  readonly authorizationEndpoint?: boolean
  /**
   * Format of poll errors and scopes. `github`: status 200, and scopes separated by commas. `rfc8628`: status 400, and
   * spaces. Default: `github`.
   */
  readonly dialect?: Dialect
  /** Seconds between two polls. Default: 5. */
  readonly interval?: number
  /** Lifetime of the codes in seconds. Default: 900. */
  readonly expiresIn?: number
  /** Seconds by which a poll may be early; 0 is strict. Default: a fifth of `interval`, at most 1. */
  readonly leeway?: number
  /** When the first poll may come: at any time (`free`), or after one interval (`counted`). Default: `free`. */
  readonly firstPoll?: 'free' | 'counted'
  /**
   * Rules against phished approvals, for all clients. `{}` turns on the defaults of {@link Policy}. Default: no rules, as
   * at GitHub.
   */
  readonly policy?: Policy
  /** Rate limits. Default: those of {@link Limits}. */
  readonly limits?: Partial<Limits>
  /**
   * Returns the address of a client, by which requests are limited. Default: the remote address of the connection.
   *
   * Behind proxies, use `behindProxies()`. With `fetch`, use what your runtime provides, such as `({ header }) =>
   * header('cf-connecting-ip')`.
   *
   * If it returns `undefined`, the request is not limited by address, passwords are limited by user name, and only half of
   * `limits.grantsInAll` is available. The default then warns, unless `authUrl` is a loopback address. It also
   * warns if a local proxy forwards requests: all clients then have the proxy's address.
   */
  readonly clientAddress?: ClientAddress
  /** Stores grants, tokens and counts. Default: `memoryStore()`. */
  readonly store?: Store
  /**
   * Key that signs the forms of the verification page, at least 32 bytes. Default: a random key in the store, shared by all
   * instances that use the store.
   */
  readonly secret?: string | Secret
  /** Renders the verification page. Default: `brandedPage()`. */
  readonly page?: Page
  /**
   * Returns the signed-in user, for each request to the verification page, within ten seconds. Default: treats every
   * visitor as the same user, and warns; for development only.
   *
   * If nobody is signed in, return `signInAt`: the browser is redirected there. After the sign-in, send it to `returnTo`,
   * the URL of the page with the code that was entered. `returnTo` is built from `authUrl` only, so it is safe to redirect
   * to. `createService` has an example.
   */
  readonly identify?: Identify
  /**
   * Creates the access token, within ten seconds. Default: a random token; for development only, with a warning unless
   * `authUrl` is a loopback address.
   *
   * Return the token, or `{ token, expiresIn, scopes }` to limit its lifetime or to grant other scopes than the requested
   * ones.
   *
   * It may be called several times for one approval: if it fails or takes too long, or the instance or the store fails
   * before the token is stored, the next poll calls it again. At a refresh, it is also called again if the client has
   * disconnected.
   */
  readonly issueToken?: IssueToken
  /**
   * Private keys that sign access tokens as JWTs (RFC 9068), which any API can verify. Default: none, and access tokens are
   * what `issueToken` returns.
   *
   * The first key signs, and all are published at `/.well-known/jwks.json`. `issueToken` then returns only `{ expiresIn,
   * scopes }`, and may be missing. This service still knows each token by its hash: after a revocation, `requireToken`
   * refuses it at once, and other APIs accept it until it expires.
   *
   * The type is `at+jwt`. The claims are `iss`, `sub` (the ID of the user as text), `aud`, `client_id`, `scope`, `iat`,
   * `exp`, `jti` and, if the token is bound, `cnf`.
   *
   * With the scope `openid`, a login and each refresh also return an ID token, with `sub`, the ID of the user, and
   * `preferred_username`, the login name. Without keys, this scope is not granted.
   *
   * To change keys: append the new key, and start all instances with this list. Ten minutes later, when the APIs know it,
   * move it to the front. Remove the old key when its last token has expired.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-2 RFC 9068, section 2}
   */
  readonly keys?: readonly SigningKey[]
  /**
   * Format of access tokens: `jwt`, signed by the service, or `opaque`, made by `issueToken`. Default: `jwt` with `keys`,
   * otherwise `opaque`.
   */
  readonly accessToken?: 'jwt' | 'opaque'
  /**
   * The `aud` of JWTs whose client requested no `resource`: the URI of your API, which is not one of `resources`. Default:
   * `authUrl`, the URL of the service.
   */
  readonly audience?: string
  /**
   * Returns the owner of a token that `issueToken` made, or `undefined` if the token is not valid. Default: finds the token
   * by its hash in the store. Use it for tokens that you sign: the service then stores nothing about them.
   */
  readonly verifyToken?: (token: Secret) => TokenOwner | undefined | Promise<TokenOwner | undefined>
  /**
   * Issues refresh tokens. Default: none.
   *
   * With them, access tokens expire after 8 hours, and JWTs of `keys` after 10 minutes, unless `issueToken` returns another
   * `expiresIn`.
   */
  readonly refreshTokens?: RefreshTokens
  /**
   * Binds the tokens of a login to the key of its client (DPoP), if the client proves that it has one; `{}` for the
   * defaults. Default: binds no token, and ignores proofs.
   *
   * The request for codes binds the device code if it has a proof; otherwise the first poll with a proof does. The access
   * token, and the refresh token of a client without a secret, are useless without the key. If you verify tokens with
   * `verifyToken`, put the `jkt` that `issueToken` receives into the token, and return it.
   *
   * Proofs are for URLs below `authUrl`, as clients see it: set it if there is a proxy.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
   */
  readonly dpop?: DpopRules
  /**
   * Called once for each default that is for development only, and when the store was restored from an earlier copy,
   * so that some logins and revocations are lost. Default: `console.warn`.
   */
  readonly onWarning?: (message: string) => void
  /**
   * Called with internal errors that clients do not see, such as those of `issueToken`. Default: `console.error`, at most
   * once a minute for each kind of error.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Called with each event of a code, decision, token or limit, before the response is sent and without waiting for it.
   * Default: none. What it throws, or rejects with, goes to `onError`.
   */
  readonly onEvent?: (event: ServiceEvent) => void
  /**
   * Called after each response, for a request log, except responses to bodies that were too large. Default: none. With it,
   * each response carries its ID in the header `X-Request-Id`.
   */
  readonly onResponse?: (entry: RequestLogEntry) => void
  /** The clock of the service. Default: `Date`. */
  readonly clock?: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
}
