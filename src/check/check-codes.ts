import type { BadResponseError } from '../errors.ts'
import { isLoopback } from '../protocol/address.ts'
import { parseDeviceCodes } from '../protocol/device-codes.ts'
import { memberOf, textMemberOf } from '../request/response.ts'
import { Secret } from '../secret.ts'
import {
  askForCodes,
  type CheckContext,
  codesFields,
  type Grant,
  grantIn,
  mayBeStored,
  notJson,
  outcomeOf,
  sendInUrl,
  UNKNOWN_CLIENT,
  wants,
} from './context.ts'
import { entropyOf } from './most-bits.ts'
import type { CheckedResponse } from './wire.ts'

/** Bits of nine digits: the shortest of the examples of RFC 8628, section 6.1. */
const USER_CODE_BITS = 29

const DEVICE_CODE_BITS = 128

/** The grants that these checks started, for later checks. */
export interface Begun {
  readonly first: Grant
  readonly others: readonly (Grant | undefined)[]
}

/** Checks the device code request. Returns `undefined` if there are no codes: nothing else can be checked then. */
export async function checkCodes(context: CheckContext): Promise<Begun | undefined> {
  const first = await firstCodes(context)
  if (first === undefined) return undefined
  const { verdicts } = context
  checkLifetime(context, first.response)
  verdicts.judge('codes-json', first.response, notJson(first.response))
  verdicts.advise('codes-no-store', first.response, mayBeStored(first.response))
  checkVerificationAddress(context, first)

  const unknown = await askForCodes(context, [['authgraph_check', '1']])
  const second = grantIn(context, unknown)
  verdicts.judge('unknown-parameter', unknown, second ? undefined : 'the request was refused')
  const others = [second, await checkEmptyScope(context)]
  verdicts.judge('codes-unique', context.grants.at(-1)?.response, repeatedCode(context.grants))
  checkEntropy(context)

  await checkRefusals(context)
  await findOtherClient(context)
  return { first, others }
}

/** Requests codes with a form, as RFC 8628 says. If that fails, tries JSON. */
async function firstCodes(context: CheckContext): Promise<Grant | undefined> {
  const { verdicts } = context
  const asked = await askForCodes(context)
  const grant = grantIn(context, asked)
  if (grant !== undefined) {
    verdicts.judge('form-body', asked, undefined)
    verdicts.judge('codes', asked, codesProblem(asked))
    return grant
  }
  context.encoding = 'json'
  const again = await askForCodes(context)
  const inJson = grantIn(context, again)
  if (inJson === undefined) {
    verdicts.judge('codes', asked, codesProblem(asked) ?? unreadable(asked))
    return undefined
  }
  verdicts.judge('form-body', asked, 'the form was refused, but the same request in JSON was accepted')
  verdicts.judge('codes', again, codesProblem(again))
  return inJson
}

function codesProblem({ status, body }: CheckedResponse): string | undefined {
  if (status === 0) return 'no response'
  const missing = ['device_code', 'user_code', 'verification_uri'].filter((name) => !textMemberOf(body, name))
  if (missing.length > 0) return `missing ${missing.join(', ')}`
  return status === 200 ? undefined : `wanted status 200, got ${status}`
}

/** Names the fields that are not valid, such as a malformed `verification_uri`. */
function unreadable({ body }: CheckedResponse): string {
  try {
    parseDeviceCodes(body)
    return 'the codes cannot be read'
  } catch (error) {
    return (error as BadResponseError).message
  }
}

function checkLifetime({ verdicts }: CheckContext, response: CheckedResponse): void {
  const expiresIn = memberOf(response.body, 'expires_in')
  const interval = memberOf(response.body, 'interval') ?? 0
  const isNumber = (value: unknown, least: number) => Number.isFinite(value) && (value as number) >= least
  if (!isNumber(expiresIn, 1))
    verdicts.judge(
      'codes-lifetime',
      response,
      expiresIn === undefined ? 'missing expires_in' : 'expires_in is not a number of seconds',
    )
  else if (!isNumber(interval, 0))
    verdicts.judge('codes-lifetime', response, 'interval is not a number of seconds')
  else {
    const isWhole = Number.isSafeInteger(expiresIn) && Number.isSafeInteger(interval)
    verdicts.advise('codes-lifetime', response, isWhole ? undefined : 'some clients refuse fractions')
  }
}

/** An empty scope may be refused if an absent one is: some services have no default scope. */
async function checkEmptyScope(context: CheckContext): Promise<Grant | undefined> {
  const { verdicts } = context
  const absent = await askForCodes(context, [], [])
  const empty = await askForCodes(context, [['scope', '']])
  const outcome = (response: CheckedResponse) => (grantIn(context, response) ? 'codes' : outcomeOf(response))
  const [wanted, got] = [outcome(absent), outcome(empty)]
  verdicts.judge(
    'empty-scope',
    empty,
    got === wanted ? undefined : `got ${got}; without scope, got ${wanted}`,
  )
  return grantIn(context, empty) ?? grantIn(context, absent)
}

function checkEntropy({ verdicts, grants }: CheckContext): void {
  const response = grants[0]?.response
  const device = grants.map(({ deviceCode }) => deviceCode)
  // Hyphens and spaces only make a user code easier to read.
  const user = grants.map(({ shown }) => shown.userCode.replaceAll(/[\s-]/g, ''))
  verdicts.judge('device-code-entropy', response, ...entropyOf(device, DEVICE_CODE_BITS))
  verdicts.advise('user-code-entropy', response, ...entropyOf(user, USER_CODE_BITS))
}

function checkVerificationAddress({ verdicts }: CheckContext, { response, shown }: Grant): void {
  const { verificationUri, verificationUriComplete, userCode } = shown
  const secure = /^https:/i.test(verificationUri) || isLoopback(new URL(verificationUri).hostname)
  verdicts.judge('secure', response, secure ? undefined : 'verification_uri is neither https nor on loopback')
  if (verificationUriComplete === undefined) {
    verdicts.skip(['complete-address'], 'the service sends no verification_uri_complete')
    return
  }
  const plain = (text: string) => text.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
  const holds = plain(decoded(verificationUriComplete)).includes(plain(userCode))
  verdicts.advise('complete-address', response, holds ? undefined : 'it does not contain the user code')
}

/** `decodeURIComponent` would throw at a `%` that encodes nothing. */
function decoded(address: string): string {
  return address.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function repeatedCode(grants: readonly Grant[]): string | undefined {
  const count = (values: readonly string[]) => new Set(values).size
  if (count(grants.map(({ deviceCode }) => deviceCode)) < grants.length)
    return 'two responses had the same device code'
  return count(grants.map(({ shown }) => shown.userCode)) < grants.length
    ? 'two responses had the same user code'
    : undefined
}

/** Requests codes as the second client, to find out whether the service knows it. */
async function findOtherClient(context: CheckContext): Promise<void> {
  const { verdicts, wire, options } = context
  if (options.otherClientId === undefined) {
    verdicts.skip(['foreign-device-code'], 'no second client was given')
    return
  }
  const otherClientId = Secret.of(options.otherClientId).reveal()
  wire.hide('client_id', otherClientId)
  const response = await askForCodes(context, [['client_id', otherClientId]])
  if (grantIn(context, response)) context.otherClientId = otherClientId
  else verdicts.skip(['foreign-device-code'], `the second client gets no codes: ${outcomeOf(response)}`)
}

async function checkRefusals(context: CheckContext): Promise<void> {
  const { verdicts, wire, options, clientId, encoding } = context
  if (encoding === 'json')
    verdicts.skip(['codes-repeated', 'poll-repeated'], 'JSON has no repeated parameters')
  else {
    const repeated = await askForCodes(context, [
      ['client_id', clientId],
      ['client_id', clientId],
    ])
    verdicts.judge('codes-repeated', repeated, notRefused(repeated) ?? wants('invalid_request', repeated))
  }
  const url = options.provider.deviceAuthorizationEndpoint
  const anonymous = await wire.send({ method: 'POST', url, fields: [['scope', '']], encoding })
  verdicts.judge('codes-no-client', anonymous, notRefused(anonymous))
  const unknown = await askForCodes(context, [['client_id', UNKNOWN_CLIENT]])
  verdicts.judge('codes-unknown-client', unknown, notRefused(unknown))
  const got = await sendInUrl(context, 'GET', url, codesFields(context))
  verdicts.judge('codes-method', got, grantIn(context, got) && 'a GET got codes')
}

function notRefused({ status, error, body }: CheckedResponse): string | undefined {
  if (memberOf(body, 'device_code') !== undefined) return 'the service sent codes'
  if (status < 400 || status > 499) return `wanted a status of 4xx, got ${status}`
  return error === undefined ? 'the response has no error' : undefined
}
