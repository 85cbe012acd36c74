import { WrongHostError } from '../errors.ts'

/** Hosts at which issuers have their users enter codes, by the host of the issuer. Any other uses its own. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  // https://developers.google.com/identity/protocols/oauth2/limited-input-device
  'accounts.google.com': ['www.google.com'],
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code
  'login.microsoftonline.com': ['microsoft.com', 'www.microsoft.com', 'login.microsoft.com'],
}

/**
 * Refuses codes for a page of another host than that of the issuer. An issuer could otherwise start a login of its own at
 * another service, and have the user approve it.
 *
 * @param allowed Further hosts.
 * @throws {@link WrongHostError} that names both hosts.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-5.4 RFC 8628, section 5.4}
 */
export function assertVerificationHost(
  verificationUri: string,
  issuer: string,
  allowed: readonly string[],
): void {
  const page = new URL(verificationUri).host
  const { host } = new URL(issuer)
  if (page === host || allowed.includes(page) || PAGES[host]?.includes(page)) return
  throw new WrongHostError(
    `the issuer ${host} sends the user to ${page}: if that is its page, add it to "verificationHosts"`,
  )
}
