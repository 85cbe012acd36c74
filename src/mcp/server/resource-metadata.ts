import { RESOURCE_METADATA_PATH } from '../../protocol/service-paths.ts'
import { withoutSlash } from '../../protocol/syntax.ts'

/**
 * What an MCP server says about itself, in the words of the RFC.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html#section-2 RFC 9728, section 2}
 */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly bearer_methods_supported: readonly ['header']
  readonly scopes_supported?: readonly string[]
  readonly resource_name?: string
}

const METHODS = 'GET, HEAD, OPTIONS'

/** Pages of any site may read the metadata, and send the headers of MCP with the request. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': '*',
}

/** Where the metadata of a resource is: its path comes last. RFC 9728, section 3.1. */
export function resourceMetadataUrl({ origin, pathname }: URL): string {
  return origin + RESOURCE_METADATA_PATH + (pathname === '/' ? '' : pathname)
}

/** Responds to a request for the metadata at this URL; `undefined` for any other request. */
export function respondWithMetadata(
  { method, url }: Request,
  metadataUrl: string,
  metadata: ResourceMetadata,
): Response | undefined {
  const pathOf = (address: string) => withoutSlash(new URL(address).pathname)
  if (pathOf(url) !== pathOf(metadataUrl)) return undefined
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS })
  if (method !== 'GET' && method !== 'HEAD')
    return new Response(null, { status: 405, headers: { ...CORS, allow: METHODS } })
  return Response.json(metadata, { headers: CORS })
}
