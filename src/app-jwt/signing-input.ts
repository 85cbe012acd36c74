import { encode } from 'jose/base64url'

/** Seconds that `iat` lies in the past, since the service refuses a token from its future. */
const BACKDATING = 60

/** Seconds until `exp`, 60 less than the service accepts. */
const LIFETIME = 540

const HEADER = encode(JSON.stringify({ alg: 'RS256', typ: 'JWT' }))

const encoder = new TextEncoder()

/** Header and claims of a token: what is signed, as the text that stands in the token and as bytes. */
export interface SigningInput {
  readonly text: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/**
 * Writes header and claims for a time in epoch milliseconds. Tokens of the same second have the same ones, so they are
 * written once a second; the signature, which is what makes a token, is not kept.
 *
 * @see Spec 2.4
 */
export function signingInputs(appId: number | string): (now: number) => SigningInput {
  let second: number | undefined
  let input: SigningInput
  return (now) => {
    const current = Math.floor(now / 1000)
    if (current !== second) {
      const claims = { iss: appId, iat: current - BACKDATING, exp: current + LIFETIME }
      const text = `${HEADER}.${encode(JSON.stringify(claims))}`
      input = { text, bytes: encoder.encode(text) }
      second = current
    }
    return input
  }
}
