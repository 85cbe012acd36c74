import { WrongHostError } from '../errors.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { memberOf, readBody } from '../request/http.ts'
import type { Secret } from '../secret.ts'

/**
 * Refuses a token that says that it is for another server: whoever gets it could use it there. Only JWTs say whom they are
 * for. The signature is not verified: the token came from the issuer.
 *
 * @throws {@link WrongHostError}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2 RFC 9068, section 2.2}
 */
export function assertAudience(token: Secret, resource: string): void {
  const audiences = [memberOf(claimsOf(token.reveal()), 'aud') ?? []].flat()
  if (audiences.length === 0) return
  const isOurs = (audience: unknown) =>
    typeof audience === 'string' && withoutSlash(audience) === withoutSlash(resource)
  if (!audiences.some(isOurs))
    throw new WrongHostError(`the issued token is not for ${new URL(resource).host}: it was not used`)
}

function claimsOf(token: string): unknown {
  const [, claims = ''] = token.split('.')
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    )
    return readBody(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
