import { readBody, readText } from '../request/http.ts'
import { SECRET_FIELDS } from '../request/name-request.ts'
import { HIDDEN } from '../secret.ts'

/** An HTTP message without its secrets. */
export interface Message {
  /** Number of the exchange, shared by a request and its response. */
  readonly exchange: number
  readonly kind: 'request' | 'response' | 'lost'
  /** Method and path, or the status. */
  readonly title: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export type ShownMessage = Pick<Message, 'title' | 'fields'>

/** Bytes of the largest body that is read. */
const LARGEST = 64 * 1024

/** The fields that are shown, if their values match. All others are left out. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  scope: /^[\w:.,/ -]{0,200}$/,
  grant_type: /^[\w:-]{1,80}$/,
  user_code: /^[\w-]{1,32}$/,
  verification_uri: /^https?:\/\/\S{1,200}$/,
  expires_in: /^\d{1,12}$/,
  interval: /^\d{1,12}$/,
  token_type: /^[A-Za-z]{1,32}$/,
  // Letters only, so that the value cannot be a code or a token.
  error: /^[a-z_]{1,64}$/,
}

/**
 * Describes a request by its method, its path and its fields. The body is read from a clone.
 *
 * @param secrets The secrets of the exchange, which no other field may repeat. This function adds those of the request.
 */
export async function shownRequest(request: Request, secrets: Set<string>): Promise<ShownMessage> {
  const { pathname } = new URL(request.url)
  return { title: `${request.method} ${pathname}`, fields: await fieldsOf(request.clone(), secrets) }
}

/** Describes a response by its status and its fields, like `shownRequest`. */
export async function shownResponse(response: Response, secrets: Set<string>): Promise<ShownMessage> {
  return { title: String(response.status), fields: await fieldsOf(response.clone(), secrets) }
}

async function fieldsOf({ body }: Request | Response, secrets: Set<string>): Promise<[string, string][]> {
  const read = readBody((await readText(body, LARGEST)) ?? '')
  const fields = Object.entries(read ?? {}).map(([name, value]) => [name, textOf(value)] as const)
  for (const [name, value] of fields) if (SECRET_FIELDS.includes(name)) secrets.add(value)
  return fields.flatMap(([name, value]) => {
    if (SECRET_FIELDS.includes(name)) return [[name, HIDDEN]]
    const isPlain = Object.hasOwn(PLAIN, name) && PLAIN[name]?.test(value)
    const isRepeated = value.split(/[\s,]+/).some((word) => secrets.has(word))
    return isPlain && !isRepeated ? [[name, short(value)]] : []
  })
}

/** Ignores objects: none is shown, and `String` throws if `toString` is not a function. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** Shortens the name of the grant type, which is longer than everything else. */
function short(value: string): string {
  return value.replace(/^urn:.*:/, '…:')
}
