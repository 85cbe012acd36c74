import { isScope } from '../../protocol/syntax.ts'
import { refuse } from '../host/refused-request.ts'

/** Limits what a device code request can store: characters of `scope`, and the number of scopes in it. */
const LONGEST = 2000
const MOST = 50

/**
 * Reads scopes that are separated by commas or spaces. Returns them without duplicates.
 *
 * @param allowed The scopes that the client may request; `undefined` for any.
 * @param more What else the response says if the scopes are refused.
 * @throws RefusedRequest with `invalid_scope`.
 */
export function readScopes(
  scope: string,
  allowed: readonly string[] | undefined,
  more: { readonly error_uri?: string } = {},
): readonly string[] {
  const invalid = (problem: string) => refuse(400, 'invalid_scope', problem, more)
  // Copies character by character: a slice would keep the whole body in memory.
  const text = Array.from(scope.slice(0, LONGEST + 1)).join('')
  const scopes = [...new Set(text.split(/[ ,]+/))].filter((name) => name !== '')
  if (scope.length > LONGEST || scopes.length > MOST)
    return invalid(`at most ${MOST} scopes with ${LONGEST} characters in total are allowed`)
  if (!scopes.every(isScope)) return invalid('a scope contains a character that is not allowed')
  const foreign = allowed && scopes.find((name) => !allowed.includes(name))
  return foreign === undefined ? scopes : invalid(`the client may not request the scope ${foreign}`)
}
