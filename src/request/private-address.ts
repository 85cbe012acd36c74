import { isLoopback } from '../protocol/syntax.ts'

/** First numbers of IPv4 addresses that are not public: RFC 6890, and RFC 6598 for carriers. */
const PRIVATE_IPV4 =
  /^(0|10|127|169\.254|192\.168|192\.0\.0|198\.1[89]|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|2(2[4-9]|[345]\d))\./

/**
 * Beginnings of IPv6 addresses that are not public: unspecified, loopback, and IPv4 in old forms; unique local, link-local,
 * multicast; local NAT64 (RFC 8215); and the tunnels 6to4 and Teredo.
 */
const PRIVATE_IPV6 = /^(::|f[cd]|fe[89a-f]|ff|64:ff9b:1:|2002:|2001:0?:)/

/** An IPv4 address inside of IPv6: mapped, or translated by NAT64 (RFC 6052). */
const INSIDE_IPV6 = /^(?:::ffff:|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]+):([\da-f]+))$/

/** Names that no public server has. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/

/**
 * Whether a host name or an IP address is not public: loopback, link-local, or of a private network. A name may still
 * resolve to such an address.
 */
export function isPrivate(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (name.includes(':')) {
    const [, dotted, high, low] = INSIDE_IPV6.exec(name) ?? []
    if (high !== undefined && low !== undefined)
      return PRIVATE_IPV4.test(`${dottedOf(high)}.${dottedOf(low)}.`)
    return dotted === undefined ? PRIVATE_IPV6.test(name) : PRIVATE_IPV4.test(`${dotted}.`)
  }
  return (
    isLoopback(name) || PRIVATE_NAME.test(name) || (/^[\d.]+$/.test(name) && PRIVATE_IPV4.test(`${name}.`))
  )
}

/** Four hexadecimal digits as two decimal numbers. */
function dottedOf(digits: string): string {
  const number = Number.parseInt(digits, 16)
  return `${number >> 8}.${number & 255}`
}
