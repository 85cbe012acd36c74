import { AccessError, BadOptionError } from '../errors.ts'
import { challenge } from './challenge.ts'

/** A web `Request`, or what is known of one. */
export interface WebRequest {
  readonly method?: string
  /** A credential in its query is refused. */
  readonly url?: string
  readonly headers: Headers
  /** The address of the client, which a `Request` does not contain. */
  readonly address?: string | undefined
}

/** A request of Node's `http` or `http2`, or of Express. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The `url` before Express cut off where a router is mounted. */
  readonly originalUrl?: string | undefined
  /** Names and values in turn. The `headers` of Node would hide a second credential. */
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
}

/** A request to your own API: of a `fetch` handler, Node or Express, or of Fastify or Hono, which keep one of those in `raw`. */
export type IncomingRequest =
  | WebRequest
  | NodeRequest
  | { readonly raw: WebRequest }
  | { readonly raw: NodeRequest }

/**
 * Returns a request in the form that Node gives it.
 *
 * @throws {@link BadOptionError} for anything else.
 */
export function readIncoming(request: IncomingRequest): NodeRequest {
  const known = request && 'raw' in request ? request.raw : request
  if (known && 'rawHeaders' in known) return known
  if (typeof known?.headers?.get !== 'function')
    throw new BadOptionError(
      'the request must be a web Request, or that of Node, Express, Fastify or Hono, not only its headers',
    )
  const { method, url, headers, address } = known
  return { method, url, rawHeaders: [...headers].flat(), socket: { remoteAddress: address } }
}

/** All values of a repeated header, or `undefined` if there is none. HTTP/2 has no `headersDistinct`. */
export function headerOf(name: string, rawHeaders: readonly string[]): string | undefined {
  let values: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [own = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]]
    if (own.length !== name.length || own.toLowerCase() !== name) continue
    values = values === undefined ? value : `${values}, ${value}`
  }
  return values
}

const SCHEMES = /^(basic|bearer|token|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i

export interface Credential {
  readonly scheme: 'basic' | 'bearer' | 'token' | 'dpop'
  readonly value: string
}

/**
 * Reads the credential of a request; `undefined` if there is none. More than one is refused: a list in the header, or a
 * second one in the URL.
 *
 * @throws {@link AccessError}
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750.html#section-2 RFC 6750, section 2}
 */
export function readCredential(
  authorization: string | undefined,
  query: URLSearchParams,
): Credential | undefined {
  if (query.has('access_token')) throw invalid('a credential in the URL is not accepted')
  if (authorization === undefined) return undefined
  const [, scheme, value] = SCHEMES.exec(authorization) ?? []
  if (scheme === undefined || value === undefined)
    throw invalid('the header Authorization must hold one Basic, Bearer, DPoP or token credential')
  return { scheme: scheme.toLowerCase() as Credential['scheme'], value }
}

function invalid(message: string): AccessError {
  return new AccessError(
    { status: 400, challenge: challenge('Bearer', { error: 'invalid_request' }) },
    message,
  )
}
