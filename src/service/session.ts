import type { User } from '../../machines/device-grant.ts'
import { hash, same } from './hash.ts'
import type { ServiceRequest } from './http.ts'
import { newSessionId } from './random-codes.ts'

/** What binds the forms of the verification page to the browser, and to the user, that was shown them. */
export interface Session {
  /** What the store may know the session by. */
  readonly name: string
  /** What a form carries. It is made of the cookie, which no other site can read, and of the user. */
  readonly csrf: string
  /** The headers that give a new browser its cookie. */
  readonly headers: Readonly<Record<string, string>>
  isOurs(csrf: string | undefined): boolean
}

/**
 * Reads the session of a request from its cookie, or begins one.
 *
 * @param user Who is signed in. A form is good for this user alone: where another one signs in, nobody decides for
 * them on a page that was shown before.
 * @param secure Whether the page is served over `https`. The prefix of the cookie's name then keeps other hosts of
 * the same domain from setting it.
 */
export async function openSession(request: ServiceRequest, user: User, secure: boolean): Promise<Session> {
  const cookieName = secure ? '__Host-authgraph' : 'authgraph'
  const known = readCookie(request.header('cookie'), cookieName)
  const id = known ?? newSessionId()
  const csrf = await hash(JSON.stringify(['csrf', id, typeof user === 'string' ? user : user.id]))
  const cookie = `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    name: await hash(`session:${id}`),
    csrf,
    headers: known ? {} : { 'set-cookie': cookie },
    // A browser without a cookie has a session that no form was made for yet.
    isOurs: (given) => same(given ?? '', csrf),
  }
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value = ''] = pair.trim().split('=')
    if (key === name && /^[0-9a-f]{32}$/.test(value)) return value
  }
  return undefined
}
