import { assertKnown, type Names } from '../assert-known.ts'
import { AccessError, BadOptionError } from '../errors.ts'
import { isTexts } from '../protocol/fields.ts'
import { isBaseAddress, isScope, withoutSlash } from '../protocol/syntax.ts'
import { assertProven, type ProofChecks } from './bound-token.ts'
import { challenge } from './challenge.ts'
import { headerOf, type IncomingRequest, readCredential, readIncoming } from './incoming-request.ts'

/** What a route requires of a token. */
export interface GateOptions {
  /** The scopes that the token must have, all of them. Default: none. */
  readonly scopes?: readonly string[]
  /**
   * The URL of your API's metadata, if it publishes them: the challenge names it, so that a client finds out where to log in.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1 RFC 9728, section 5.1}
   */
  readonly resourceMetadata?: string
  /**
   * The URL of your API as its clients see it, which the path of a request is appended to: proofs of DPoP must be for that.
   * Default: the origin of the resource or, for the service's own routes, of its `baseUrl`. Needed if a proxy removes a part of
   * the path.
   */
  readonly baseUrl?: string
}

/**
 * Lets in the requests that may use a route: resolves to who sends the request, and rejects with an {@link AccessError} for
 * any other.
 */
export type Gate<Caller> = (request: IncomingRequest) => Promise<Caller>

const KNOWN: Names<GateOptions> = { scopes: true, resourceMetadata: true, baseUrl: true }

interface GateParts<Caller> {
  /**
   * Returns who sends a token; `undefined` if it is not valid. Any other error than a BadOptionError means that nobody can tell
   * at the moment.
   */
  readonly find: (token: string) => Promise<Caller | undefined>
  readonly onError?: ((error: unknown) => void) | undefined
  /** Checks the proofs of tokens that are bound to a key. Without it, they are refused. */
  readonly proofs: ProofChecks | undefined
  readonly uri: () => string
}

/**
 * Creates a gate.
 *
 * @throws {@link BadOptionError} for an option that is not valid.
 */
export function createGate<Caller extends { readonly scopes: readonly string[]; readonly jkt?: string }>(
  options: GateOptions,
  { find, onError, proofs, uri }: GateParts<Caller>,
): Gate<Caller> {
  assertKnown(options, KNOWN)
  const { scopes = [], resourceMetadata, baseUrl } = options
  if (!isTexts(scopes) || !scopes.every(isScope)) throw new BadOptionError('scopes must be a list of scopes')
  if (resourceMetadata !== undefined && !URL.canParse(resourceMetadata))
    throw new BadOptionError('resourceMetadata must be a URL')
  if (baseUrl !== undefined && !isBaseAddress(baseUrl))
    throw new BadOptionError('baseUrl must be an http(s) URL without a query')
  const parameters = {
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    resource_metadata: resourceMetadata && new URL(resourceMetadata).href,
  }
  const refusal = (status: 401 | 403, message: string, error?: string) =>
    new AccessError({ status, challenge: challenge('Bearer', { error, ...parameters }) }, message)

  return async (request) => {
    const { method = 'GET', rawHeaders, originalUrl, url = '' } = readIncoming(request)
    const query = new URLSearchParams(url.split('?')[1])
    const { scheme, value = '' } = readCredential(headerOf('authorization', rawHeaders), query) ?? {}
    if (scheme === undefined || scheme === 'basic') throw refusal(401, 'requires an access token')
    const caller = await unlessUnavailable(() => find(value), onError)
    if (caller === undefined) throw refusal(401, 'the access token is not valid', 'invalid_token')
    await unlessUnavailable(() => {
      const path = pathOf(originalUrl ?? url)
      const seen = baseUrl === undefined ? originOf(uri()) : withoutSlash(baseUrl)
      const proof = headerOf('dpop', rawHeaders)
      return assertProven(caller, { scheme, token: value, method, url: seen && seen + path, proof }, proofs)
    }, onError)
    const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
    if (missing.length > 0)
      throw refusal(403, `the access token lacks the scope ${missing.join(' ')}`, 'insufficient_scope')
    return caller
  }
}

/** The path of a URL, or of what Node calls one. */
function pathOf(url: string): string {
  const [, path = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? []
  return path
}

/** The origin of an API; `undefined` for a URI that is not its URL. */
function originOf(uri: string): string | undefined {
  return isBaseAddress(uri) ? new URL(uri).origin : undefined
}

/** Seconds after which a client may retry. */
const SHORT_WAIT = 5

/** Runs what may fail because a store or a server does not respond: a client must not take that for a refusal. */
export async function unlessUnavailable<Result>(
  work: () => Promise<Result>,
  onError?: (error: unknown) => void,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AccessError) throw error
    onError?.(error)
    throw new AccessError(
      { status: 503, retryAfter: SHORT_WAIT, cause: error },
      'the credential cannot be checked at the moment: try again later',
    )
  }
}
