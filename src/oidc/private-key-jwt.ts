import type { AppPrivateKey } from '../app-jwt/import-private-key.ts'
import { type AppJwtSign, signWithFunction } from '../app-jwt/sign-with-function.ts'
import { signWithKey } from '../app-jwt/sign-with-key.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError } from '../errors.ts'
import type { PrivateKeyJwt } from '../protocol/client-authentication.ts'
import { Secret } from '../secret.ts'

/** Seconds until `exp`. */
const LIFETIME = 60

/** Options of {@link privateKeyJwt}: either a private key or a function that signs. */
export type PrivateKeyJwtOptions = {
  /** The ID of the key, if the provider knows several keys of the client: the `kid` header. */
  readonly keyId?: string
  /** The `aud` claim. Default: the issuer of the provider if it is known, otherwise its token endpoint. */
  readonly audience?: string
} & (
  | {
      /** Signs instead of a private key, such as with a KMS. */
      readonly sign: AppJwtSign
      readonly privateKey?: never
    }
  // The last one: see AppJwtOptions.
  | {
      /** The private RSA key of the client. It is read once, when the first request is sent. */
      readonly privateKey: AppPrivateKey
      readonly sign?: never
    }
)

const KNOWN: Names<PrivateKeyJwtOptions> = { privateKey: true, sign: true, keyId: true, audience: true }

/**
 * Authenticates the client with a private RSA key: each request carries a new assertion that is signed with RS256, is
 * valid for one minute, and can be used once.
 *
 * @example
 * ```ts
 * import { authorizeDevice, discover } from 'authgraph'
 * import { privateKeyJwt } from 'authgraph/oidc'
 *
 * const token = await authorizeDevice({
 *   clientId: 'my-client',
 *   clientAuthentication: privateKeyJwt({ privateKey, keyId: 'my-key' }),
 *   provider: await discover('https://login.example.com'),
 *   onCodes,
 * })
 * ```
 *
 * @throws {@link BadOptionError} unless there is either `privateKey` or `sign`. An unusable key makes each request
 * reject with a {@link JwtError}.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7523.html#section-3 RFC 7523, section 3}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication OpenID Connect Core 1.0,
 * section 9}
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-rfc7523bis/ Updates to RFC 7523}: why the audience is
 * the issuer
 */
export function privateKeyJwt(options: PrivateKeyJwtOptions): PrivateKeyJwt {
  assertKnown(options, KNOWN)
  const { privateKey, sign, keyId, audience } = options
  if ((privateKey === undefined) === (sign === undefined))
    throw new BadOptionError('pass either "privateKey" or "sign"')
  const signCompact = sign === undefined ? signWithKey(privateKey as AppPrivateKey) : signWithFunction(sign)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }
  return {
    method: 'private_key_jwt',
    async sign({ clientId, issuer, tokenEndpoint, now }) {
      const id = clientId.reveal()
      const iat = Math.floor(now / 1000)
      const aud = audience ?? issuer ?? tokenEndpoint
      const claims = { iss: id, sub: id, aud, jti: crypto.randomUUID(), iat, exp: iat + LIFETIME }
      return new Secret(await signCompact(header, new TextEncoder().encode(JSON.stringify(claims))))
    },
  }
}
