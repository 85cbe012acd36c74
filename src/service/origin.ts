import type { Origin } from '../../machines/device-grant.ts'
import type { ServiceRequest } from './http.ts'

/** Characters kept of what a device says it is. */
const LONGEST_USER_AGENT = 200

/** Characters of the longest address there is: one of IPv6 with an interface. */
const LONGEST_ADDRESS = 64

/** Tells where a request comes from, in a length that can be kept. */
export function originOf(request: ServiceRequest, clientAddress: string | undefined): Origin {
  const address = readable(clientAddress, LONGEST_ADDRESS)?.replace(/^::ffff:(?=\d+\.)/i, '')
  const userAgent = readable(request.header('user-agent'), LONGEST_USER_AGENT)
  return { ...(address && { address }), ...(userAgent && { userAgent }) }
}

/** Without characters that change how the text around them is shown. */
function readable(text: string | undefined, longest: number): string | undefined {
  return text
    ?.replaceAll(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(0, longest)
}
