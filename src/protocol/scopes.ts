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
