import { encode } from 'jose/base64url'
import { JwtError } from '../errors.ts'
import type { SignCompact } from './sign-with-key.ts'

/** Size in bytes of a signature made with 2048 bits, the smallest key that RS256 allows. */
const LEAST_BYTES = 256

/** Error names that may be quoted: class names contain nothing of a key. */
const CLASS_NAME = /^[A-Z][A-Za-z]{0,40}(Error|Exception)$/

/**
 * Signs with a key that never leaves a KMS or an HSM: receives the bytes to sign, and returns their RSASSA-PKCS1-v1_5
 * signature with SHA-256.
 */
export type AppJwtSign = (
  signingInput: Uint8Array<ArrayBuffer>,
) => Uint8Array | ArrayBuffer | Promise<Uint8Array | ArrayBuffer>

export function signWithFunction(sign: AppJwtSign): SignCompact {
  return async (header, payload) => {
    const signingInput = `${encode(JSON.stringify(header))}.${encode(payload)}`
    const signature = toBytes(await call(sign, new TextEncoder().encode(signingInput)))
    if (signature === undefined)
      throw new JwtError('sign_failed', '"sign" must return a Uint8Array or an ArrayBuffer')
    if (signature.length < LEAST_BYTES)
      throw new JwtError(
        'sign_failed',
        `"sign" returned fewer than ${LEAST_BYTES} bytes: it must use RSASSA-PKCS1-v1_5 with SHA-256 and a key of at least 2048 bits`,
      )
    return `${signingInput}.${encode(signature)}`
  }
}

async function call(sign: AppJwtSign, signingInput: Uint8Array<ArrayBuffer>): Promise<unknown> {
  try {
    return await sign(signingInput)
  } catch (error) {
    // No cause: the function knows the key, or a credential for the KMS, and its error may quote it.
    const name = error instanceof Error && CLASS_NAME.test(error.name) ? ` with ${error.name}` : ''
    throw new JwtError('sign_failed', `"sign" failed${name}`)
  }
}

function toBytes(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  // Not `instanceof`, which fails across realms, such as those of test runners.
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
    ? new Uint8Array(value as ArrayBuffer)
    : undefined
}
