import type { User } from '../../machines/device-grant.ts'
import { hmac, same } from './credentials/hash.ts'
import { newSessionId } from './credentials/random-codes.ts'
import type { ServiceRequest } from './http/types.ts'

/** What binds the forms of the verification page to the browser, and to the user, that was shown them. */
export interface Session {
  /** The headers that give a new browser its cookie. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Makes what a form carries.
   *
   * @param userCode The code that the form decides; none for a form that a code is entered in.
   */
  csrfFor(userCode?: string): Promise<string>
  /** Whether a form was sent by a page of this service, and was made for this browser, user and code. */
  isOurs(csrf: string | undefined, userCode?: string): Promise<boolean>
}

/** What a session is opened with. */
export interface SessionRequest {
  readonly request: ServiceRequest
  /** Who is signed in. A form is good for this user alone. */
  readonly user: User
  /** The key that the tokens of forms are made with: whoever plants a cookie cannot compute them. */
  readonly secret: string
  /** The address of the page, as browsers see it. */
  readonly address: URL
}

/** What a cookie and its attributes are separated by. Other white space is part of a name. RFC 6265, section 5.2. */
const AROUND = /^[ \t]+|[ \t]+$/g

/** Reads the session of a request from its cookie, or begins one. */
export function openSession({ request, user, secret, address }: SessionRequest): Session {
  const isSecure = address.protocol === 'https:'
  // With this prefix, browsers take the cookie from this host alone, and over TLS.
  const cookieName = isSecure ? '__Host-authgraph' : 'authgraph'
  const known = readCookie(request.header('cookie'), cookieName)
  const id = known ?? newSessionId()
  const csrfFor = (userCode = '') =>
    hmac(secret, JSON.stringify([id, typeof user === 'string' ? user : user.id, userCode]))
  return {
    csrfFor,
    isOurs: async (csrf, userCode) =>
      isSameOrigin(request, address) && same(csrf ?? '', await csrfFor(userCode)),
    headers: known
      ? {}
      : {
          'set-cookie': `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
        },
  }
}

/** Older browsers do not send `Sec-Fetch-Site`, and none does over http off loopback. All send `Origin` with a form. */
function isSameOrigin({ header }: ServiceRequest, address: URL): boolean {
  const site = header('sec-fetch-site')
  return site === undefined ? header('origin') === address.origin : site === 'same-origin'
}

/** Of two cookies with the same name one was planted, and nothing tells which. */
function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.replaceAll(AROUND, ''))
  const [pair, ...more] = pairs.filter((pair) => pair.startsWith(`${name}=`))
  const value = pair?.slice(name.length + 1)
  return value && more.length === 0 && /^[0-9a-f]{32}$/.test(value) ? value : undefined
}
