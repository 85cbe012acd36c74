import {
  authorizeDevice,
  discover,
  ForbiddenError,
  type ShownCodes,
} from 'authgraph'
import { verifyIdToken } from 'authgraph/oidc'

/**
 * Logs the user in at an OpenID provider, and returns the id of the user
 * there.
 */
export async function logIn(
  issuer: string,
  clientId: string,
  onCodes: (codes: ShownCodes) => unknown,
): Promise<string> {
  const provider = await discover(issuer)
  try {
    const token = await authorizeDevice({
      clientId,
      scopes: ['openid'],
      provider,
      onCodes,
    })
    const { sub } = await verifyIdToken(token, {
      issuer: provider.issuer,
      clientId,
      jwks: provider.jwksUri,
    })
    return sub
  } catch (error) {
    if (error instanceof ForbiddenError)
      process.stderr.write('Ask your administrator to allow this app.\n')
    throw error
  }
}
