import type { BadAnswerError } from '../../errors.ts'
import { isLoopback } from '../../protocol/address.ts'
import { memberOf } from '../../protocol/answer.ts'
import { parseDeviceCodes } from '../../protocol/device-codes.ts'
import {
  askForCodes,
  type CheckContext,
  type Grant,
  grantIn,
  mayBeStored,
  notJson,
  wants,
} from './context.ts'
import type { Reply } from './wire.ts'

/** Bits of nine digits: the shortest of the examples of RFC 8628, section 6.1. */
const USER_CODE_BITS = 29

const DEVICE_CODE_BITS = 128

/** The authorizations that the request for codes began, for the steps to come. */
export interface Begun {
  readonly first: Grant
  readonly others: readonly (Grant | undefined)[]
}

/** Looks at the request for codes. Without codes there is nothing else to look at. */
export async function checkCodes(context: CheckContext): Promise<Begun | undefined> {
  const first = await firstCodes(context)
  if (first === undefined) return undefined
  const { verdicts } = context
  const { body } = first.reply
  verdicts.judge('codes-lifetime', first.reply, lifetimeProblem(body))
  verdicts.judge('codes-json', first.reply, notJson(first.reply))
  verdicts.judge('codes-no-store', first.reply, mayBeStored(first.reply))
  checkEntropy(context, first)
  checkVerificationAddress(context, first)

  const unknown = await askForCodes(context, [['authgraph_check', '1']])
  const second = grantIn(context, unknown)
  verdicts.judge('unknown-parameter', unknown, second ? undefined : 'the request was refused')
  const empty = await askForCodes(context, [['scope', '']])
  const third = grantIn(context, empty)
  verdicts.judge('empty-scope', empty, third ? undefined : 'the request was refused')
  const others = [second, third]
  verdicts.judge('codes-unique', empty, repeatedCode([first, ...others]))

  await checkRefusals(context)
  return { first, others }
}

/** Asks in a form, as RFC 8628 says, and in JSON where that brings nothing. */
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
  verdicts.judge('form-body', asked, 'the request was refused, and the same one in JSON was not')
  verdicts.judge('codes', again, codesProblem(again))
  return inJson
}

function codesProblem({ status, body }: Reply): string | undefined {
  if (status === 0) return 'no answer came'
  const missing = ['device_code', 'user_code', 'verification_uri'].filter((name) => {
    const value = memberOf(body, name)
    return typeof value !== 'string' || value === ''
  })
  if (missing.length > 0) return `there is no ${missing.join(', ')}`
  return status === 200 ? undefined : `wanted status 200, got ${status}`
}

/** Names the fields at fault, such as an address that is none. */
function unreadable({ body }: Reply): string {
  try {
    parseDeviceCodes(body)
    return 'the codes cannot be read'
  } catch (error) {
    return (error as BadAnswerError).message
  }
}

function lifetimeProblem(body: unknown): string | undefined {
  const expiresIn = memberOf(body, 'expires_in')
  const interval = memberOf(body, 'interval') ?? 0
  if (!Number.isSafeInteger(expiresIn) || (expiresIn as number) < 1)
    return 'expires_in is no whole number of seconds'
  if (!Number.isSafeInteger(interval) || (interval as number) < 0)
    return 'interval is no whole number of seconds'
  return undefined
}

function checkEntropy({ verdicts }: CheckContext, { reply, deviceCode, shown }: Grant): void {
  const ofDevice = Math.floor(bitsOf(deviceCode))
  const ofUser = Math.floor(bitsOf(shown.userCode))
  const few = (bits: number, wanted: number) => (bits < wanted ? `at most ${bits} bits` : undefined)
  verdicts.judge('device-code-entropy', reply, few(ofDevice, DEVICE_CODE_BITS), `at most ${ofDevice} bits`)
  verdicts.judge('user-code-entropy', reply, few(ofUser, USER_CODE_BITS), `at most ${ofUser} bits`)
}

/** The most that a code can have, by its length and the kinds of its characters. Hyphens and spaces are for people. */
function bitsOf(code: string): number {
  const characters = code.replaceAll(/[\s-]/g, '')
  const isHex = /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(characters) && /\d/.test(characters)
  const kinds: readonly (readonly [RegExp, number])[] = [
    [/\d/, 10],
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[^\da-zA-Z]/, 2],
  ]
  const size = kinds.reduce((sum, [kind, count]) => (kind.test(characters) ? sum + count : sum), 0)
  const alphabet = /^\d+$/.test(characters) ? 10 : isHex ? 16 : size
  return characters.length * Math.log2(Math.max(alphabet, 1))
}

function checkVerificationAddress({ verdicts }: CheckContext, { reply, shown }: Grant): void {
  const { verificationUri, verificationUriComplete, userCode } = shown
  const secure = /^https:/i.test(verificationUri) || isLoopback(new URL(verificationUri).hostname)
  verdicts.judge(
    'secure',
    reply,
    secure ? undefined : 'the verification address is neither https nor on loopback',
  )
  if (verificationUriComplete === undefined) {
    verdicts.skip(['complete-address'], 'the service gives none')
    return
  }
  const plain = (text: string) => text.replaceAll(/[^a-z0-9]/gi, '').toUpperCase()
  const holds = plain(decodeURIComponent(verificationUriComplete)).includes(plain(userCode))
  verdicts.judge('complete-address', reply, holds ? undefined : 'the user code does not stand in it')
}

function repeatedCode(grants: readonly (Grant | undefined)[]): string | undefined {
  const begun = grants.filter((grant) => grant !== undefined)
  const count = (values: readonly string[]) => new Set(values).size
  if (count(begun.map(({ deviceCode }) => deviceCode)) < begun.length) return 'a device code came twice'
  if (count(begun.map(({ shown }) => shown.userCode)) < begun.length) return 'a user code came twice'
  return undefined
}

async function checkRefusals(context: CheckContext): Promise<void> {
  const { verdicts, wire, options, clientId, encoding } = context
  if (encoding === 'json') verdicts.skip(['codes-repeated', 'poll-repeated'], 'JSON has no repeated fields')
  else {
    const repeated = await askForCodes(context, [
      ['client_id', clientId],
      ['client_id', clientId],
    ])
    verdicts.judge('codes-repeated', repeated, notRefused(repeated) ?? wants('invalid_request', repeated))
  }
  const url = options.profile.deviceAuthorizationEndpoint
  const anonymous = await wire.send({ method: 'POST', url, fields: [['scope', '']], encoding })
  verdicts.judge('codes-no-client', anonymous, notRefused(anonymous))
  const unknown = await askForCodes(context, [['client_id', UNKNOWN_CLIENT]])
  verdicts.judge('codes-unknown-client', unknown, notRefused(unknown))
  await checkMethods(context, 'codes-method', url)
}

/** A client that no service knows. */
export const UNKNOWN_CLIENT = 'authgraph-check-unknown-client'

/** Looks at the methods that an endpoint must not answer. No field is sent: it would stand in the address. */
export async function checkMethods(
  { wire, verdicts }: CheckContext,
  id: 'codes-method' | 'poll-method',
  url: string,
): Promise<void> {
  for (const method of ['GET', 'HEAD'] as const) {
    const reply = await wire.send({ method, url })
    if (reply.status >= 400 && reply.status <= 499) continue
    verdicts.judge(id, reply, `${method} was answered with status ${reply.status}`)
    return
  }
  verdicts.judge(id, undefined, undefined)
}

function notRefused({ status, error, body }: Reply): string | undefined {
  if (memberOf(body, 'device_code') !== undefined) return 'the request was answered with codes'
  if (status < 400 || status > 499) return `wanted a status of 4xx, got ${status}`
  return error === undefined ? 'there is no error in the answer' : undefined
}
