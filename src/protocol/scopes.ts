/**
 * What stands between two scopes: a comma for the service of the specification, a space in RFC 6749.
 *
 * @group Profiles
 */
export type ScopeSeparator = ',' | ' '

/** Tells whether a text is one scope. RFC 6749, section 3.3. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}

/** Tells a list of scopes, where types cannot: in what a caller gives, or in a record that was kept. */
export function isScopes(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((scope) => typeof scope === 'string')
}

/** Joins scopes as a request carries them; an empty list is an empty string. Spec 4.1. */
export function joinScopes(scopes: readonly string[], separator: ScopeSeparator): string {
  return scopes.join(separator)
}

/** Splits scopes as an answer carries them; an empty string is an empty list. Spec 2.2. */
export function splitScopes(scope: string, separator: ScopeSeparator): string[] {
  return scope.split(separator).filter((name) => name !== '')
}
