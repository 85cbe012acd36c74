import { Secret } from '../../secret.ts'
import type { SealedText } from '../../store/encryption.ts'
import { seal, unseal } from '../credentials/seal.ts'

/** What a refresh delivers. */
export interface TokenPair {
  readonly accessToken: Secret
  readonly refreshToken: Secret
  readonly idToken?: Secret | undefined
  readonly jkt?: string | undefined
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

const LABEL = 'authgraph: successor of a refresh token'

/**
 * Encrypts a pair with a key that only the spent refresh token yields: whoever reads the store cannot open it.
 *
 * @param bound The family and the generation of the pair. It opens in no other place.
 */
export async function sealPair(spent: Secret, pair: TokenPair, bound: string): Promise<SealedText> {
  const { accessToken, refreshToken, idToken, jkt, scopes, expiresAt } = pair
  const tokens = [accessToken.reveal(), refreshToken.reveal()]
  const text = JSON.stringify([...tokens, scopes, expiresAt, idToken?.reveal(), jkt])
  return seal(text, { secret: spent, label: LABEL, bound })
}

/** Decrypts a pair. Rejects if it was sealed for another token or another place. */
export async function openPair(spent: Secret, sealed: SealedText, bound: string): Promise<TokenPair> {
  const text = await unseal(sealed, { secret: spent, label: LABEL, bound })
  const [accessToken, refreshToken, scopes, expiresAt, idToken, jkt] = JSON.parse(text)
  return {
    accessToken: new Secret(accessToken),
    refreshToken: new Secret(refreshToken),
    idToken: idToken ? new Secret(idToken) : undefined,
    jkt: jkt ?? undefined,
    scopes,
    expiresAt,
  }
}
