import { bodyOf, type ServiceRequest } from './types.ts'

/** The fields of a request. One that is absent or empty is missing. */
export type Fields<Name extends string> = Readonly<Partial<Record<Name, string>>>

type ReadFields<Name extends string> =
  | { readonly ok: true; readonly fields: Fields<Name> }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads the named fields of a form or JSON body and ignores all others. An empty field counts as absent. A repeated field
 * is an error, since two readers could choose two different values; only `resource` may be repeated (RFC 8707, section 2),
 * and then holds all values that differ, which together name no API: a token is for one.
 *
 * If `Content-Type` does not say JSON, the body itself decides: many clients send JSON without it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2 RFC 6749, section 3.2}
 */
export function readFields<Name extends string>(
  request: ServiceRequest,
  names: readonly Name[],
): ReadFields<Name> {
  const body = bodyOf(request)
  const members = isJson(request.header('content-type'), body) ? jsonMembers(body) : new URLSearchParams(body)
  if (members === undefined) return { ok: false, problem: 'the body is not a JSON object' }
  const fields: Partial<Record<Name, string>> = {}
  const seen = new Set<string>()
  for (const [member, value] of members) {
    const name = names.find((known) => known === member)
    if (name === undefined) continue
    if (seen.has(name) && name !== 'resource') return { ok: false, problem: `the field ${name} is repeated` }
    seen.add(name)
    if (value === null || value === '') continue
    if (typeof value !== 'string') return { ok: false, problem: `the field ${name} is not a string` }
    const before = fields[name]
    fields[name] = before === undefined || before === value ? value : `${before} ${value}`
  }
  return { ok: true, fields }
}

function isJson(type: string | undefined, body: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type ?? '') || /^\s*\{/.test(body)
}

function jsonMembers(body: string): [name: string, value: unknown][] | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const members = value as Record<string, unknown>
  return memberNames(body).map((name) => [name, members[name]])
}

/** The names of all members, which may be repeated: JSON.parse silently keeps the last of several with the same name. */
function memberNames(json: string): readonly string[] {
  const names: string[] = []
  let depth = 0
  let isName = true
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    else if (character === ':' || character === ',') isName = character === ','
    else if (character === '"') {
      const end = endOfText(json, at)
      if (depth === 1 && isName) names.push(JSON.parse(json.slice(at, end + 1)))
      at = end
    }
  }
  return names
}

function endOfText(json: string, start: number): number {
  let end = start + 1
  while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1
  return end
}
