import { BadOptionError, JwtError } from '../errors.ts'
import { Secret } from '../secret.ts'
import type { AppPrivateKey } from './import-private-key.ts'
import { type AppJwtSign, signWithFunction } from './sign-with-function.ts'
import { signWithKey } from './sign-with-key.ts'

/** Seconds that `iat` lies in the past, since the service refuses a token from its future. */
const BACKDATING = 60

/** Seconds until `exp`, 60 less than the service accepts. */
const LIFETIME = 540

/**
 * What an application token is made of: the application, and its key or a function that signs.
 *
 * @group Application token
 */
export type AppJwtOptions = {
  /** The id of the application, or its client id. A number stays a number in the token, a string a string. */
  readonly appId: number | string
  /** `now` gives epoch milliseconds. Default: the clock of the system. */
  readonly clock?: {
    /** Epoch milliseconds. */
    now(): number
  }
} & (
  | {
      /** Read once, at the first call of `sign`. */
      readonly privateKey: AppPrivateKey
      readonly sign?: never
    }
  | { readonly sign: AppJwtSign; readonly privateKey?: never }
)

/**
 * Makes application tokens, a new one on every call.
 *
 * @group Application token
 */
export interface AppJwtSigner {
  /**
   * Signs a token that is good for 9 minutes. The service wants a new one for every call of its API.
   *
   * @throws {@link JwtError} `sign_failed`, or a code that begins with `key_`: then the key is unusable, and every call
   * fails alike.
   */
  sign(): Promise<Secret>
}

/**
 * Creates a signer of application tokens.
 *
 * @throws {@link JwtError} `bad_app_id`, at once. What is wrong with the key comes out of `sign`, which reads it.
 * @throws {@link BadOptionError} without options, and for both a `privateKey` and a `sign`.
 * @group Application token
 * @see Spec 2.4, 5.4, 5.5
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
 * Signs a single application token. For more than one make a signer, which reads the key once.
 *
 * @throws {@link JwtError} always as a rejection: `bad_app_id`, `sign_failed`, or a code that begins with `key_`.
 * @throws {@link BadOptionError} without options, and for both a `privateKey` and a `sign`.
 * @group Application token
 * @see Spec 2.4
 */
export async function signAppJwt(options: AppJwtOptions): Promise<Secret> {
  return createAppJwtSigner(options).sign()
}

function checkAppId(appId: number | string): void {
  const usable =
    typeof appId === 'string'
      ? appId !== '' && appId === appId.trim()
      : Number.isSafeInteger(appId) && appId > 0
  if (!usable)
    throw new JwtError(
      'bad_app_id',
      'the app id must be a positive integer, or a client id without white space around it',
    )
}
