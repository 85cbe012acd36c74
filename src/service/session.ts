import { hash, same } from './hash.ts'
import type { ServiceRequest } from './http.ts'
import { newSessionId } from './random-codes.ts'

/** What binds the forms of the verification page to the browser that was shown them. */
export interface Session {
  /** What a form carries. It is made of the cookie, which no other site can read. */
  readonly csrf: string
  /** The headers that give a new browser its cookie. */
  readonly headers: Readonly<Record<string, string>>
  isOurs(csrf: string | undefined): boolean
}

/**
 * Reads the session of a request from its cookie, or begins one.
 *
 * @param secure Whether the page is served over `https`. The prefix of the cookie's name then keeps other hosts of
 * the same domain from setting it.
 */
export async function openSession(request: ServiceRequest, secure: boolean): Promise<Session> {
  const name = secure ? '__Host-authgraph' : 'authgraph'
  const known = readCookie(request.header('cookie'), name)
  const id = known ?? newSessionId()
  const csrf = await hash(`csrf:${id}`)
  const cookie = `${name}=${id}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
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
