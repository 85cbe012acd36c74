import * as v from 'valibot'
import { BadResponseError, WrongHostError } from '../errors.ts'
import { parseFields } from '../protocol/fields.ts'
import { refusalOf } from '../protocol/refusal.ts'
import { RESOURCE_METADATA_PATH } from '../protocol/service-paths.ts'
import { isScope, PLAIN, secureAddress, withoutSlash } from '../protocol/syntax.ts'
import { get, type Transport } from '../request/http.ts'
import { nameResponse } from '../request/name-request.ts'
import type { Challenge } from './challenge.ts'

const issuer = v.custom<string>((value) => typeof value === 'string' && PLAIN.test(value))

const metadata = v.object({
  resource: v.string(),
  authorization_servers: v.pipe(v.array(issuer), v.minLength(1)),
  scopes_supported: v.nullish(v.array(v.string()), []),
})

/** What a server says about itself. */
export interface ServerMetadata {
  /** Its identifier, as it spells it. */
  readonly resource: string
  /** The issuers whose tokens it accepts. */
  readonly issuers: readonly string[]
  readonly scopes: readonly string[]
}

/**
 * Finds the metadata of a protected resource: where the challenge says, at the path of the server, or at its root.
 *
 * @throws {@link WrongHostError} if the metadata has another origin than the server, or describes another server; {@link
 * BadResponseError} if there is none, or it cannot be read; {@link RefusedError} for a status other than 200, 401 and 404;
 * and the errors of a request.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html#section-3 RFC 9728, section 3}
 */
export async function findServerMetadata(
  server: URL,
  { resourceMetadata }: Pick<Challenge, 'resourceMetadata'>,
  via: Transport,
  signal: AbortSignal,
): Promise<ServerMetadata> {
  for (const address of documentsOf(server, resourceMetadata)) {
    const response = await get(address, via, signal)
    // Some servers want a token for every path.
    if (response.status === 401 || response.status === 404) continue
    if (response.status !== 200) throw refusalOf(response)
    const name = () => nameResponse('protected resource metadata', response)
    const found = parseFields(metadata, response.body, name)
    if (!isBelow(found.resource, server)) {
      const described = PLAIN.test(found.resource) ? found.resource : 'another server'
      throw new WrongHostError(
        `the metadata of ${server.host} describes ${described}, not ${server.origin}${server.pathname}: check the URL of the MCP server`,
      )
    }
    return {
      resource: found.resource,
      issuers: found.authorization_servers,
      scopes: found.scopes_supported.filter(isScope),
    }
  }
  throw new BadResponseError(
    `${server.host} publishes no protected resource metadata (RFC 9728): check the URL of the MCP server. If it is right, the server offers no login that this client supports`,
  )
}

function documentsOf({ origin, pathname, host }: URL, named: string | undefined): Set<string> {
  if (named !== undefined && (!URL.canParse(named) || secureAddress(named).origin !== origin))
    throw new WrongHostError(`${host} names metadata at another origin: nothing was sent`)
  const own = [withoutSlash(pathname), ''].map((path) => origin + RESOURCE_METADATA_PATH + path)
  return new Set(named === undefined ? own : [named, ...own])
}

/** Whether a URL is that of a resource, or below it: `/mcp2` is not below `/mcp`. */
export function isBelow(resource: string, address: URL): boolean {
  if (!URL.canParse(resource)) return false
  const { origin, pathname, search } = new URL(resource)
  // A query may name another server at the same path, and some servers decode `..%2f`.
  if (search !== '' && search !== address.search) return false
  if (/(\.|%2e){2}(%2f|%5c|;)/i.test(address.pathname)) return false
  const folder = (path: string) => `${withoutSlash(path)}/`
  return address.origin === origin && folder(address.pathname).startsWith(folder(pathname))
}
