import type { ScopeSeparator } from './syntax.ts'

/** Where codes and tokens come from: the endpoints of a service, and how requests to it are written. */
export interface Provider {
  /** The device authorization endpoint: `https`, or `http` on a loopback address. */
  readonly deviceAuthorizationEndpoint: string
  /** The token endpoint: `https`, or `http` on a loopback address. */
  readonly tokenEndpoint: string
  /**
   * The issuer of its ID tokens, exactly as the provider spells it. In an issuer of Microsoft Entra ID, `{tenantid}`
   * stands for the tenant of the user.
   */
  readonly issuer?: string | undefined
  /** The base URL of the API without a trailing slash, if the service has one. */
  readonly baseUrl?: string | undefined
  /** Revokes tokens (RFC 7009), if the service has such an endpoint. */
  readonly revocationEndpoint?: string | undefined
  /** Says whether a token is valid (RFC 7662), if the service has such an endpoint: `createVerifier` from `authgraph/oidc` asks it. */
  readonly introspectionEndpoint?: string | undefined
  /**
   * The base URL of the API that revokes tokens at GitHub. It takes the client ID and the client secret, and is used if
   * there is no `revocationEndpoint`.
   *
   * @see {@link https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token GitHub: Delete an app token}
   */
  readonly tokenDeletionUrl?: string | undefined
  /**
   * The authentication methods that the provider publishes, such as `client_secret_basic`. They decide how a client
   * secret without a `method` is sent. If the metadata lists none, `discover` sets `client_secret_basic`.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8414.html#section-2 RFC 8414, section 2}
   */
  readonly clientAuthenticationMethods?: readonly string[] | undefined
  /**
   * The PKCE code challenge methods that the provider publishes. If `S256` is not one of them, the option `pkce` is
   * refused. They never turn PKCE on: a provider lists what any of its flows supports.
   */
  readonly codeChallengeMethods?: readonly string[] | undefined
  /**
   * Tells who the user of a token is, if the service has such an endpoint. It may have another origin than the API.
   *
   * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#UserInfo OpenID Connect Core 1.0, section 5.3}
   */
  readonly userinfoEndpoint?: string | undefined
  /** The keys that the provider signs its ID tokens with. */
  readonly jwksUri?: string | undefined
  /** What separates two scopes in a request and in a response. */
  readonly scopeSeparator: ScopeSeparator
  /**
   * How the body of a request is encoded. If a server refuses a form with status 415, the request is sent again as
   * JSON, whatever this option says.
   */
  readonly encoding: 'form' | 'json'
}

/** The two hosts of a GitHub-compatible service. */
export interface ServiceAddresses {
  /** The host of the login endpoints. Default: `https://github.com`. */
  readonly authUrl?: string
  /** The base URL of the API. Default: `https://api.github.com`. */
  readonly baseUrl?: string
}
