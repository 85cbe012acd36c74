import { WrongHostError } from '../errors.ts'
import { guardHeaders } from './http.ts'
import { isPrivate } from './private-address.ts'

interface PublicRequest {
  readonly fetch: typeof globalThis.fetch
  /** Whether connections go to the hosts of the URLs: that of a proxy says nothing about them. */
  readonly isDirect: boolean
  /** Why nothing was sent. */
  readonly reason: string
}

/**
 * Sends nothing to a private address: somebody else chose the URL. In Node, the address that was connected counts, not only the
 * name.
 *
 * @throws {@link WrongHostError}
 */
export async function publicFetch(
  { fetch, isDirect, reason }: PublicRequest,
  ...[input, init]: Parameters<typeof globalThis.fetch>
): Promise<Response> {
  const { hostname, host } = new URL(input instanceof Request ? input.url : input)
  const refusal = () => new WrongHostError(`${host} is at a private address${reason}: nothing was sent`)
  if (isPrivate(hostname)) throw refusal()
  let isRefused = false
  try {
    return await guardHeaders(
      ({ remoteAddress }) => {
        isRefused = isDirect && isPrivate(remoteAddress ?? '')
        return isRefused ? 'the address is private' : undefined
      },
      () => fetch(input, init),
    )
  } catch (error) {
    throw isRefused ? refusal() : error
  }
}
