import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { withoutSlash } from '../protocol/syntax.ts'
import { memberOf, textMemberOf } from '../request/http.ts'
import { type Check, NotApplicable } from './check.ts'
import type { CheckOptions } from './options.ts'
import { isStorable, type Problem } from './problems.ts'
import type { CheckedResponse } from './wire.ts'

type Endpoints = CheckOptions['provider']

/** Sources of `frame-ancestors` that match every site. */
const ANY_SITE = /(?:^|\s)(?:\*|https?:(?:\/\/\*)?)(?=\s|$)/i

/** Checks the verification page. Returns its response. */
export async function checkPage(check: Check, address: string): Promise<void> {
  // The service chose this URL. On another origin, it may be a site that nobody wants to test.
  if (!check.isUnderTest(address))
    throw new NotApplicable('the page is on another origin: allow it with pageOrigin (--page-origin)')
  const response = await check.wire.send({ method: 'GET', url: address })
  if (response.status >= 300 && response.status < 400)
    throw new NotApplicable('the page redirects, for example to a sign-in')
  check.judge('page', response, notPage)
  if (notPage(response) !== undefined) throw new NotApplicable('the service has no page')
  check.page = response
  check.advise('page-frames', response, isFramable)
  check.advise('page-no-store', response, isStorable)
}

const notPage: Problem = ({ status, headers }) => {
  const type = headers.get('content-type') ?? 'no content type'
  return status === 200 && /^text\/html\b/i.test(type) ? undefined : `got status ${status} and ${type}`
}

/** Browsers apply every policy, and ignore `x-frame-options` if one has `frame-ancestors`. */
const isFramable: Problem = ({ headers }) => {
  const policies = (headers.get('content-security-policy') ?? '').split(',')
  const lists = policies
    .map((policy) => /(?:^|;)\s*frame-ancestors(?=[\s;]|$)([^;]*)/i.exec(policy)?.[1])
    .filter((list) => list !== undefined)
  if (lists.some((list) => !ANY_SITE.test(list))) return undefined
  if (lists.length > 0) return 'frame-ancestors allows every site'
  const options = headers.get('x-frame-options') ?? ''
  return /^(?:(?:deny|sameorigin)(?:,\s*|$))+$/i.test(options) ? undefined : 'no header forbids framing'
}

/** Checks the metadata of the service, if it publishes any. Returns the response with it. */
export async function checkMetadata(check: Check): Promise<CheckedResponse | undefined> {
  const { wire, options } = check
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
      check.judge('metadata', response, metadataProblem(response, issuer, options.provider))
      return response
    }
  }
  check.skip(['metadata'], 'the service publishes no metadata')
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

/**
 * The address that the metadata of the service names.
 *
 * @throws NotApplicable if there is none, or one on another origin: that may be a site that nobody wants to test.
 */
export function publishedUrl(check: Check, metadata: CheckedResponse | undefined, member: string): string {
  const url = textMemberOf(metadata?.body, member)
  if (url === undefined || !URL.canParse(url)) throw new NotApplicable(`the metadata has no ${member}`)
  if (!check.isUnderTest(url)) throw new NotApplicable(`${member} is on another origin`)
  return url
}
