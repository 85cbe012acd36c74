import { BadOptionError } from '../errors.ts'
import type { Secret } from '../secret.ts'
import type { Dpop } from './dpop.ts'

/** Control and formatting characters. They could let a service write to the terminal that shows its text. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** What separates two scopes: a comma for GitHub, a space in RFC 6749. */
export type ScopeSeparator = ',' | ' '

/** Whether a text is one scope. RFC 6749, section 3.3. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}

/** Joins scopes for a request. An empty list is an empty string. */
export function joinScopes(scopes: readonly string[], separator: ScopeSeparator): string {
  return scopes.join(separator)
}

/** Splits the scopes of a response. An empty string is an empty list. */
export function splitScopes(scope: string, separator: ScopeSeparator): string[] {
  return scope.split(separator).filter((name) => name !== '')
}

/**
 * Whether a value can be a token: visible ASCII characters and spaces. Other characters could write to a terminal or
 * end a header. RFC 6749, appendix A.12.
 */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
}

/** Whether a token type is `bearer`. It is case-insensitive: RFC 6749, section 5.1. */
export function isBearer(tokenType: string): boolean {
  return tokenType.toLowerCase() === 'bearer'
}

/** Whether a token type is `DPoP`: the token is sent with a proof. RFC 9449, section 5. */
export function isDpop(tokenType: string): boolean {
  return tokenType.toLowerCase() === 'dpop'
}

/**
 * Throws a BadOptionError for an option `dpop` of another kind, and for a token that is bound to a key if its key or the
 * option is missing: without a proof, the server would take its owner for a thief.
 */
export function assertDpop(
  dpop: Dpop | undefined,
  { tokenType = '', dpopKey }: { readonly tokenType?: string; readonly dpopKey?: Secret | undefined } = {},
): void {
  const isBound = dpopKey ?? isDpop(tokenType)
  if (isBound ? dpop?.prove && dpopKey : !dpop || dpop.prove) return
  throw new BadOptionError('pass dpop: dpop() of authgraph/dpop, with the key of the token')
}

/** One for all, since ten thousand flows may wait at once. Frozen, because callers get it. */
export const NO_SCOPES: readonly string[] = /* @__PURE__ */ Object.freeze([])
