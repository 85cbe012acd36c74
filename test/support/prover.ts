import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'

/** What a proof says beside its defaults. `undefined` leaves a claim out. */
interface Differences {
  readonly method?: string
  /** The access token, at an API. */
  readonly token?: string
  readonly header?: object
  readonly claims?: Readonly<Record<string, unknown>>
}

/** A client with a key, which makes proofs as RFC 9449, section 4.2, says: with jose alone. */
export async function prover(clock: { now(): number }, alg = 'ES256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return {
    jkt: await calculateJwkThumbprint(jwk),
    jwk,
    secretJwk: await exportJWK(privateKey),
    prove: (htu: string, { method = 'POST', token, header, claims }: Differences = {}) =>
      new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu,
        iat: Math.floor(clock.now() / 1000),
        ...(token && { ath: createHash('sha256').update(token).digest('base64url') }),
        ...claims,
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
        .sign(privateKey),
  }
}

export type Prover = Awaited<ReturnType<typeof prover>>
