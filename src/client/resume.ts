import * as v from 'valibot'
import type { Progress } from '../../machines/device-authorization.ts'
import { BadResumeError, WrongHostError } from '../errors.ts'
import { parseDeviceCodes, shownOf, visible, webAddress } from '../protocol/device-codes.ts'
import type { Profile } from '../protocol/profiles.ts'
import { Secret } from '../secret.ts'
import type { DeviceSnapshot } from './view.ts'

const resumeRecord = v.object({
  /** The version of this form. */
  v: v.literal(1),
  clientId: v.pipe(v.string(), v.nonEmpty()),
  deviceCode: v.pipe(v.string(), v.nonEmpty()),
  userCode: visible,
  verificationUri: webAddress,
  verificationUriComplete: v.optional(webAddress),
  scopes: v.array(v.string()),
  /** Where the device code may be sent. */
  tokenEndpoint: v.string(),
  status: v.picklist(['requested', 'pending', 'slowed']),
  /** Seconds. */
  interval: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  margin: v.pipe(v.number(), v.minValue(1), v.maxValue(2)),
  /** Epoch milliseconds. */
  nextPollAt: v.pipe(v.number(), v.finite()),
  /** Epoch milliseconds. */
  expiresAt: v.pipe(v.number(), v.finite()),
})

/**
 * All that another process needs to go on with an authorization.
 *
 * **Sensitive**: it holds the device code and the client id in the clear. Keep it where you would keep the token.
 *
 * @group Device authorization
 */
export interface ResumeRecord extends v.InferOutput<typeof resumeRecord> {}

/**
 * Writes the record from which `createDeviceAuthorization({ resume })` goes on; `undefined` where there are no codes
 * yet, or nothing is left to do.
 *
 * Written down by each call of a listener of {@link watch}, the record is safe against the end of the process at any
 * moment: the listener is called before a poll leaves, and the record then says when the next one is due. A stopped
 * actor has no record: export it before.
 *
 * @param now Epoch milliseconds: while a poll is on its way, the next one counts from here.
 * @group Device authorization
 */
export function exportResume(snapshot: DeviceSnapshot, now: number): ResumeRecord | undefined {
  const { codes, flow, status, interval, margin, nextPollAt, expiresAt } = snapshot.context
  if (codes === undefined || snapshot.status !== 'active') return undefined
  return {
    v: 1,
    clientId: flow.clientId.reveal(),
    deviceCode: codes.deviceCode.reveal(),
    ...shownOf(codes),
    scopes: [...flow.scopes],
    tokenEndpoint: flow.profile.tokenEndpoint,
    status,
    interval,
    margin,
    nextPollAt: snapshot.hasTag('polling') ? now + interval * 1000 * margin : nextPollAt,
    expiresAt,
  }
}

/** Reads a record into what the machine goes on from. */
export function readResume(
  record: unknown,
  profile: Profile,
): { readonly clientId: Secret; readonly scopes: readonly string[]; readonly resume: Progress } {
  const parsed = v.safeParse(resumeRecord, record)
  if (!parsed.success) throw new BadResumeError(parsed.issues.map((issue) => v.getDotPath(issue)))
  const { clientId, scopes, tokenEndpoint, status, interval, margin, nextPollAt, expiresAt, ...shown } =
    parsed.output
  if (tokenEndpoint !== profile.tokenEndpoint) {
    throw new WrongHostError('the resume record is of another service than the profile')
  }
  const codes = parseDeviceCodes({
    device_code: shown.deviceCode,
    user_code: shown.userCode,
    verification_uri: shown.verificationUri,
    verification_uri_complete: shown.verificationUriComplete,
    interval,
  })
  return {
    clientId: new Secret(clientId),
    scopes,
    resume: { codes, status, interval, margin, nextPollAt, expiresAt },
  }
}
