import { BadOptionError } from '../../errors.ts'
import { Secret } from '../../secret.ts'
import { newFormSecret } from '../credentials/random-codes.ts'
import type { Records } from '../stores/records.ts'

/** Bytes of the shortest secret that is accepted. RFC 2104, section 3. */
const SHORTEST = 32

/** Milliseconds after which the secret in the store is replaced. A form that is open at that moment is refused once. */
const LIFETIME = 30 * 24 * 60 * 60 * 1000

/** Milliseconds for which an instance knows the secret without the store, which may have lost it. */
const FRESH = 10_000

/**
 * Returns the secret that signs forms: that of the option, or a random one in the store, which all instances share.
 *
 * @throws {@link BadOptionError} if the option is too short.
 */
export function formSecret(
  option: string | Secret | undefined,
  records: Records<string>,
  clock: { now(): number },
): () => Promise<string> {
  if (option === undefined) {
    let read = { secret: '', at: Number.NaN }
    return async () => {
      const at = clock.now()
      const age = at - read.at
      if (age >= 0 && age < FRESH) return read.secret
      const made = newFormSecret()
      const secret = await records.change('', (known) =>
        known === undefined ? { result: made, value: made, expiresAt: at + LIFETIME } : { result: known },
      )
      read = { secret, at }
      return secret
    }
  }
  const secret = Secret.of(option)
  if (new TextEncoder().encode(secret.reveal()).byteLength < SHORTEST)
    throw new BadOptionError(
      `secret must have at least ${SHORTEST} bytes: generate one with "openssl rand -hex 32"`,
    )
  return async () => secret.reveal()
}
