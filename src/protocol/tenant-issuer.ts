/** What stands for the id of the user's tenant in an issuer of Entra ID. */
export const TENANT = '{tenantid}'

/** The URLs at which Entra ID serves the accounts of many tenants. */
const MANY_TENANTS = /^(https:\/\/login\.microsoftonline\.com\/)(common|organizations)(\/v2\.0)$/

/**
 * The issuer as the metadata at its URL names it: the URL itself, but for the accounts of many tenants at Entra ID, whose
 * metadata is one template for all of them.
 *
 * @see {@link https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc Microsoft: OpenID Connect}
 */
export function tenantIssuer(issuer: string): string {
  return issuer.replace(MANY_TENANTS, `$1${TENANT}$3`)
}
