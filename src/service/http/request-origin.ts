import type { Origin } from '../../../machines/device-grant.ts'
import type { ServiceRequest } from './types.ts'

/** Characters kept of the user agent. */
const LONGEST_USER_AGENT = 200

/** Characters of the longest possible address: IPv6 with an interface. */
const LONGEST_ADDRESS = 64

/** Returns the address and the user agent of a request, cut to a length that the store can keep. */
export function requestOrigin(request: ServiceRequest, clientAddress: string | undefined): Origin {
  const address = readableText(clientAddress, LONGEST_ADDRESS)?.replace(/^::ffff:(?=\d+\.)/i, '')
  const userAgent = readableText(request.header('user-agent'), LONGEST_USER_AGENT)
  return { ...(address && { address }), ...(userAgent && { userAgent }) }
}

const PRINTABLE = /[\x20-\x7e]/

/**
 * Replaces characters that could change how the surrounding text is displayed. Copies character by character: a slice
 * would keep the whole header in memory.
 */
function readableText(text: string | undefined, longest: number): string | undefined {
  const letters = Array.from((text ?? '').trimStart().slice(0, longest))
  return letters
    .map((letter) => (PRINTABLE.test(letter) ? letter : ' '))
    .join('')
    .trim()
}
