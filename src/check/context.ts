import type { ShownCodes } from '../client/options.ts'
import { parseDeviceCodes, shownOf } from '../protocol/device-codes.ts'
import { DEVICE_GRANT_TYPE, REFRESH_GRANT_TYPE } from '../protocol/endpoints.ts'
import { memberOf, textMemberOf } from '../request/response.ts'
import { pause } from '../request/waiting.ts'
import type { CheckOptions } from './options.ts'
import { REQUIREMENTS } from './requirements.ts'
import type { createVerdicts } from './verdicts.ts'
import type { CheckedResponse, createWire, Fields } from './wire.ts'

/** How much longer than required to wait, as a part of the wait: timers and clocks are not exact. */
const MARGIN = 0.05

/** Milliseconds of the longest possible timer: a longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Seconds that each `slow_down` adds to the interval. */
export const MORE = 5

/** The error code for a refresh token that is not valid. */
export const BAD_REFRESH_TOKEN = { github: 'bad_refresh_token', rfc8628: 'invalid_grant' }

/** A client that no service knows. */
export const UNKNOWN_CLIENT = 'authgraph-check-unknown-client'

/** A grant that the check started. */
export interface Grant {
  readonly response: CheckedResponse
  readonly shown: ShownCodes
  readonly deviceCode: string
}

/** The state of one check. */
export interface CheckContext {
  readonly options: CheckOptions & Required<Pick<CheckOptions, 'clock'>>
  readonly clientId: string
  readonly wire: ReturnType<typeof createWire>
  readonly verdicts: ReturnType<typeof createVerdicts>
  /** All grants so far. */
  readonly grants: Grant[]
  /** The responses to all polls. */
  readonly polls: CheckedResponse[]
  /** The encoding of requests: JSON if the service refuses forms. */
  encoding: 'form' | 'json'
  /** A second client of the service, if known. */
  otherClientId: string | undefined
  /** The dialect of the service; `undefined` until the first poll detects it. */
  dialect: 'github' | 'rfc8628' | undefined
}

/** Requests codes, with extra fields after the usual ones. */
export async function askForCodes(
  context: CheckContext,
  more: Fields = [],
  scopes = context.options.scopes,
): Promise<CheckedResponse> {
  const { wire, options, encoding } = context
  const named = new Set(more.map(([name]) => name))
  const usual = codesFields(context, scopes)
  return wire.send({
    method: 'POST',
    url: options.provider.deviceAuthorizationEndpoint,
    fields: [...usual.filter(([name]) => !named.has(name)), ...more],
    encoding,
  })
}

/** The usual fields of a device code request. */
export function codesFields({ options, clientId }: CheckContext, scopes = options.scopes ?? []): Fields {
  // RFC 6749 uses a space here. GitHub accepts both.
  const scope = scopes.join(options.dialect === 'github' ? ',' : ' ')
  return [['client_id', clientId], ...(scope ? [['scope', scope] as const] : [])]
}

/** The usual fields of a poll. */
export function pollFields({ clientId }: CheckContext, deviceCode: string): Fields {
  return [
    ['client_id', clientId],
    ['device_code', deviceCode],
    ['grant_type', DEVICE_GRANT_TYPE],
  ]
}

/** Sends fields in the URL, where they do not belong. */
export function sendInUrl(
  { wire }: CheckContext,
  method: 'GET' | 'POST',
  address: string,
  fields: Fields,
): Promise<CheckedResponse> {
  const url = new URL(address)
  for (const [name, value] of fields) url.searchParams.append(name, value)
  return wire.send({ method, url: url.href })
}

/** Reads a response with codes; `undefined` if it contains none. */
export function grantIn(
  { wire, options, grants }: CheckContext,
  response: CheckedResponse,
): Grant | undefined {
  const known = grants.find((grant) => grant.response === response)
  if (known !== undefined) return known
  try {
    const codes = parseDeviceCodes(response.body)
    const deviceCode = codes.deviceCode.reveal()
    wire.hide('device_code', deviceCode)
    const expiresAt = options.clock.now() + codes.expiresIn * 1000
    const shown = { ...shownOf(codes), expiresAt, interval: codes.interval }
    grants.push({ response, deviceCode, shown })
    return grants.at(-1)
  } catch {
    return undefined
  }
}

/** Starts a grant; `undefined` if the service sends no codes. */
export async function begin(context: CheckContext): Promise<Grant | undefined> {
  return grantIn(context, await askForCodes(context))
}

/** Returns the grant, or a new one if it is about to expire. */
export async function alive(context: CheckContext, grant: Grant | undefined): Promise<Grant | undefined> {
  const lives = grant !== undefined && context.options.clock.now() + 1000 < grant.shown.expiresAt
  return lives ? grant : begin(context)
}

/** Sends a poll. Fields of `change` replace the usual ones; `undefined` removes a field. */
export async function poll(
  context: CheckContext,
  deviceCode: string,
  change: Readonly<Record<string, string | undefined>> = {},
  more: Fields = [],
): Promise<CheckedResponse> {
  const { options, polls } = context
  const usual = { ...Object.fromEntries(pollFields(context, deviceCode)), ...change }
  const response = await post(context, options.provider.tokenEndpoint, usual, more)
  polls.push(response)
  return response
}

/** Sends a refresh. Fields of `change` replace the usual ones. */
export function refresh(
  context: CheckContext,
  refreshToken: string,
  change: Readonly<Record<string, string>> = {},
): Promise<CheckedResponse> {
  const usual = { client_id: context.clientId, refresh_token: refreshToken, grant_type: REFRESH_GRANT_TYPE }
  return post(context, context.options.provider.tokenEndpoint, { ...usual, ...change })
}

/** Sends the fields that are not `undefined`. */
export function post(
  { wire, encoding }: CheckContext,
  url: string,
  named: Readonly<Record<string, string | undefined>>,
  more: Fields = [],
): Promise<CheckedResponse> {
  const fields = Object.entries(named).filter((field): field is [string, string] => field[1] !== undefined)
  return wire.send({ method: 'POST', url, fields: [...fields, ...more], encoding })
}

/** Waits as `slow_down` requires and polls again, unless the codes expire before. */
export async function pollLater(
  context: CheckContext,
  grant: Grant,
  slowed: CheckedResponse,
): Promise<CheckedResponse> {
  const told = memberOf(slowed.body, 'interval')
  const next = Math.max(grant.shown.interval + MORE, typeof told === 'number' ? told : 0)
  if (!fits(context, grant, next)) return slowed
  await wait(context, next)
  return poll(context, grant.deviceCode)
}

/** The tokens of a login. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly scope: string | undefined
}

/** The tokens of a response, which are then hidden; `undefined` if it contains no access token. */
export function tokensIn({ wire }: CheckContext, { body }: CheckedResponse): Tokens | undefined {
  const [accessToken, refreshToken] = ['access_token', 'refresh_token'].map((name) => {
    const value = textMemberOf(body, name) || undefined
    if (value) wire.hide(name, value)
    return value
  })
  if (accessToken === undefined) return undefined
  return { accessToken, refreshToken, scope: textMemberOf(body, 'scope') }
}

/** Describes a response without a token. */
export function tokenProblem(response: CheckedResponse): string | undefined {
  if (!textMemberOf(response.body, 'access_token')) return `wanted a token, got ${outcomeOf(response)}`
  return response.status === 200 ? undefined : `wanted status 200, got ${response.status}`
}

/** Whether an address is on the origin of an endpoint, of the issuer, or of the page: what the user wants to test. */
export function isUnderTest({ options }: CheckContext, address: string): boolean {
  const { provider, issuer, pageOrigin } = options
  const { deviceAuthorizationEndpoint, tokenEndpoint } = provider
  return [deviceAuthorizationEndpoint, tokenEndpoint, issuer, pageOrigin].some(
    (known) => known !== undefined && new URL(known).origin === new URL(address).origin,
  )
}

/** Waits the given seconds and a little more. */
export async function wait({ options: { clock, signal } }: CheckContext, seconds: number): Promise<void> {
  let left = lengthened(seconds)
  do {
    await pause(clock, Math.min(left, LONGEST_TIMER), signal)
    left -= LONGEST_TIMER
  } while (left > 0)
}

/** Whether the codes of a grant are still valid after a wait. */
export function fits({ options: { clock } }: CheckContext, { shown }: Grant, seconds: number): boolean {
  return clock.now() + lengthened(seconds) < shown.expiresAt
}

/** Milliseconds. */
function lengthened(seconds: number): number {
  return Math.max(0, seconds * (1 + MARGIN) * 1000)
}

/** Describes a response whose error code is not the wanted one. */
export function wants(wanted: string, response: CheckedResponse): string | undefined {
  if (response.error === wanted) return undefined
  return `wanted ${wanted}, got ${outcomeOf(response)}`
}

/** Names the result of a request: a token, the error code, or the status. */
export function outcomeOf({ status, error, body }: CheckedResponse): string {
  if (status === 0) return 'no response'
  if (memberOf(body, 'access_token') !== undefined) return 'a token'
  return error === undefined ? `status ${status} without an error` : said(error)
}

/** Quotes an error code of the service only if it is a plain word. */
export function said(word: string): string {
  return /^[\w.-]{1,60}$/.test(word) ? word : 'an error code with unusual characters'
}

/** Describes a response that a cache may store. */
export function mayBeStored({ headers }: CheckedResponse): string | undefined {
  const value = headers.get('cache-control')
  return /\bno-store\b/i.test(value ?? '')
    ? undefined
    : `wanted cache-control: no-store, got ${value ?? 'none'}`
}

/** Describes a response that is not declared as JSON. */
export function notJson({ headers }: CheckedResponse): string | undefined {
  const type = headers.get('content-type')
  return /^application\/json\b/i.test(type ?? '')
    ? undefined
    : `wanted application/json, got ${type ?? 'none'}`
}

/** Whether a requirement applies to the dialect of the service. If not, skips it. */
export function isAsked({ dialect, verdicts }: CheckContext, id: DialectRequirement): boolean {
  const { only } = REQUIREMENTS[id]
  if (dialect === only) return true
  verdicts.skip([id], `only in the dialect ${only}`)
  return false
}

type DialectRequirement = {
  [Id in keyof typeof REQUIREMENTS]: (typeof REQUIREMENTS)[Id] extends { readonly only: string } ? Id : never
}[keyof typeof REQUIREMENTS]
