import * as v from 'valibot'
import { BadResponseError } from '../../errors.ts'
import { DEVICE_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { parseFields } from '../../protocol/fields.ts'
import { systemClock, within } from '../../request/clock.ts'
import { get, systemFetch } from '../../request/http.ts'
import { publicFetch } from '../../request/public-fetch.ts'
import { clientName } from './client-name.ts'
import type { Client } from './clients.ts'

/** Which client ID metadata documents the service accepts. */
export interface ClientDocuments extends Pick<Client, 'scopes' | 'policy'> {
  /**
   * The hosts whose documents are accepted, such as `app.example.com`, with a port unless it is 443; `*` for all.
   */
  readonly hosts: readonly string[] | '*'
  /**
   * Fetches the documents, for example through a proxy. Default: the global `fetch`. With your own, hosts are judged by
   * their names only, not by the addresses that were connected.
   */
  readonly fetch?: typeof globalThis.fetch
}

/** Seconds within which a document must arrive. */
const TIMEOUT = 10

/** Seconds for which a document is used at least and at most, whatever its headers say. */
const LEAST = 5 * 60
const MOST = 24 * 60 * 60

const document = v.object({
  client_id: v.string(),
  client_name: clientName,
  grant_types: v.nullish(
    v.pipe(
      v.array(v.string()),
      v.check((types) => types.includes(DEVICE_GRANT_TYPE)),
    ),
  ),
  // Whoever reads the document knows a secret in it.
  token_endpoint_auth_method: v.nullish(v.literal('none')),
  client_secret: v.optional(v.undefined()),
})

/** Fetches client ID metadata documents. */
export function createClientDocuments({ hosts, fetch = systemFetch }: ClientDocuments) {
  const isDirect = fetch === systemFetch
  return {
    /** Whether a client ID is the URL of a document at a host that is accepted. */
    accepts(clientId: string): boolean {
      if (!clientId.startsWith('https://') || !URL.canParse(clientId)) return false
      const { href, host, pathname, username, password } = new URL(clientId)
      // One client has one spelling. Dots in the path, a query and a fragment are none of it.
      if (href !== clientId || /[?#]/.test(clientId) || pathname === '/') return false
      return username === '' && password === '' && (hosts === '*' || hosts.includes(host))
    },

    /**
     * Fetches a document. Returns the name in it, and the seconds for which it need not be fetched again.
     *
     * @throws {@link BadResponseError} if it is not one of this client, and the errors of a request.
     */
    async fetch(clientId: string) {
      let headers = new Headers()
      const noted: typeof globalThis.fetch = async (input, init) => {
        const response = await publicFetch({ fetch, isDirect, reason: '' }, input, init)
        headers = response.headers
        return response
      }
      const { status, body } = await within({ clock: systemClock, timeout: TIMEOUT }, (signal) =>
        get(clientId, { fetch: noted, clock: systemClock }, signal),
      )
      const name = `client ID metadata document at ${new URL(clientId).host}`
      if (status !== 200) throw new BadResponseError(`the ${name} has the status ${status}: expected 200`)
      const found = parseFields(document, body, name)
      if (found.client_id !== clientId) throw new BadResponseError(`the ${name} is that of another client`)
      return { name: found.client_name, freshFor: Math.min(MOST, Math.max(LEAST, freshness(headers))) }
    },
  }
}

/** Seconds for which a response is fresh; 0 if it does not say. RFC 9111, section 4.2. */
function freshness(headers: Headers): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(store|cache)\b/i.test(control)) return 0
  const age = Number(headers.get('age') ?? 0) || 0
  const [, maxAge] =
    /\bs-maxage\s*=\s*"?(\d+)/i.exec(control) ?? /\bmax-age\s*=\s*"?(\d+)/i.exec(control) ?? []
  if (maxAge !== undefined) return Number(maxAge) - age
  const [expires, date] = ['expires', 'date'].map((name) => Date.parse(headers.get(name) ?? ''))
  return ((expires ?? Number.NaN) - (date ?? Number.NaN)) / 1000 || 0
}
