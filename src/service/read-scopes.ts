import { isScope } from '../protocol/scopes.ts'

/** Characters of the longest `scope`, and the most scopes in it: whoever asks for codes has the service keep them. */
const LONGEST = 2000
const MOST = 50

/** The scopes of a request, each once, or what is wrong with them. */
export type RequestedScopes =
  | { readonly ok: true; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads scopes that are separated by commas or spaces.
 *
 * @param allowed Those that the client may ask for; any where it is `undefined`.
 */
export function readScopes(scope: string, allowed: readonly string[] | undefined): RequestedScopes {
  // Copied letter by letter: a slice would keep the whole body in memory.
  const text = Array.from(scope.slice(0, LONGEST + 1)).join('')
  const scopes = [...new Set(text.split(/[ ,]+/))].filter((name) => name !== '')
  if (scope.length > LONGEST || scopes.length > MOST)
    return { ok: false, problem: `at most ${MOST} scopes of ${LONGEST} characters in all are allowed` }
  if (!scopes.every(isScope)) return { ok: false, problem: 'the scopes cannot be read' }
  const foreign = allowed && scopes.find((name) => !allowed.includes(name))
  if (foreign !== undefined) return { ok: false, problem: `the client may not ask for the scope ${foreign}` }
  return { ok: true, scopes }
}
