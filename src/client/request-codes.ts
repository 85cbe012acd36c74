import type { CodesRequest, CodesResponse } from '../../machines/device-context.ts'
import { readDeviceCodes } from '../protocol/device-codes.ts'
import { joinScopes } from '../protocol/syntax.ts'
import { base64url } from '../request/base64url.ts'
import { sha256 } from '../request/sha256.ts'
import { Secret } from '../secret.ts'
import { post } from './exchange.ts'

/** Bytes of a code verifier. */
const VERIFIER_BYTES = 32

/**
 * Requests a device code and a user code. RFC 8628, section 3.1.
 *
 * @throws What `post` and `readDeviceCodes` throw.
 */
export async function requestCodes(request: CodesRequest, signal: AbortSignal): Promise<CodesResponse> {
  const { scopes, resource, parameters, provider, clock } = request
  const codeVerifier = request.pkce ? createCodeVerifier() : undefined
  const challenge = codeVerifier && (await challengeOf(codeVerifier))
  const dpopKey = await request.dpop?.createKey()
  const sentAt = clock.now()
  const response = await post(
    provider.deviceAuthorizationEndpoint,
    { ...parameters, scope: joinScopes(scopes, provider.scopeSeparator), resource, ...challenge },
    request,
    signal,
    dpopKey,
  )
  return { codes: readDeviceCodes(response), codeVerifier, dpopKey, sentAt, at: response.at }
}

/** Creates a code verifier. RFC 7636, section 4.1. */
function createCodeVerifier(): Secret {
  return new Secret(base64url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES))))
}

/** The fields that announce a code verifier. RFC 7636, section 4.3. */
async function challengeOf(codeVerifier: Secret) {
  const digest = await sha256(codeVerifier.reveal())
  return { code_challenge: base64url(digest), code_challenge_method: 'S256' }
}
