import type { ServiceRequest } from './http.ts'

/** The fields of a request, or what is wrong with them. */
export type Fields =
  | { readonly ok: true; readonly fields: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads the fields of a form or of JSON. An empty field is an absent one; a repeated one is an error, since two
 * readers would take two different values.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2 RFC 6749, section 3.2}
 */
export function readFields(request: ServiceRequest): Fields {
  const pairs = isJson(request) ? jsonPairs(request.body) : [...new URLSearchParams(request.body)]
  if (pairs === undefined) return { ok: false, problem: 'the body is not a JSON object of strings' }
  const fields = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (fields.has(name)) return { ok: false, problem: 'a field is repeated' }
    fields.set(name, value)
  }
  for (const [name, value] of fields) if (value === '') fields.delete(name)
  return { ok: true, fields }
}

/** Told from the body as well: clients call JSON all kinds of things, and no form begins with a brace. */
function isJson({ body, header }: ServiceRequest): boolean {
  return /^application\/json\b/i.test(header('content-type') ?? '') || body.trimStart().startsWith('{')
}

function jsonPairs(body: string): [string, string][] | undefined {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  } catch {
    return undefined
  }
}
