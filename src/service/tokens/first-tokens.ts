import { Secret } from '../../secret.ts'
import type { SealedText } from '../../store/encryption.ts'
import { seal, unseal } from '../credentials/seal.ts'

/** What a login delivers. Points in time are epoch milliseconds. */
export interface FirstToken {
  readonly accessToken: Secret
  readonly idToken?: Secret | undefined
  readonly scopes: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
  /** Whether the response says when the access token expires. */
  readonly tellsExpiry: boolean
  /** Whether its client sent a secret: then it must do so again. */
  readonly needsSecret: boolean
  /** The family that begins with the login, if there are refresh tokens. */
  readonly family:
    | {
        readonly id: string
        readonly refreshToken: Secret
        readonly expiresAt: number
        /** In seconds. */
        readonly reuseWindow: number
      }
    | undefined
}

const LABEL = 'authgraph: first token of a device code'

/**
 * Encrypts a token with a key that only the device code yields: whoever reads the store cannot open it.
 *
 * @param grant The ID of the grant. It opens in no other.
 */
export async function sealFirst(deviceCode: string, first: FirstToken, grant: string): Promise<SealedText> {
  const { accessToken, idToken, family } = first
  const revealed = {
    ...first,
    accessToken: accessToken.reveal(),
    idToken: idToken?.reveal(),
    family: family && { ...family, refreshToken: family.refreshToken.reveal() },
  }
  return seal(JSON.stringify(revealed), { secret: new Secret(deviceCode), label: LABEL, bound: grant })
}

/** Decrypts a token. Rejects if it was sealed for another device code or grant. */
export async function openFirst(deviceCode: string, sealed: SealedText, grant: string): Promise<FirstToken> {
  const text = await unseal(sealed, { secret: new Secret(deviceCode), label: LABEL, bound: grant })
  const { family, accessToken, idToken, ...first } = JSON.parse(text)
  return {
    ...first,
    accessToken: new Secret(accessToken),
    idToken: idToken && new Secret(idToken),
    family: family && { ...family, refreshToken: new Secret(family.refreshToken) },
  }
}
