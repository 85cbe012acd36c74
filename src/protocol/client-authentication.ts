import type { Secret } from '../secret.ts'

/** Authenticates with a JWT that a private key signs: `privateKeyJwt()` in `authgraph/oidc` creates one. */
export interface PrivateKeyJwt {
  readonly method: 'private_key_jwt'
  /**
   * Signs a new client assertion. Called for every request.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7523.html#section-3 RFC 7523, section 3}
   */
  readonly sign: (request: {
    readonly clientId: Secret
    /** The issuer of the provider, if it is known. */
    readonly issuer?: string | undefined
    readonly tokenEndpoint: string
    /** The current time in epoch milliseconds. */
    readonly now: number
  }) => Promise<Secret>
}

/**
 * How a confidential client authenticates: at the device authorization endpoint, at each poll, at a refresh and at the
 * revocation endpoint.
 *
 * - `client_secret_post`: with the client secret in the body.
 * - `client_secret_basic`: with the client ID and the client secret in an `Authorization: Basic` header.
 * - `private_key_jwt`: with an assertion that a private key signs.
 * - `none`: no authentication, as for public clients.
 *
 * A client secret without a `method` is sent in the body, or in the header if the provider lists that method and not
 * the other, or its metadata lists none (RFC 8414).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-2.3 RFC 6749, section 2.3}
 */
export type ClientAuthentication =
  | {
      readonly method?: 'client_secret_post' | 'client_secret_basic'
      readonly clientSecret: string | Secret
    }
  | PrivateKeyJwt
  | { readonly method: 'none' }

/** A {@link ClientAuthentication} with its method and its secret resolved. */
export type ResolvedAuthentication =
  | { readonly method: 'client_secret_post' | 'client_secret_basic'; readonly clientSecret: Secret }
  | PrivateKeyJwt
  | { readonly method: 'none' }
