import {
  type Proof,
  ProofError,
  type SentRequest,
  skewOf,
  TOLERANCE,
  verifyProof,
} from '../../access/proof.ts'
import { hash, hmac, same } from '../stores/hash.ts'
import { isFirstUse, type Records } from '../stores/records.ts'

/**
 * How the service checks proofs of keys.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
 */
export interface DpopRules {
  /**
   * Makes the service require in each proof a nonce that it issued in the last two minutes, so that none can be made in
   * advance. Default: `false`, and only a client whose clock is more than a minute off needs one. It costs a client one more
   * request every minute or two. `createVerifier` checks no nonces.
   */
  readonly nonce?: boolean
  /**
   * Makes `requireToken` and `authenticate` accept each proof once, which writes a record to the store at each request.
   * Default: `false`, and a copied proof is accepted for up to two minutes, with its token, for the same method and URL,
   * with any query and body. Polls and refreshes accept each proof once in any case.
   */
  readonly singleUse?: boolean
}

/** Milliseconds after which the service issues another nonce. The one before is accepted too. */
const PERIOD = TOLERANCE * 1000

/** Milliseconds for which a proof is remembered: it is accepted no longer, by its nonce or its time. */
const MEMORY = 2 * PERIOD

/** Checks proofs, for all instances that share the store and the secret. */
export function createProofs(
  { nonce: needsNonce = false }: DpopRules,
  records: Records<true>,
  { secret, clock }: { readonly secret: () => Promise<string>; readonly clock: { now(): number } },
) {
  let made = { by: '', nonces: new Map<number, string>() }
  /** Making a nonce costs as much as verifying a proof: those of two periods are kept. */
  async function nonceOf(period: number): Promise<string> {
    const by = await secret()
    if (made.by !== by || made.nonces.size > 2) made = { by, nonces: new Map() }
    const { nonces } = made
    const nonce = nonces.get(period) ?? (await hmac(by, `authgraph: DPoP nonce ${period}`))
    nonces.set(period, nonce)
    return nonce
  }
  const period = () => Math.floor(clock.now() / PERIOD)

  async function isNonce(nonce: string): Promise<boolean> {
    const [newest, previous] = await Promise.all([nonceOf(period()), nonceOf(period() - 1)])
    return same(nonce, newest) || same(nonce, previous)
  }

  return {
    /** What the next proof should contain, if every proof must contain a nonce. */
    nextNonce: async (): Promise<string | undefined> => (needsNonce ? nonceOf(period()) : undefined),

    /**
     * Verifies a proof. With a nonce of ours, its time does not matter: a wrong clock costs one more request.
     *
     * @throws ProofError
     */
    async verify(header: string | undefined, sent: SentRequest): Promise<Proof> {
      const proof = await verifyProof(header, sent)
      const problem =
        proof.nonce === undefined
          ? (skewOf(proof, clock.now()) ?? (needsNonce ? 'the proof has no nonce' : undefined))
          : (await isNonce(proof.nonce))
            ? undefined
            : 'the nonce of the proof is unknown or has expired'
      if (problem) throw new ProofError(`${problem}: use the nonce of this response`, await nonceOf(period()))
      return proof
    },

    /**
     * Remembers that a proof was used. Call it last: what strangers send must not fill the store.
     *
     * @throws ProofError if it was used before.
     */
    async spend({ jkt, jti }: Proof): Promise<void> {
      const expiresAt = clock.now() + MEMORY
      if (!(await isFirstUse(records, await hash(`${jkt} ${jti}`), expiresAt)))
        throw new ProofError('the proof was used before')
    },
  }
}
