import type { User } from '../../../machines/device-grant.ts'
import { newId } from '../credentials/random-codes.ts'
import type { ServiceRequest } from '../http/types.ts'
import { hmac, same } from '../stores/hash.ts'
import { userId } from '../stores/user-id.ts'

/** Only spaces and tabs are trimmed around a cookie. Other white space is part of its name. RFC 6265, section 5.2. */
const AROUND = /^[ \t]+|[ \t]+$/g

/**
 * Reads the session of a request from its cookie, or starts a new one. It binds each form of the verification page to the
 * browser and the user it was shown to.
 *
 * @param secret Signs the CSRF tokens, so that an attacker who plants a cookie cannot compute them.
 * @param address The URL of the page, as browsers see it.
 */
export function openBrowserSession(request: ServiceRequest, user: User, secret: string, address: URL) {
  const isSecure = address.protocol === 'https:'
  // With this prefix, browsers accept the cookie from this host only, and only over TLS.
  const cookieName = isSecure ? '__Host-authgraph' : 'authgraph'
  const known = readCookie(request.header('cookie'), cookieName)
  const id = known ?? newId()
  /**
   * Returns the CSRF token of a form.
   *
   * @param purpose The code that the form approves or denies, or `linked` for a form with a code that its user did not type;
   *   omit it for the form in which a code is typed.
   */
  const csrfFor = (purpose = '') => hmac(secret, JSON.stringify([id, userId(user), purpose]))
  const cookie = `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    csrfFor,
    /** Whether a form comes from a page of this service and was made for this browser, user and code. */
    isOurs: async (csrf: string | undefined, purpose?: string) =>
      isSameOrigin(request, address) && same(csrf ?? '', await csrfFor(purpose)),
    /** Returns what identifies this browser and user in a record. It opens nothing. */
    viewer: () => csrfFor('viewer'),
    /** Sets the cookie of a new browser; empty for a known one. */
    headers: (known ? {} : { 'set-cookie': cookie }) as Readonly<Record<string, string>>,
  }
}

export type BrowserSession = ReturnType<typeof openBrowserSession>

/** Older browsers never send `Sec-Fetch-Site`, and none sends it over http off loopback. All send `Origin` with a form. */
function isSameOrigin({ header }: ServiceRequest, address: URL): boolean {
  const site = header('sec-fetch-site')
  return site === undefined ? header('origin') === address.origin : site === 'same-origin'
}

/** Ignores both of two cookies with the same name: one of them was planted, and nothing tells which. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.replaceAll(AROUND, ''))
  const [pair, ...more] = pairs.filter((pair) => pair.startsWith(`${name}=`))
  const value = pair?.slice(name.length + 1)
  return value && more.length === 0 && /^[0-9a-f]{32}$/.test(value) ? value : undefined
}
