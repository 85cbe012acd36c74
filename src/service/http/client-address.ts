import { BadOptionError } from '../../errors.ts'
import type { ServiceRequest } from './types.ts'
import { UNIX_SOCKET } from './unix-socket.ts'

/** Bits of an IPv6 address. IPv4 addresses are mapped into IPv6 (RFC 4291, section 2.5.5.2). */
const BITS = 128n
const MAPPED_IPV4 = 0xffff_0000_0000n
const IPV4_BITS = 32n

/** The prefix of IPv4 addresses behind NAT64 (RFC 6052, section 2.1). */
const NAT64 = 0x64_ff9bn << 96n

/** One IPv6 subscriber may own a whole /48 network and use any address in it. RFC 6177. */
const NETWORK_BITS = 48n

/**
 * Finds the address of a client behind your proxies. Pass the result as the option `clientAddress` of `createService`.
 * It reads `X-Forwarded-For` from right to left and stops at the first address that is not a trusted proxy: anyone could
 * have written what comes before it.
 *
 * ```ts
 * import { behindProxies, createService } from 'authgraph/service'
 *
 * const service = createService({
 *   clients: [{ clientId: 'my-client-id', name: 'My app' }],
 *   clientAddress: behindProxies(['10.0.0.0/8']),
 * })
 * ```
 *
 * @param trusted Your proxies: addresses (`127.0.0.1`), networks (`10.0.0.0/8`, `fd00::/8`), or `unix:` for all that connect
 *   to the Unix socket of `listen`.
 * @throws {@link BadOptionError} for an entry that is neither an address nor a network.
 */
export function behindProxies(trusted: readonly string[]): (request: ServiceRequest) => string | undefined {
  const networks = trusted.filter((proxy) => proxy !== UNIX_SOCKET).map(readNetwork)
  const isTrusted = (address: string) => {
    if (address === UNIX_SOCKET) return trusted.includes(address)
    const bits = bitsOf(address)
    return bits !== undefined && networks.some((holds) => holds(bits))
  }
  return ({ address, header }) => {
    if (address === undefined || !isTrusted(address)) return address
    let client = address
    for (const hop of (header('x-forwarded-for') ?? '').split(',').reverse()) {
      const named = withoutPort(hop.trim())
      if (bitsOf(named) === undefined) return client
      client = named
      if (!isTrusted(client)) return client
    }
    return client
  }
}

/** Returns what limits count as one client: an IPv4 address in any notation, or the IPv6 network of a subscriber. */
export function networkOf(address: string): string {
  const bits = bitsOf(address)
  if (bits === undefined) return address
  const prefix = (bits >> IPV4_BITS) << IPV4_BITS
  if (prefix === MAPPED_IPV4 || prefix === NAT64) return ipv4(bits - prefix)
  return `${(bits >> (BITS - NETWORK_BITS)).toString(16)}::/${NETWORK_BITS}`
}

function ipv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.')
}

function readNetwork(text: string): (bits: bigint) => boolean {
  const [address = '', length, ...more] = text.split('/')
  const bits = bitsOf(address)
  const most = address.includes(':') ? BITS : IPV4_BITS
  if (bits === undefined || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    throw new BadOptionError(`"${text}" is neither an IP address nor a network such as 10.0.0.0/8`)
  const free = most - (length === undefined ? most : BigInt(length))
  if (free < 0n)
    throw new BadOptionError(`the prefix of the network "${text}" is too long: use at most /${most}`)
  return (other) => other >> free === bits >> free
}

/** The 128 bits of an address; `undefined` for any other text. */
function bitsOf(address: string): bigint | undefined {
  const ipv4 = readIpv4(/^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1])
  if (ipv4 !== undefined) return MAPPED_IPV4 | ipv4
  const url = `http://[${address.replace(/%.*$/, '')}]`
  if (!address.includes(':') || !URL.canParse(url)) return undefined
  const [left = '', right] = new URL(url).hostname.slice(1, -1).split('::')
  const before = left === '' ? [] : left.split(':')
  const after = right ? right.split(':') : []
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

function readIpv4(address: string | undefined): bigint | undefined {
  const bytes = address?.split('.').map(Number)
  if (bytes === undefined || bytes.some((byte) => byte > 255)) return undefined
  return bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n)
}

/** Some proxies add the port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return bracketed ?? plain ?? hop
}
