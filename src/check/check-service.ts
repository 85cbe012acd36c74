import { BadOptionError, type RefusedError, type UnreachableError, type WrongHostError } from '../errors.ts'
import { isLoopback, secureAddress } from '../protocol/syntax.ts'
import { Secret } from '../secret.ts'
import { Check } from './check.ts'
import { checkAdvice } from './check-advice.ts'
import { checkCodes } from './check-codes.ts'
import { checkMetadata, checkPage } from './check-documents.ts'
import { checkDpop } from './check-dpop.ts'
import { checkIntrospection } from './check-introspection.ts'
import { checkJwts } from './check-jwts.ts'
import { checkMisuse } from './check-misuse.ts'
import { checkPollRefusals } from './check-poll-refusals.ts'
import { checkApproval, checkDenial, checkExpiry, checkPace, OF_APPROVAL } from './check-polls.ts'
import { checkResponses } from './check-responses.ts'
import { checkRevocation } from './check-revocation.ts'
import type { CheckOptions } from './options.ts'
import { type CheckReport, tally } from './report.ts'
import { requirementsFrom } from './requirements.ts'

/**
 * Checks a service against RFC 8628: runs logins from the codes to the token, the denial and the expiry, refreshes and
 * revokes tokens, examines JWT access tokens, introspection and DPoP where the metadata names them, and reports whether the
 * service meets each requirement. It waits between polls like a device and sends at most 100 requests. Misuse that may make a
 * service end a login is tried on a login that no other test needs.
 *
 * @throws {@link BadOptionError} for an address that is not an absolute URL, and for one on another machine unless `remote`
 * allows it; and that of `approve` and `deny`.
 * @throws {@link BadResponseError}, {@link RefusedError}, {@link UnreachableError} or another error of a request if the first
 * one gets no codes because the service refuses it or is not one with a device flow. If aborted, it rejects with the signal's
 * reason.
 * @example
 * ```ts
 * import { checkService } from 'authgraph/testing'
 *
 * const report = await checkService({
 *   clientId: 'my-client-id',
 *   provider: {
 *     deviceAuthorizationEndpoint: 'http://localhost:8080/login/device/code',
 *     tokenEndpoint: 'http://localhost:8080/login/oauth/access_token',
 *   },
 *   approve: ({ userCode }) => service.approve(userCode, 'octocat'),
 *   deny: ({ userCode }) => service.deny(userCode),
 * })
 * for (const { requirement, detail } of report.results.filter(
 *   ({ outcome }) => outcome === 'failed',
 * ))
 *   console.log(requirement, detail)
 * ```
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3 RFC 8628, section 3}
 */
export async function checkService(options: CheckOptions): Promise<CheckReport> {
  assertOptions(options)
  const check = new Check(options)
  const insecure = insecureAddress(options)
  if (insecure === undefined) await walk(check)
  else check.judge('secure', undefined, insecure)
  return { ...tally(check.results.values()), dialect: check.dialect, requests: check.wire.sent }
}

async function walk(check: Check): Promise<void> {
  const grants = await checkCodes(check)
  if (grants === undefined) return
  const { first, others } = grants
  await check.attempt(['slow-down', 'slow-down-interval', 'recovery'], () => checkPace(check, first))
  const noToken = await check.attempt(OF_APPROVAL, () => checkApproval(check, others[0]))
  await check.attempt(['denied'], () => checkDenial(check, others[1]))
  const ofMisuse = requirementsFrom('poll-method')
  if (noToken) {
    check.noToken = noToken
    check.skip(ofMisuse, noToken)
  } else await check.attempt(ofMisuse, () => checkMisuse(check))
  await check.attempt(requirementsFrom('unknown-grant-type'), () => checkPollRefusals(check))
  await check.attempt(['expired'], () => checkExpiry(check, first))
  checkResponses(check)
  await check.attempt(requirementsFrom('page'), () => checkPage(check, first.shown.verificationUri))
  const published = await checkMetadata(check)
  await check.attempt(requirementsFrom('jwks'), () => checkJwts(check, published))
  await check.attempt(requirementsFrom('introspection-anonymous'), () => checkIntrospection(check, published))
  await check.attempt(requirementsFrom('dpop-algorithms'), () => checkDpop(check, published))
  await check.attempt(requirementsFrom('revocation-unknown'), () => checkRevocation(check, published))
  checkAdvice(check, first)
}

/** The addresses that receive secrets. */
function endpointsOf({ provider, resource }: CheckOptions) {
  const { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint } = provider
  return { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint, resource }
}

function assertOptions(options: CheckOptions): void {
  if (Secret.of(options.clientId).reveal() === '')
    throw new BadOptionError('clientId is empty: give the client ID of an application')
  const { issuer, otherClientId, pageOrigin, remote } = options
  if (otherClientId && Secret.of(otherClientId).reveal() === Secret.of(options.clientId).reveal())
    throw new BadOptionError('the second client is the first: give another otherClientId (--other-client-id)')
  for (const [name, address] of Object.entries({ ...endpointsOf(options), issuer, pageOrigin })) {
    if (address === undefined) continue
    if (!URL.canParse(address)) throw new BadOptionError(`${name} is not an absolute URL`)
    if (!remote && !isLoopback(new URL(address).hostname))
      throw new BadOptionError(`${name} is on another machine: if that is meant, set remote: true`)
  }
}

function insecureAddress(options: CheckOptions): string | undefined {
  try {
    for (const address of Object.values(endpointsOf(options)))
      if (address !== undefined) secureAddress(address)
    return undefined
  } catch (error) {
    return (error as WrongHostError).message
  }
}
