import { guardHeaders } from '../request/http.ts'
import { isPrivate } from '../request/private-address.ts'
import { publicFetch } from '../request/public-fetch.ts'

/** A `fetch` for what a server names: its own documents, its issuer, and the endpoints of that. */
export interface ConfinedFetch {
  readonly fetch: typeof globalThis.fetch
  /** Whether the server is at a private address itself, so that its issuer may be too. */
  isPrivate: boolean
}

/**
 * Creates a `fetch` that sends nothing to a private address, unless the server is at one: a public server must not make us
 * call services of this machine and of its network. In Node, the address that was connected counts, not only the name.
 *
 * @param server The URL of the server.
 * @param isDirect Whether connections go to the hosts of the URLs: that of a proxy says nothing about them.
 */
export function confinedFetch(fetch: typeof globalThis.fetch, server: URL, isDirect: boolean): ConfinedFetch {
  const confined: ConfinedFetch = {
    isPrivate: isPrivate(server.hostname),
    async fetch(input, init) {
      const { origin } = new URL(input instanceof Request ? input.url : input)
      if (origin === server.origin) {
        const note = ({ remoteAddress }: { readonly remoteAddress?: string | undefined }) => {
          confined.isPrivate = isPrivate(server.hostname) || (isDirect && isPrivate(remoteAddress ?? ''))
          return undefined
        }
        return guardHeaders(note, () => fetch(input, init))
      }
      if (confined.isPrivate) return fetch(input, init)
      return publicFetch({ fetch, isDirect, reason: `, and ${server.host} is not` }, input, init)
    },
  }
  return confined
}
