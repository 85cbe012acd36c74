import * as v from 'valibot'
import { memberOf } from '../request/http.ts'
import { nameResponse } from '../request/name-request.ts'
import type { ReceivedResponse } from '../request/received-response.ts'
import { Secret } from '../secret.ts'
import { DEFAULT_INTERVAL, DEFAULT_LIFETIME, LONGEST_LIFETIME } from './endpoints.ts'
import { filled, parseFields, seconds, visible, webAddress, wholeSeconds } from './fields.ts'
import { refusalWithout } from './refusal.ts'

const record = v.object({
  device_code: filled,
  user_code: visible,
  verification_uri: webAddress,
  verification_uri_complete: v.nullish(webAddress),
  expires_in: v.nullish(seconds, DEFAULT_LIFETIME),
  interval: v.nullish(wholeSeconds, DEFAULT_INTERVAL),
})

const deviceCodes = v.pipe(
  v.unknown(),
  v.transform(withVerificationUri),
  record,
  v.transform((codes) => ({
    deviceCode: new Secret(codes.device_code),
    userCode: codes.user_code,
    verificationUri: codes.verification_uri,
    ...completeOf(codes),
    expiresIn: Math.min(codes.expires_in, LONGEST_LIFETIME),
    // An interval of zero would poll without a pause.
    interval: Math.max(codes.interval, 1),
  })),
)

declare const PARSED: unique symbol

/**
 * The device codes: the response of the device authorization endpoint.
 *
 * `parseDeviceCodes` is the only way to create one.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export interface DeviceCodes {
  readonly deviceCode: Secret
  readonly userCode: string
  readonly verificationUri: string
  /** Contains the user code. */
  readonly verificationUriComplete?: string
  /** Seconds. */
  readonly expiresIn: number
  /** Seconds between polls, at least one. */
  readonly interval: number
  readonly [PARSED]: true
}

/**
 * Parses the device codes from JSON, or from the fields of a form-encoded response.
 *
 * It does not check the length or alphabet of the codes, and ignores unknown fields.
 *
 * @param name Names the response in errors; a function is called only for an error.
 * @throws {@link BadResponseError} that names the invalid fields.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export function parseDeviceCodes(
  json: unknown,
  name: string | (() => string) = 'device authorization response',
): DeviceCodes {
  return parseFields(deviceCodes, json, name) as DeviceCodes
}

/**
 * Reads the device codes from a response.
 *
 * @throws {@link RefusedError} if the service responds with an error; {@link BadResponseError}.
 */
export function readDeviceCodes(response: ReceivedResponse): DeviceCodes {
  const refusal = refusalWithout('device_code', response)
  if (refusal) throw refusal
  return parseDeviceCodes(response.body, () => nameResponse('device authorization response', response))
}

export function shownOf({ userCode, verificationUri, verificationUriComplete }: DeviceCodes) {
  return { userCode, verificationUri, ...(verificationUriComplete && { verificationUriComplete }) }
}

/** The user reads one URL and opens the other, so both must have the same origin. */
function completeOf({
  verification_uri: shown,
  verification_uri_complete: complete,
}: v.InferOutput<typeof record>) {
  if (!complete || new URL(complete).origin !== new URL(shown).origin) return undefined
  return { verificationUriComplete: complete }
}

/** Some services call the field `verification_url`. */
function withVerificationUri(json: unknown): unknown {
  const verification_uri = memberOf(json, 'verification_url')
  return verification_uri === undefined ? json : { verification_uri, ...(json as object) }
}
