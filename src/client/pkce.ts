import { sha256 } from '../request/sha256.ts'
import { Secret } from '../secret.ts'

/** Bytes of a code verifier. */
const VERIFIER_BYTES = 32

/** Creates a code verifier. RFC 7636, section 4.1. */
export function createCodeVerifier(): Secret {
  return new Secret(base64url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES))))
}

/** The fields that announce a code verifier. RFC 7636, section 4.3. */
export async function challengeOf(codeVerifier: Secret): Promise<Readonly<Record<string, string>>> {
  const digest = await sha256(codeVerifier.reveal())
  return { code_challenge: base64url(digest), code_challenge_method: 'S256' }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
