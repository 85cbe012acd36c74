import { isScope } from '../../protocol/syntax.ts'

/** Limits what a device code request can store: characters of `scope`, and the number of scopes in it. */
const LONGEST = 2000
const MOST = 50

/** The scopes of a request without duplicates, or what is wrong with them. */
export type RequestedScopes =
  | { readonly ok: true; readonly scopes: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads scopes that are separated by commas or spaces.
 *
 * @param allowed The scopes that the client may request; `undefined` for any.
 */
export function readScopes(scope: string, allowed: readonly string[] | undefined): RequestedScopes {
  // Copies character by character: a slice would keep the whole body in memory.
  const text = Array.from(scope.slice(0, LONGEST + 1)).join('')
  const scopes = [...new Set(text.split(/[ ,]+/))].filter((name) => name !== '')
  if (scope.length > LONGEST || scopes.length > MOST)
    return { ok: false, problem: `at most ${MOST} scopes with ${LONGEST} characters in total are allowed` }
  if (!scopes.every(isScope))
    return { ok: false, problem: 'a scope contains a character that is not allowed' }
  const foreign = allowed && scopes.find((name) => !allowed.includes(name))
  if (foreign !== undefined) return { ok: false, problem: `the client may not request the scope ${foreign}` }
  return { ok: true, scopes }
}
