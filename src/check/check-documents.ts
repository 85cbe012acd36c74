import { withoutSlash } from '../protocol/address.ts'
import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { memberOf } from '../request/response.ts'
import { type CheckContext, isUnderTest, mayBeStored } from './context.ts'
import type { CheckOptions } from './options.ts'
import type { CheckedResponse } from './wire.ts'

type Endpoints = CheckOptions['provider']

/** Sources of `frame-ancestors` that match every site. */
const ANY_SITE = /(?:^|\s)(?:\*|https?:(?:\/\/\*)?)(?=\s|$)/i

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
  verdicts.advise('page-frames', response, framingProblem(headers))
  verdicts.advise('page-no-store', response, mayBeStored(response))
  return response
}

/** Browsers apply every policy, and ignore `x-frame-options` if one has `frame-ancestors`. */
function framingProblem(headers: Headers): string | undefined {
  const policies = (headers.get('content-security-policy') ?? '').split(',')
  const lists = policies
    .map((policy) => /(?:^|;)\s*frame-ancestors(?=[\s;]|$)([^;]*)/i.exec(policy)?.[1])
    .filter((list) => list !== undefined)
  if (lists.some((list) => !ANY_SITE.test(list))) return undefined
  if (lists.length > 0) return 'frame-ancestors allows every site'
  const options = headers.get('x-frame-options') ?? ''
  return /^(?:(?:deny|sameorigin)(?:,\s*|$))+$/i.test(options) ? undefined : 'no header forbids framing'
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
      if (options.issuer === undefined && isOfAnother(response, options.provider)) continue
      verdicts.judge('metadata', response, metadataProblem(response, issuer, options.provider))
      const named = memberOf(response.body, 'revocation_endpoint')
      return typeof named === 'string' && URL.canParse(named) ? named : undefined
    }
  }
  verdicts.skip(['metadata'], 'the service publishes no metadata')
  return undefined
}

/** On the origin of the endpoints, another server may publish metadata, or a page may come for every path. */
function isOfAnother({ body }: CheckedResponse, provider: Endpoints): boolean {
  return (
    memberOf(body, 'device_authorization_endpoint') !== provider.deviceAuthorizationEndpoint &&
    memberOf(body, 'token_endpoint') !== provider.tokenEndpoint
  )
}

function metadataProblem({ body }: CheckedResponse, issuer: string, provider: Endpoints): string | undefined {
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
