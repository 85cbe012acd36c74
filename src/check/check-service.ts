import { BadOptionError, type WrongHostError } from '../errors.ts'
import { isLoopback, secureAddress } from '../protocol/address.ts'
import { systemClock } from '../request/clock.ts'
import { systemFetch } from '../request/send.ts'
import { Secret } from '../secret.ts'
import { checkAdvice } from './check-advice.ts'
import { checkCodes } from './check-codes.ts'
import { checkMetadata, checkPage } from './check-documents.ts'
import { checkMisuse, OF_MISUSE } from './check-misuse.ts'
import { checkPollRefusals } from './check-poll-refusals.ts'
import { checkExpiry, checkPolls } from './check-polls.ts'
import { checkResponses } from './check-responses.ts'
import { checkRevocation } from './check-revocation.ts'
import type { CheckContext } from './context.ts'
import type { CheckOptions, CheckReport } from './options.ts'
import { REQUIREMENTS, type RequirementId } from './requirements.ts'
import { type CheckResult, createVerdicts } from './verdicts.ts'
import { createWire } from './wire.ts'

/**
 * Checks a service against RFC 8628: runs logins from the codes to the token, the denial and the expiry, refreshes and
 * revokes tokens, and reports whether the service meets each requirement. It waits between polls like a device and sends
 * at most 100 requests. What a service may end a login for, it tries with a login that no other test needs.
 *
 * @throws {@link BadOptionError} for an address that is not an absolute URL, and for one on another machine unless `remote`
 * allows it; the reason of the signal.
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
  const { fetch = systemFetch, clock = systemClock, signal, dialect = 'auto' } = options
  const clientId = Secret.of(options.clientId).reveal()
  if (clientId === '') throw new BadOptionError('clientId is empty: give the client id of an application')
  assertAddresses(options)
  const wire = createWire({ fetch, clock, signal })
  wire.hide('client_id', clientId)
  const verdicts = createVerdicts(wire.show, options.onResult)
  const context: CheckContext = {
    options: { ...options, clock, dialect },
    clientId,
    wire,
    verdicts,
    grants: [],
    polls: [],
    otherClientId: undefined,
    encoding: 'form',
    dialect: dialect === 'auto' ? undefined : dialect,
  }
  const insecure = insecureAddress(options)
  if (insecure === undefined) await walk(context)
  else verdicts.judge('secure', undefined, insecure)
  return reportOf(context)
}

async function walk(context: CheckContext): Promise<void> {
  const begun = await checkCodes(context)
  if (begun === undefined) return
  const { first } = begun
  const problem = await checkPolls(context, begun)
  const login = problem === undefined ? await checkMisuse(context) : undefined
  if (problem !== undefined) context.verdicts.skip(OF_MISUSE, problem)
  await checkPollRefusals(context)
  await checkExpiry(context, first)
  checkResponses(context)
  const page = await checkPage(context, first.shown.verificationUri)
  const published = await checkMetadata(context)
  await checkRevocation(context, published, login)
  checkAdvice(context, first, page)
}

function assertAddresses({ provider, issuer, pageOrigin, resource, remote }: CheckOptions): void {
  const { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint } = provider
  const endpoints = { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint }
  const addresses = { ...endpoints, issuer, pageOrigin, resource }
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined) continue
    if (!URL.canParse(address)) throw new BadOptionError(`${name} is not an absolute URL`)
    if (!remote && !isLoopback(new URL(address).hostname))
      throw new BadOptionError(`${name} is on another machine: if that is meant, set remote: true`)
  }
}

function insecureAddress({ provider, resource }: CheckOptions): string | undefined {
  const { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint } = provider
  try {
    for (const address of [deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint, resource])
      if (address !== undefined) secureAddress(address)
    return undefined
  } catch (error) {
    return (error as WrongHostError).message
  }
}

function reportOf({ verdicts, wire, dialect }: CheckContext): CheckReport {
  verdicts.leave(Object.keys(REQUIREMENTS) as RequirementId[])
  const results = [...verdicts.results.values()]
  const count = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return {
    results,
    passed: count('passed'),
    failed: count('failed'),
    advised: count('advised'),
    notApplicable: count('not applicable'),
    dialect,
    requests: wire.sent,
  }
}
