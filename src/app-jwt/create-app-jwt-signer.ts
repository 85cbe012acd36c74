import { BadOptionError, JwtError } from '../errors.ts'
import { Secret } from '../secret.ts'
import type { AppPrivateKey } from './import-private-key.ts'
import { type AppJwtSign, signWithFunction } from './sign-with-function.ts'
import { signWithKey } from './sign-with-key.ts'

/** Seconds that `iat` is backdated, because the service refuses a token from its future. */
const BACKDATING = 60

/** Seconds until `exp`, 60 less than the service accepts. */
const LIFETIME = 540

/** Options of an app JWT: the app ID, and either a private key or a function that signs. */
export type AppJwtOptions = {
  /** The app ID or the client ID of the app, written to the `iss` claim: a number as a number, a string as a string. */
  readonly appId: number | string
  /** Tells the time. Default: the system clock. */
  readonly clock?:
    | {
        /** Returns the current time in epoch milliseconds. */
        now(): number
      }
    | undefined
} & (
  | {
      /** Signs instead of a private key, such as with a KMS. */
      readonly sign: AppJwtSign
      readonly privateKey?: never
    }
  // The last one, which the compiler speaks of if none of them fits.
  | {
      /** The private key of the app. It is read once, when `sign` is first called. */
      readonly privateKey: AppPrivateKey
      readonly sign?: never
    }
)

/** Signs app JWTs. */
export interface AppJwtSigner {
  /**
   * Signs a new app JWT, valid for 9 minutes. Sign a new one for every API call.
   *
   * @throws {@link JwtError} `sign_failed`, or a code that begins with `key_` if the key is unusable: then every call
   * fails in the same way.
   */
  sign(): Promise<Secret>
}

/**
 * Creates a signer of app JWTs, which reads the private key once.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { createAppJwtSigner } from 'authgraph/app-jwt'
 *
 * const signer = createAppJwtSigner({
 *   appId: 123456,
 *   privateKey: readFileSync('app.pem', 'utf8'),
 * })
 * const jwt = await signer.sign()
 * const headers = { authorization: `Bearer ${jwt.reveal()}` }
 * ```
 *
 * @throws {@link JwtError} `bad_app_id` at once. An unusable key makes `sign` reject.
 * @throws {@link BadOptionError} if there are no options, or both `privateKey` and `sign`.
 * @see {@link
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 * GitHub: generating a JSON Web Token for a GitHub App}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7519.html RFC 7519}
 */
export function createAppJwtSigner(options: AppJwtOptions): AppJwtSigner {
  if (!options) throw new BadOptionError('pass "appId", and "privateKey" or "sign"')
  const { appId, privateKey, sign, clock = Date } = options
  checkAppId(appId)
  if (privateKey !== undefined && sign !== undefined)
    throw new BadOptionError('pass either "privateKey" or "sign", not both')
  const signCompact = sign === undefined ? signWithKey(privateKey) : signWithFunction(sign)

  return {
    async sign() {
      const now = Math.floor(clock.now() / 1000)
      if (!Number.isFinite(now)) throw new JwtError('sign_failed', '"clock.now" must return a number')
      const header = { alg: 'RS256', typ: 'JWT' }
      const claims = { iss: appId, iat: now - BACKDATING, exp: now + LIFETIME }
      return new Secret(await signCompact(header, new TextEncoder().encode(JSON.stringify(claims))))
    },
  }
}

/**
 * Signs a single app JWT. To sign more than one, use {@link createAppJwtSigner}, which reads the key only once.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { signAppJwt } from 'authgraph/app-jwt'
 *
 * const jwt = await signAppJwt({
 *   appId: 123456,
 *   privateKey: readFileSync('app.pem', 'utf8'),
 * })
 * ```
 *
 * @throws {@link JwtError} `bad_app_id`, `sign_failed`, or a code that begins with `key_`.
 * @throws {@link BadOptionError} if there are no options, or both `privateKey` and `sign`.
 */
export async function signAppJwt(options: AppJwtOptions): Promise<Secret> {
  return createAppJwtSigner(options).sign()
}

function checkAppId(appId: number | string): void {
  if (appId === undefined || appId === '')
    throw new JwtError('bad_app_id', 'appId is missing: is its environment variable set?')
  const usable = typeof appId === 'string' ? appId === appId.trim() : Number.isSafeInteger(appId) && appId > 0
  if (!usable)
    throw new JwtError(
      'bad_app_id',
      'the app ID must be a positive integer, or a client ID without white space around it',
    )
}
