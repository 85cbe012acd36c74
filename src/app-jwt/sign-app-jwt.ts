import type { Secret } from '../secret.ts'
import { type AppJwtOptions, createAppJwtSigner } from './create-app-jwt-signer.ts'

/**
 * Signs a single application token. For more than one make a signer, which reads the key once.
 *
 * @throws JwtError always as a rejection: `bad_app_id`, `sign_failed`, or a code that begins with `key_`.
 * @throws BadOptionError when there are both a `privateKey` and a `sign`.
 * @group Application token
 * @see Spec 2.4
 */
export async function signAppJwt(options: AppJwtOptions): Promise<Secret> {
  return createAppJwtSigner(options).sign()
}
