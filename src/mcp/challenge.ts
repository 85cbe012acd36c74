import { isScope, splitScopes } from '../protocol/syntax.ts'

/** What a server says about the token that it wants. */
export interface Challenge {
  /** The URL of the document that describes the server. */
  readonly resourceMetadata?: string | undefined
  readonly error?: string | undefined
  /** The scopes that the request needs. */
  readonly scopes: readonly string[]
}

/** Longest header to read, in characters, and how many scopes of it. */
const LONGEST = 16 * 1024
const MOST_SCOPES = 100

/** A scheme, or a parameter with a token or a quoted text as its value. RFC 9110, section 11.2. */
const PART = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y

/**
 * Reads the `Bearer` challenge of a response. What cannot be read counts as absent.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-3 RFC 6750, section 3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1 RFC 9728, section 5.1}
 */
export function readChallenge(headers: Headers): Challenge {
  const parameters = parametersOf(headers.get('www-authenticate') ?? '')
  const scopes = splitScopes(parameters.get('scope') ?? '', ' ').filter(isScope)
  return {
    resourceMetadata: parameters.get('resource_metadata'),
    error: parameters.get('error'),
    scopes: scopes.slice(0, MOST_SCOPES),
  }
}

function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  if (header.length > LONGEST) return parameters
  let scheme = ''
  for (const [, name = '', quoted, token] of header.matchAll(new RegExp(PART, 'gy'))) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token
    if (value === undefined) {
      if (scheme === 'bearer') break
      scheme = name.toLowerCase()
    } else if (scheme === 'bearer' && !parameters.has(name.toLowerCase()))
      parameters.set(name.toLowerCase(), value)
  }
  return parameters
}
