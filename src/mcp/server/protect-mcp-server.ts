import type { Gate, GateOptions } from '../../access/gate.ts'
import {
  headerOf,
  type IncomingRequest,
  readCredential,
  readIncoming,
} from '../../access/incoming-request.ts'
import { assertKnown, type Names } from '../../assert-known.ts'
import { AccessError, BadOptionError } from '../../errors.ts'
import { isTexts } from '../../protocol/fields.ts'
import { isScope, secureAddress } from '../../protocol/syntax.ts'
import type { Secret } from '../../secret.ts'
import { type ResourceMetadata, resourceMetadataUrl, respondWithMetadata } from './resource-metadata.ts'

/** Options of {@link protectMcpServer}. */
export interface ProtectMcpServerOptions {
  /**
   * The URL of the MCP server, as users enter it: `https`, or `http` on a loopback address, without a query. A token for
   * anything else is refused.
   */
  readonly resource: string
  /** The issuer of the tokens, as its metadata spells it: `https`, or `http` on a loopback address. */
  readonly issuer: string
  /**
   * Verifies tokens: `service.requireToken` in the process of a service that has the resource in its `resources`, or that
   * of a `createVerifier` for the resource.
   */
  readonly requireToken: (options: GateOptions & { readonly resource: string }) => Gate<TokenCaller>
  /** The scopes that every request needs. Default: none. */
  readonly scopes?: readonly string[]
  /** All scopes that the server knows, for its metadata. Default: `scopes`. */
  readonly scopesSupported?: readonly string[]
  /** The name of the server, for its metadata. Default: none. */
  readonly name?: string
}

interface TokenCaller {
  readonly user: unknown
  readonly scopes: readonly string[]
  readonly client?: { readonly clientId: Secret }
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

const KNOWN: Names<ProtectMcpServerOptions> = {
  resource: true,
  issuer: true,
  requireToken: true,
  scopes: true,
  scopesSupported: true,
  name: true,
}

/** Who sends a request: the `AuthInfo` of the MCP server packages. */
export interface McpAuthInfo {
  /** The access token, in the clear, because the packages declare it so. Do not log it, and send it nowhere else. */
  token: string
  /** The client that the token was issued to; empty if that is not known. */
  clientId: string
  scopes: string[]
  /** When the token expires, in epoch seconds; `Infinity` if that is not known. */
  expiresAt: number
  resource: URL
  resourceMetadataUrl: string
  /** `user`: the user who approved, as `requireToken` names them. */
  extra: Record<string, unknown>
}

/** The parts of {@link protectMcpServer}. You may destructure it. */
export interface McpServerProtection {
  /**
   * Resolves to who sends a request or, for one that may not pass, to the response: 401 without a valid token for this
   * server, 403 if it lacks a scope, 400 for two credentials, 503 while nobody can check it.
   *
   * It takes the place of `requireBearerAuth` of `@modelcontextprotocol/server`, which has no 503.
   */
  readonly authenticate: (request: IncomingRequest) => Promise<McpAuthInfo | Response>
  /**
   * Creates a `verifier` for `requireBearerAuth` of the MCP server packages, versions 1 and 2. Their function checks its
   * `requiredScopes` itself, and needs the `resourceMetadataUrl`.
   *
   * @param invalidToken Creates the error for which they respond with 401, of their own class: `(message) => new
   * OAuthError('invalid_token', message)` in version 2, and `(message) => new InvalidTokenError(message)` in version 1.
   *
   * It rejects with that error for a token that is not valid for this server. While nobody can check a token, it rejects
   * with an {@link AccessError}, and `requireBearerAuth` responds with 500.
   */
  readonly verifier: (invalidToken: (message: string) => Error) => {
    /** Resolves to who sent the token. */
    readonly verifyAccessToken: (token: string) => Promise<McpAuthInfo>
  }
  /** The metadata document. */
  readonly metadata: ResourceMetadata
  /** Where clients look for the metadata. Challenges name it. */
  readonly metadataUrl: string
  /** Responds to a request for the metadata; `undefined` for any other request. */
  readonly metadataResponse: (request: Request) => Response | undefined
}

/**
 * Protects an MCP server with access tokens that are for this server only, and publishes where its users log in. It needs no
 * package of MCP.
 *
 * @example
 * ```ts
 * import { protectMcpServer } from 'authgraph/mcp/server'
 * import { createVerifier } from 'authgraph/oidc'
 *
 * const resource = 'https://mcp.example.com/mcp'
 * const issuer = 'https://login.example.com'
 * const { requireToken } = createVerifier({ issuer, resource })
 * const { authenticate, metadataResponse } = protectMcpServer({
 *   resource,
 *   issuer,
 *   requireToken,
 * })
 *
 * export async function fetch(request: Request): Promise<Response> {
 *   const metadata = metadataResponse(request)
 *   if (metadata) return metadata
 *   const authInfo = await authenticate(request)
 *   if (authInfo instanceof Response) return authInfo
 *   return handler.fetch(request, { authInfo })
 * }
 * ```
 *
 * @throws {@link BadOptionError} for an option that is not valid, and {@link WrongHostError} for a resource or an issuer that
 * is neither `https` nor a loopback address.
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization MCP, Authorization}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html#section-3 RFC 9728, section 3}
 */
export function protectMcpServer(options: ProtectMcpServerOptions): McpServerProtection {
  assertKnown(options, KNOWN)
  const { resource, issuer, requireToken, scopes = [], scopesSupported = scopes, name } = options
  const url = secureAddress(resource)
  secureAddress(issuer)
  if (/[?#]/.test(resource)) throw new BadOptionError('resource must be a URL without a query or a fragment')
  if (!isTexts(scopesSupported) || !scopesSupported.every(isScope))
    throw new BadOptionError('scopesSupported must be a list of scopes')
  const metadataUrl = resourceMetadataUrl(url)
  const gate = requireToken({ resource, scopes, resourceMetadata: metadataUrl })
  const withoutScopes = requireToken({ resource })
  const metadata: ResourceMetadata = {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
    ...(name !== undefined && { resource_name: name }),
  }

  function authInfo(token: string, { user, scopes, client, expiresAt }: TokenCaller): McpAuthInfo {
    return {
      token,
      clientId: client?.clientId.reveal() ?? '',
      scopes: [...scopes],
      expiresAt: expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.floor(expiresAt / 1000),
      resource: url,
      resourceMetadataUrl: metadataUrl,
      extra: { user },
    }
  }

  return {
    async authenticate(request) {
      try {
        const caller = await gate(request)
        return authInfo(tokenOf(request), caller)
      } catch (error) {
        if (error instanceof AccessError) return error.getResponse()
        throw error
      }
    },
    verifier: (invalidToken) => ({
      async verifyAccessToken(token) {
        const rawHeaders = ['authorization', `Bearer ${token}`]
        const caller = await withoutScopes({ rawHeaders, socket: {} }).catch((error: unknown) => {
          if (error instanceof AccessError && error.status < 500) throw invalidToken(error.message)
          throw error
        })
        return authInfo(token, caller)
      },
    }),
    metadata,
    metadataUrl,
    metadataResponse: (request) => respondWithMetadata(request, metadataUrl, metadata),
  }
}

function tokenOf(request: IncomingRequest): string {
  const { rawHeaders } = readIncoming(request)
  return readCredential(headerOf('authorization', rawHeaders), new URLSearchParams())?.value ?? ''
}
