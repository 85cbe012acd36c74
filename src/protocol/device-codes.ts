import * as v from 'valibot'
import { Secret } from '../secret.ts'
import { badFields } from './bad-fields.ts'
import { DEFAULT_INTERVAL, DEFAULT_LIFETIME, LONGEST_LIFETIME } from './endpoints.ts'
import { seconds, wholeSeconds } from './seconds.ts'

/** Control and formatting characters: they would let a service write to the terminal that shows the code. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** What may be shown to a user. */
export const visible = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.check((text) => !INVISIBLE.test(text)),
)

/** What a user may be sent to. */
export const webAddress = v.pipe(visible, v.url(), v.regex(/^https?:\/\//i))

const record = v.object({
  device_code: v.pipe(v.string(), v.nonEmpty()),
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
    ...(codes.verification_uri_complete && { verificationUriComplete: codes.verification_uri_complete }),
    /** Seconds. */
    expiresIn: Math.min(codes.expires_in, LONGEST_LIFETIME),
    /** Seconds between polls, one at least: an interval of zero would be a loop without a pause. */
    interval: Math.max(codes.interval, 1),
  })),
  v.brand('DeviceCodes'),
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
export interface DeviceCodes extends v.InferOutput<typeof deviceCodes> {}

/**
 * Reads the device codes record from parsed JSON (or the fields of a form-encoded answer).
 *
 * Lengths and alphabets of the codes are not checked; unknown fields are ignored.
 *
 * @throws BadAnswerError that names the fields at fault.
 * @group Protocol
 * @see Spec 2.3
 */
export function parseDeviceCodes(json: unknown): DeviceCodes {
  const parsed = v.safeParse(deviceCodes, json)
  if (!parsed.success) throw badFields('answer with the codes', parsed.issues)
  return parsed.output
}

/** What of the codes the user is shown. */
export function shownOf({ userCode, verificationUri, verificationUriComplete }: DeviceCodes) {
  return { userCode, verificationUri, ...(verificationUriComplete && { verificationUriComplete }) }
}

/** Some services spell the field `verification_url`. */
function withVerificationUri(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || !('verification_url' in json)) return json
  return { verification_uri: json.verification_url, ...json }
}
