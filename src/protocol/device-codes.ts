import * as v from 'valibot'
import { Secret } from '../secret.ts'
import { DEFAULT_INTERVAL, DEFAULT_LIFETIME, LONGEST_LIFETIME } from './endpoints.ts'
import { parseFields } from './parse-fields.ts'
import { memberOf } from './response.ts'
import { seconds, wholeSeconds } from './seconds.ts'
import { filled, visible, webAddress } from './texts.ts'

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
    /** Seconds. */
    expiresIn: Math.min(codes.expires_in, LONGEST_LIFETIME),
    /** Seconds between polls, one at least: an interval of zero would be a loop without a pause. */
    interval: Math.max(codes.interval, 1),
  })),
)

/**
 * The device codes record: what the service answers to the request for codes.
 *
 * It is only ever received; `parseDeviceCodes` is the one place where it comes from.
 *
 * @group Protocol
 * @see Spec 2.3
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.2 RFC 8628, section 3.2}
 */
export interface DeviceCodes extends v.InferOutput<typeof deviceCodes>, v.Brand<'DeviceCodes'> {}

/**
 * Reads the device codes record from parsed JSON (or the fields of a form-encoded answer).
 *
 * Lengths and alphabets of the codes are not checked; unknown fields are ignored.
 *
 * @throws {@link BadResponseError} that names the fields at fault.
 * @group Protocol
 * @see Spec 2.3
 */
export function parseDeviceCodes(json: unknown): DeviceCodes {
  return parseFields(deviceCodes, json, 'device authorization response') as DeviceCodes
}

/** What of the codes the user is shown. */
export function shownOf({ userCode, verificationUri, verificationUriComplete }: DeviceCodes) {
  return { userCode, verificationUri, ...(verificationUriComplete && { verificationUriComplete }) }
}

/** The user reads one address and opens the other: both must be of one origin. */
function completeOf({
  verification_uri: shown,
  verification_uri_complete: complete,
}: v.InferOutput<typeof record>) {
  if (!complete || new URL(complete).origin !== new URL(shown).origin) return undefined
  return { verificationUriComplete: complete }
}

/** Some services spell the field `verification_url`. */
function withVerificationUri(json: unknown): unknown {
  const verification_uri = memberOf(json, 'verification_url')
  return verification_uri === undefined ? json : { verification_uri, ...(json as object) }
}
