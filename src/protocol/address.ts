import { WrongHostError } from '../errors.ts'

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
  throw new WrongHostError(`the URL at ${url.host} must use https: only loopback addresses may use http`)
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
