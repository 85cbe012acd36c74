import type { Origin } from '../../machines/device-grant.ts'
import type { ServiceRequest } from './http/types.ts'

/** Characters kept of what a device says it is. */
const LONGEST_USER_AGENT = 200

/** Characters of the longest address there is: one of IPv6 with an interface. */
const LONGEST_ADDRESS = 64

/** Tells where a request comes from, in a length that can be kept. */
export function requestOrigin(request: ServiceRequest, clientAddress: string | undefined): Origin {
  const address = readable(clientAddress, LONGEST_ADDRESS)?.replace(/^::ffff:(?=\d+\.)/i, '')
  const userAgent = readable(request.header('user-agent'), LONGEST_USER_AGENT)
  return { ...(address && { address }), ...(userAgent && { userAgent }) }
}

const PRINTABLE = /[\x20-\x7e]/

/**
 * Without characters that change how the text around them is shown. Copied letter by letter: a part of a text would keep
 * the whole header in memory.
 */
function readable(text: string | undefined, longest: number): string | undefined {
  const letters = Array.from((text ?? '').trimStart().slice(0, longest))
  return letters
    .map((letter) => (PRINTABLE.test(letter) ? letter : ' '))
    .join('')
    .trim()
}
