import { withoutSlash } from '../protocol/address.ts'
import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { memberOf } from '../protocol/response.ts'
import { type CheckContext, isUnderTest, mayBeStored } from './context.ts'
import type { CheckedResponse } from './wire.ts'

const OF_PAGE = ['page', 'page-frames', 'page-no-store'] as const

/** Checks the verification page. Returns its response; `undefined` if it was not seen. */
export async function checkPage(
  context: CheckContext,
  address: string,
): Promise<CheckedResponse | undefined> {
  const { wire, verdicts } = context
  // The service chose this URL. On another origin, it may be a site that nobody wants to test.
  if (!isUnderTest(context, address)) {
    verdicts.skip(OF_PAGE, 'the page is on another origin: allow it with pageOrigin')
    return undefined
  }
  const response = await wire.send({ method: 'GET', url: address })
  const { status, headers } = response
  if (status >= 300 && status < 400) {
    verdicts.skip(OF_PAGE, 'the page redirects, for example to a sign-in')
    return undefined
  }
  const type = headers.get('content-type') ?? 'no content type'
  const isPage = status === 200 && /^text\/html\b/i.test(type)
  verdicts.judge('page', response, isPage ? undefined : `got status ${status} and ${type}`)
  if (!isPage) {
    verdicts.skip(OF_PAGE, 'the service has no page')
    return undefined
  }
  verdicts.advise('page-frames', response, isFramed(headers) ? 'no header forbids framing' : undefined)
  verdicts.advise('page-no-store', response, mayBeStored(response))
  return response
}

function isFramed(headers: Headers): boolean {
  const policy = headers.get('content-security-policy') ?? ''
  const ancestors = /frame-ancestors\s+([^;,]*)/i.exec(policy)?.[1]?.trim()
  if (ancestors !== undefined) return !/^'(?:none|self)'$/i.test(ancestors)
  return !/^(?:deny|sameorigin)$/i.test(headers.get('x-frame-options') ?? '')
}

/** Checks the metadata of the service, if it publishes any. Returns the revocation endpoint that it names. */
export async function checkMetadata({ wire, verdicts, options }: CheckContext): Promise<string | undefined> {
  const issuer = withoutSlash(options.issuer ?? new URL(options.provider.tokenEndpoint).origin)
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const url of addresses) {
    const response = await wire.send({ method: 'GET', url })
    if (response.status === 200) {
      verdicts.judge('metadata', response, metadataProblem(response, issuer, options.provider))
      const named = memberOf(response.body, 'revocation_endpoint')
      return typeof named === 'string' && URL.canParse(named) ? named : undefined
    }
  }
  verdicts.skip(['metadata'], 'the service publishes no metadata')
  return undefined
}

function metadataProblem(
  { body }: CheckedResponse,
  issuer: string,
  provider: { readonly deviceAuthorizationEndpoint: string; readonly tokenEndpoint: string },
): string | undefined {
  const named = memberOf(body, 'issuer')
  if (typeof named !== 'string' || withoutSlash(named) !== issuer) return 'issuer is different'
  if (memberOf(body, 'device_authorization_endpoint') !== provider.deviceAuthorizationEndpoint)
    return 'device_authorization_endpoint is different'
  if (memberOf(body, 'token_endpoint') !== provider.tokenEndpoint) return 'token_endpoint is different'
  const types = memberOf(body, 'grant_types_supported')
  return Array.isArray(types) && types.includes(DEVICE_GRANT_TYPE)
    ? undefined
    : `grant_types_supported does not list ${DEVICE_GRANT_TYPE}`
}
