import { BadResponseError } from '../errors.ts'
import { readDeviceCodes } from '../protocol/device-codes.ts'
import { isLoopback } from '../protocol/syntax.ts'
import { memberOf, readRetryAfter, redirectFailure, textMemberOf } from '../request/http.ts'
import { Secret } from '../secret.ts'
import { type Check, NO_REPEATED, NotChecked, type StartedGrant, UNKNOWN_CLIENT } from './check.ts'
import { entropyOf } from './entropy.ts'
import { isStorable, notJson, outcomeOf, type Problem, wants } from './problems.ts'
import type { CheckedResponse } from './wire.ts'

/** Bits of nine digits: the shortest of the examples of RFC 8628, section 6.1. */
const USER_CODE_BITS = 29

const DEVICE_CODE_BITS = 128

/** The grants that these checks started, for later checks. */
export interface CheckedGrants {
  readonly first: StartedGrant
  readonly others: readonly (StartedGrant | undefined)[]
}

/** Checks the device code request. Returns `undefined` if there are no codes: nothing else can be checked then. */
export async function checkCodes(check: Check): Promise<CheckedGrants | undefined> {
  const first = await firstCodes(check)
  if (first === undefined) return undefined
  checkLifetime(check, first.response)
  check.judge('codes-json', first.response, notJson)
  check.advise('codes-no-store', first.response, isStorable)
  checkVerificationAddress(check, first)

  const unknown = await check.requestCodes([['authgraph_check', '1']])
  const second = check.grantIn(unknown)
  check.judge('unknown-parameter', unknown, second ? undefined : 'the request was refused')
  const others = [second, await checkEmptyScope(check)]
  check.judge('codes-unique', first.response, repeatedCode(check.grants))
  checkEntropy(check, first)

  await checkRefusals(check)
  await findOtherClient(check)
  return { first, others }
}

/**
 * Requests codes with a form, as RFC 8628 says. If that fails, tries JSON.
 *
 * @throws The error of a device, if the service refuses the request or is not one: that violates no requirement.
 */
async function firstCodes(check: Check): Promise<StartedGrant | undefined> {
  const inForm = await check.requestCodes()
  const grant = check.grantIn(inForm)
  if (grant !== undefined) {
    check.judge('form-body', inForm, undefined)
    check.judge('codes', inForm, codesProblem)
    return grant
  }
  if (inForm.failure) throw inForm.failure
  check.encoding = 'json'
  const inJson = await check.requestCodes()
  if (check.grantIn(inJson) === undefined) {
    const response = inForm.status === 415 ? inJson : inForm
    const why = unreadable(check, response)
    check.judge('codes', response, codesProblem(response) ?? why)
    return undefined
  }
  check.judge('form-body', inForm, 'the form was refused, but the same request in JSON was accepted')
  check.judge('codes', inJson, codesProblem)
  return check.grantIn(inJson)
}

const codesProblem: Problem = ({ status, body }) => {
  if (status === 0) return 'no response'
  const missing = ['device_code', 'user_code', 'verification_uri'].filter((name) => !textMemberOf(body, name))
  if (missing.length > 0) return `missing ${missing.join(', ')}`
  return status === 200 ? undefined : `wanted status 200, got ${status}`
}

/** Names the fields that are not valid, such as a malformed `verification_uri`. Throws if the response is not JSON with codes. */
function unreadable({ options, clientId }: Check, { request, ...response }: CheckedResponse): string {
  const { status, headers, body } = response
  const named = { method: request.method, address: request.url }
  if (status >= 300 && status < 400) throw redirectFailure(named, headers)
  const at = options.clock.now()
  const retryAfter = readRetryAfter(headers, at)
  try {
    readDeviceCodes({ status, body, at, retryAfter, request: named, sent: [new Secret(clientId)] })
    return 'the codes cannot be read'
  } catch (error) {
    if (error instanceof BadResponseError && typeof body === 'object') return error.message
    throw error
  }
}

function checkLifetime(check: Check, response: CheckedResponse): void {
  const expiresIn = memberOf(response.body, 'expires_in')
  const interval = memberOf(response.body, 'interval') ?? 0
  if (expiresIn === undefined) check.judge('codes-lifetime', response, 'missing expires_in')
  else if (typeof expiresIn !== 'number' || expiresIn < 1)
    check.judge('codes-lifetime', response, 'expires_in is not a number of seconds')
  else if (typeof interval !== 'number')
    check.judge('codes-lifetime', response, 'interval is not a number of seconds')
  else {
    const isWhole = Number.isSafeInteger(expiresIn) && Number.isSafeInteger(interval)
    check.advise('codes-lifetime', response, isWhole ? undefined : 'some clients refuse fractions')
  }
}

/** An empty scope may be refused if an absent one is: some services have no default scope. */
async function checkEmptyScope(check: Check): Promise<StartedGrant | undefined> {
  const absent = await check.requestCodes([], [])
  const empty = await check.requestCodes([['scope', '']])
  const outcome = (response: CheckedResponse) => (check.grantIn(response) ? 'codes' : outcomeOf(response))
  const [wanted, got] = [outcome(absent), outcome(empty)]
  check.judge('empty-scope', empty, got === wanted ? undefined : `got ${got}; without scope, got ${wanted}`)
  return check.grantIn(empty) ?? check.grantIn(absent)
}

function checkEntropy(check: Check, { response }: StartedGrant): void {
  const device = check.grants.map(({ deviceCode }) => deviceCode)
  // Hyphens and spaces only make a user code easier to read.
  const user = check.grants.map(({ shown }) => shown.userCode.replaceAll(/[\s-]/g, ''))
  check.judge('device-code-entropy', response, ...entropyOf(device, DEVICE_CODE_BITS))
  check.advise('user-code-entropy', response, ...entropyOf(user, USER_CODE_BITS))
}

function checkVerificationAddress(check: Check, { response, shown }: StartedGrant): void {
  const { verificationUri, verificationUriComplete, userCode } = shown
  const secure = /^https:/i.test(verificationUri) || isLoopback(new URL(verificationUri).hostname)
  check.judge('secure', response, secure ? undefined : 'verification_uri is neither https nor on loopback')
  if (verificationUriComplete === undefined) {
    check.skip(['complete-address'], 'the service sends no verification_uri_complete')
    return
  }
  const holds = lettersOf(decodeEscapes(verificationUriComplete)).includes(lettersOf(userCode))
  check.advise('complete-address', response, holds ? undefined : 'it does not contain the user code')
}

/** The letters and digits of a text, in upper case: how a user code is spelled does not matter. */
export function lettersOf(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
}

/** `decodeURIComponent` would throw at a `%` that encodes nothing. */
function decodeEscapes(address: string): string {
  return address.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function repeatedCode(grants: readonly StartedGrant[]): string | undefined {
  const isRepeated = (values: readonly string[]) => new Set(values).size < values.length
  if (isRepeated(grants.map(({ deviceCode }) => deviceCode))) return 'two responses had the same device code'
  return isRepeated(grants.map(({ shown }) => shown.userCode))
    ? 'two responses had the same user code'
    : undefined
}

async function checkRefusals(check: Check): Promise<void> {
  const { options, clientId, encoding } = check
  if (encoding === 'json') check.skip(['codes-repeated'], NO_REPEATED)
  else {
    const twice = await check.requestCodes([
      ['client_id', clientId],
      ['client_id', clientId],
    ])
    check.judge('codes-repeated', twice, notRefused(twice) ?? wants('invalid_request'))
  }
  const url = options.provider.deviceAuthorizationEndpoint
  check.judge('codes-no-client', await check.post(url, [['scope', '']]), notRefused)
  const unknownClient = await check.requestCodes([['client_id', UNKNOWN_CLIENT]])
  check.judge('codes-unknown-client', unknownClient, notRefused)
  const inUrl = await check.sendInUrl('GET', url, check.codesFields())
  check.judge('codes-method', inUrl, check.grantIn(inUrl) && 'a GET got codes')
}

const notRefused: Problem = ({ status, error, body }) => {
  if (memberOf(body, 'device_code') !== undefined) return 'the service sent codes'
  if (status < 400 || status > 499) return `wanted a status of 4xx, got ${status}`
  return error === undefined ? 'the response has no error' : undefined
}

async function findOtherClient(check: Check): Promise<void> {
  if (check.options.otherClientId === undefined) return
  const otherClientId = Secret.of(check.options.otherClientId).reveal()
  check.wire.hide('client_id', otherClientId)
  const response = await check.requestCodes([['client_id', otherClientId]])
  if (check.grantIn(response)) check.otherClientId = otherClientId
  else check.noOtherClient = new NotChecked(`the second client gets no codes: ${outcomeOf(response)}`)
}
