import * as v from 'valibot'
import type { KeptToken, ReadResult } from '../../machines/session-context.ts'
import { isDue } from '../../machines/session-selectors.ts'
import {
  type AuthgraphError,
  BadOptionError,
  DamagedRecordError,
  type ErrorCode,
  WrongHostError,
} from '../errors.ts'
import { parseFields } from '../protocol/fields.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import type { Provider } from '../protocol/provider.ts'
import { exportToken, importToken } from '../protocol/token-record.ts'
import type { Json } from '../store/store.ts'
import type { SessionData } from './session-store.ts'

/** Seconds for which a returned token must remain valid. */
export const MIN_VALIDITY = 60

/** The codes of errors of a request that was sent, but got no usable response. */
const UNCLEAR: readonly ErrorCode[] = [
  'unreachable',
  'timed_out',
  'bad_response',
  'response_too_large',
  'redirected',
]

/** The session that may use the refresh token, and a random text for each time that it was given the right. */
const claim = v.object({ owner: v.string(), nonce: v.string() })

const json = v.custom<Json>((value) => value !== undefined)

const ofCaller = { data: v.exactOptional(json), secret: v.exactOptional(json) }

const record = v.variant('status', [
  v.object({
    v: v.literal(1),
    status: v.literal('signedIn'),
    /** Random, made at each login. */
    login: v.string(),
    generation: v.number(),
    /** The origins of the token endpoint and of the API. */
    origins: v.array(v.string()),
    /** Epoch milliseconds. */
    sentAt: v.number(),
    /** Sensitive: a `TokenRecord`. */
    token: json,
    claim: v.exactOptional(claim),
    ...ofCaller,
  }),
  v.object({
    v: v.literal(1),
    status: v.picklist(['signedOut', 'ended']),
    /** The login that is over: a write of it that comes late must not bring it back. */
    login: v.exactOptional(v.string()),
    ...ofCaller,
  }),
])

export type SessionRecord = v.InferOutput<typeof record>

export type Claim = v.InferOutput<typeof claim>

export type SignedInRecord = Extract<SessionRecord, { status: 'signedIn' }>

/** Tells whether a refresh that failed with this error may have used its refresh token. */
export function isUnclear({ code }: AuthgraphError): boolean {
  return UNCLEAR.includes(code)
}

/** Parses a stored record. Throws DamagedRecordError if it is not one. */
export function readSession(json: Json | undefined): SessionRecord | undefined {
  return json === undefined ? undefined : parseFields(record, json, 'stored session', DamagedRecordError)
}

/** Throws WrongHostError for the login of another service. */
export function refuseOtherHost(record: SessionRecord | undefined, provider: Provider): void {
  if (record?.status === 'signedIn' && record.origins.join() !== originsOf(provider).join())
    throw new WrongHostError(
      'the stored login belongs to another service, so nothing was sent: use another name or store',
    )
}

/** Finds the login in a record. Throws as `readSession` and `refuseOtherHost` do. */
export function findLogin(json: Json | undefined, provider: Provider): ReadResult {
  const record = readSession(json)
  refuseOtherHost(record, provider)
  if (record?.status === 'signedIn') return { type: 'found', kept: keptOf(record) }
  return { type: record?.status === 'ended' ? 'ended' : 'nothing' }
}

/** Finds the token that a session would return without a request. Throws as `findLogin` does. */
export function findValidToken(
  json: Json | undefined,
  provider: Provider,
  now: number,
): OAuthToken | undefined {
  const found = findLogin(json, provider)
  if (found.type !== 'found') return undefined
  const { kept } = found
  const facts = { kept, result: undefined, rejected: false, flow: { minValidity: MIN_VALIDITY * 1000 } }
  return isDue(facts, now) ? undefined : kept.token
}

export function loginRecord(
  { login, generation, token, sentAt }: KeptToken,
  provider: Provider,
  ofCaller: SessionData = {},
): SignedInRecord {
  return {
    v: 1,
    status: 'signedIn',
    login,
    generation,
    origins: originsOf(provider),
    sentAt,
    token: { ...exportToken(token) },
    ...dataOf(ofCaller),
  }
}

/** The data of the caller in a record, which may need it for the next login, too. */
export function dataOf({ data, secret }: SessionData): SessionData {
  return { ...(data !== undefined && { data }), ...(secret !== undefined && { secret }) }
}

/** Reads the token of a record. Throws DamagedRecordError if it is not one. */
export function keptOf({ login, generation, token, sentAt }: SignedInRecord): KeptToken {
  try {
    return { login, generation, token: importToken(token), sentAt }
  } catch (error) {
    throw error instanceof BadOptionError ? new DamagedRecordError(error.message) : error
  }
}

function originsOf({ tokenEndpoint, baseUrl }: Provider): string[] {
  return [tokenEndpoint, ...(baseUrl === undefined ? [] : [baseUrl])].map(
    (address) => new URL(address).origin,
  )
}
