import { readText } from '../../protocol/read-text.ts'
import { readBody } from '../../protocol/response.ts'

/** A message on the wire, as it may be shown: without its secrets. */
export interface Message {
  /** Which exchange it belongs to: a request and its answer have the same number. */
  readonly exchange: number
  readonly kind: 'request' | 'response' | 'lost'
  /** Method and path, or the status. */
  readonly title: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** What is shown of a request or an answer by itself. */
export type Shown = Pick<Message, 'title' | 'fields'>

/** Bytes of the largest body that is looked at. */
const LARGEST = 64 * 1024

/** Of these it is shown that they are there. */
const SECRETS = new Set([
  'client_id',
  'client_secret',
  'device_code',
  'access_token',
  'refresh_token',
  'id_token',
])

/** What values look like that are shown. All other fields are left out. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  scope: /^[\w:.,/ -]{0,200}$/,
  grant_type: /^[\w:-]{1,80}$/,
  user_code: /^[\w-]{1,32}$/,
  verification_uri: /^https?:\/\/\S{1,200}$/,
  expires_in: /^\d{1,12}$/,
  interval: /^\d{1,12}$/,
  token_type: /^[A-Za-z]{1,32}$/,
  // Letters alone: no code and no token is a word.
  error: /^[a-z_]{1,64}$/,
}

/**
 * Shows a request: where it goes, and its fields. The body is read from a copy.
 *
 * @param secrets Those of the exchange, which no other field may repeat: what is found is added.
 */
export async function shownRequest(request: Request, secrets: Set<string>): Promise<Shown> {
  const { pathname } = new URL(request.url)
  return { title: `${request.method} ${pathname}`, fields: await fieldsOf(request.clone(), secrets) }
}

/** Shows an answer: its status, and its fields, where it has any. As for a request. */
export async function shownResponse(response: Response, secrets: Set<string>): Promise<Shown> {
  return { title: String(response.status), fields: await fieldsOf(response.clone(), secrets) }
}

async function fieldsOf({ body }: Request | Response, secrets: Set<string>): Promise<[string, string][]> {
  const read = readBody((body && (await readText(body, LARGEST))) ?? '')
  const fields = Object.entries(read ?? {}).map(([name, value]) => [name, textOf(value)] as const)
  for (const [name, value] of fields) if (SECRETS.has(name)) secrets.add(value)
  return fields.flatMap(([name, value]) => {
    if (SECRETS.has(name)) return [[name, '[secret]']]
    const isPlain = Object.hasOwn(PLAIN, name) && PLAIN[name]?.test(value)
    const isRepeated = value.split(/[\s,]+/).some((word) => secrets.has(word))
    return isPlain && !isRepeated ? [[name, short(value)]] : []
  })
}

/** No field that is shown is an object, and `String` fails on one whose `toString` is not a function. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** The name of the grant type is longer than all the rest. */
function short(value: string): string {
  return value.replace(/^urn:.*:/, '…:')
}
