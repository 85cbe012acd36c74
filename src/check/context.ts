import type { ShownCodes } from '../client/options.ts'
import type { Clock } from '../protocol/clock.ts'
import { parseDeviceCodes, shownOf } from '../protocol/device-codes.ts'
import { DEVICE_GRANT_TYPE } from '../protocol/endpoints.ts'
import { memberOf } from '../protocol/response.ts'
import type { CheckOptions } from './options.ts'
import { REQUIREMENTS } from './requirements.ts'
import type { createVerdicts } from './verdicts.ts'
import type { CheckedResponse, createWire, Fields } from './wire.ts'

/** How much longer than required to wait, as a part of the wait: timers and clocks are not exact. */
const MARGIN = 0.05

/** Milliseconds of the longest possible timer: a longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

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
  { wire, options, clientId, encoding }: CheckContext,
  more: Fields = [],
  scopes = options.scopes ?? [],
): Promise<CheckedResponse> {
  const { provider } = options
  // RFC 6749 uses a space here. GitHub accepts both.
  const scope = scopes.join(options.dialect === 'github' ? ',' : ' ')
  const named = new Set(more.map(([name]) => name))
  const usual: Fields = [['client_id', clientId], ...(scope ? [['scope', scope] as const] : [])]
  return wire.send({
    method: 'POST',
    url: provider.deviceAuthorizationEndpoint,
    fields: [...usual.filter(([name]) => !named.has(name)), ...more],
    encoding,
  })
}

/** Reads a response with codes; `undefined` if it contains none. */
export function grantIn({ wire, options }: CheckContext, response: CheckedResponse): Grant | undefined {
  try {
    const codes = parseDeviceCodes(response.body)
    const deviceCode = codes.deviceCode.reveal()
    wire.hide('device_code', deviceCode)
    const expiresAt = options.clock.now() + codes.expiresIn * 1000
    return { response, deviceCode, shown: { ...shownOf(codes), expiresAt, interval: codes.interval } }
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
  const { wire, options, clientId, encoding, polls } = context
  const usual = { client_id: clientId, device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE, ...change }
  const fields = Object.entries(usual).filter((field): field is [string, string] => field[1] !== undefined)
  const response = await wire.send({
    method: 'POST',
    url: options.provider.tokenEndpoint,
    fields: [...fields, ...more],
    encoding,
  })
  polls.push(response)
  return response
}

/** Waits the given seconds and a little more. */
export async function wait({ options: { clock, signal } }: CheckContext, seconds: number): Promise<void> {
  let left = lengthened(seconds)
  do {
    await pause(clock, Math.min(left, LONGEST_TIMER), signal)
    left -= LONGEST_TIMER
  } while (left > 0)
}

function pause(clock: Clock, delay: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clock.clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, delay)
    signal?.addEventListener('abort', end, { once: true })
  })
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
