import { BadOptionError, WrongHostError } from '../errors.ts'
import type { Secret } from '../secret.ts'

/** Control and formatting characters. They could let a service write to the terminal that shows its text. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** Users read the URL of an issuer, and copy it to a shell: nothing that has a meaning there, or looks like something else. */
export const PLAIN = /^[\w.~:/%+=,[\]-]+$/

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
  dpop: { readonly prove: unknown } | undefined,
  { tokenType = '', dpopKey }: { readonly tokenType?: string; readonly dpopKey?: Secret | undefined } = {},
): void {
  const isBound = dpopKey ?? isDpop(tokenType)
  if (isBound ? dpop?.prove && dpopKey : !dpop || dpop.prove) return
  throw new BadOptionError('pass dpop: dpop() of authgraph/dpop, with the key of the token')
}

/** One for all, since ten thousand flows may wait at once. Frozen, because callers get it. */
export const NO_SCOPES: readonly string[] = /* @__PURE__ */ Object.freeze([])

/**
 * Parses a URL that secrets are sent to. It must use `https`, or `http` on a loopback address, and must not contain a
 * user name or password.
 *
 * @throws {@link WrongHostError} for any other URL, before anything is sent.
 */
export function secureAddress(address: string): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new WrongHostError('a URL of the provider is not absolute')
  }
  if (url.username !== '' || url.password !== '') {
    throw new WrongHostError(`the URL at ${url.host} must not contain a user name or a password`)
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new WrongHostError(
    `the URL${url.host && ` at ${url.host}`} must use https: only loopback addresses may use http`,
  )
}

/** Whether a URL can be a base URL: http(s), without a query, a fragment, or a user name. */
export function isBaseAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:\/\/[^?#@]+$/i.test(address)
}

export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address
}

/**
 * Parses a host as users write it, with or without `https://`; returns `undefined` for anything else. Only loopback
 * addresses may use `http`, which is their default.
 */
export function hostAddress(text: string): URL | undefined {
  const scheme =
    URL.canParse(`http://${text}`) && isLoopback(new URL(`http://${text}`).hostname) ? 'http' : 'https'
  const address = /^https?:\/\//i.test(text) ? text : `${scheme}://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isHost = url?.href === `${url?.origin}/`
  return isHost && (url?.protocol === 'https:' || isLoopback(url.hostname)) ? url : undefined
}

/**
 * Whether a host is a loopback address. RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3.
 *
 * `*.localhost` is not: many systems resolve those names with DNS, where others can respond.
 */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '[::1]', '::1'].includes(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
