import { WrongHostError } from '../errors.ts'

/**
 * Reads an address that secrets are sent to: `https`, or `http` on a loopback address, and no user name in it.
 *
 * @throws {@link WrongHostError} for every other address, before anything is sent.
 */
export function secureAddress(address: string): URL {
  if (!URL.canParse(address)) throw new WrongHostError('a URL of the provider is not absolute')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    throw new WrongHostError(`the URL at ${url.host} must not contain a user name or a password`)
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new WrongHostError(`the URL at ${url.host} must use https: only loopback addresses may use http`)
}

/** Tells an address below which paths are found: http(s), without a query, a fragment, or a user name. */
export function isBaseAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:\/\/[^?#@]+$/i.test(address)
}

/** Cuts the slash at the end of an address, so that a path can follow. */
export function withoutSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address
}

/**
 * Reads a host as users write it, with or without `https://` before it; `undefined` for anything else. Only a loopback
 * address may have `http`, which is then the default.
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
 * Host names and addresses that never leave this machine. RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3.
 *
 * Not `*.localhost`: many systems ask DNS for those names, which others can answer.
 */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '[::1]', '::1'].includes(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
