import * as v from 'valibot'
import type { DeviceStatus, Progress } from '../../machines/device-authorization.ts'
import { BadResumeError, WrongHostError } from '../errors.ts'
import { parseDeviceCodes, shownOf } from '../protocol/device-codes.ts'
import { parseFields } from '../protocol/parse-fields.ts'
import type { Provider } from '../protocol/provider.ts'
import { isScopes } from '../protocol/scopes.ts'
import { filled, visible, webAddress } from '../protocol/texts.ts'
import { Secret } from '../secret.ts'
import type { DeviceSnapshot } from './view.ts'

const STANDINGS: readonly unknown[] = ['requested', 'pending', 'slowed'] satisfies DeviceStatus[]

const finite = v.custom<number>(Number.isFinite)

/**
 * All that another process needs to go on with an authorization.
 *
 * **Sensitive**: it holds the device code and the client id in the clear. Keep it where you would keep the token.
 *
 * @group Device authorization
 */
export interface ResumeRecord {
  /** The version of this form. */
  v: 1
  clientId: string
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete?: string | undefined
  scopes: string[]
  /** Where the device code may be sent. */
  tokenEndpoint: string
  status: DeviceStatus
  /** Seconds between two polls. */
  interval: number
  /** What a wait is multiplied by, since clocks drift: from 1 to 2. */
  margin: number
  /** Epoch milliseconds. */
  nextPollAt: number
  /** Epoch milliseconds. */
  expiresAt: number
  /** Seconds for which the codes were valid at first; 900 where it is missing. */
  expiresIn?: number | undefined
  /** When the record was written, epoch milliseconds. A clock that shows less is behind: all times are set back with it. */
  writtenAt?: number | undefined
}

const resumeRecord: v.GenericSchema<unknown, ResumeRecord> = v.object({
  v: v.custom<1>((version) => version === 1),
  clientId: filled,
  deviceCode: filled,
  userCode: visible,
  verificationUri: webAddress,
  verificationUriComplete: v.optional(webAddress),
  scopes: v.custom<string[]>(isScopes),
  tokenEndpoint: v.string(),
  status: v.custom<DeviceStatus>((status) => STANDINGS.includes(status)),
  interval: v.pipe(
    v.custom<number>(Number.isSafeInteger),
    v.check((interval) => interval >= 1),
  ),
  margin: v.pipe(
    finite,
    v.check((margin) => margin >= 1 && margin <= 2),
  ),
  nextPollAt: finite,
  expiresAt: finite,
  expiresIn: v.optional(
    v.pipe(
      finite,
      v.check((seconds) => seconds >= 0),
    ),
  ),
  writtenAt: v.optional(finite),
})

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
  const { codes, flow, status, interval, margin, nextPollAt, expiresAt, lookedAt } = snapshot.context
  if (codes === undefined || snapshot.status !== 'active') return undefined
  // The times of the context are those of the clock before it was set back.
  const writtenAt = Math.max(now, lookedAt)
  return {
    v: 1,
    clientId: flow.clientId.reveal(),
    deviceCode: codes.deviceCode.reveal(),
    ...shownOf(codes),
    scopes: [...flow.scopes],
    tokenEndpoint: flow.provider.tokenEndpoint,
    status,
    interval,
    margin,
    nextPollAt: snapshot.hasTag('polling') ? writtenAt + interval * 1000 * margin : nextPollAt,
    expiresAt,
    expiresIn: codes.expiresIn,
    writtenAt,
  }
}

/** Reads a record into what the machine goes on from. */
export function readResume(
  record: unknown,
  provider: Provider,
): { readonly clientId: Secret; readonly scopes: readonly string[]; readonly resume: Progress } {
  const { clientId, scopes, tokenEndpoint, status, interval, margin, nextPollAt, expiresAt, ...rest } =
    parseFields(resumeRecord, record, 'resume record', BadResumeError)
  if (tokenEndpoint !== provider.tokenEndpoint) {
    throw new WrongHostError(
      'the resume record belongs to another provider: pass the provider it was created with',
    )
  }
  const codes = parseDeviceCodes({
    device_code: rest.deviceCode,
    user_code: rest.userCode,
    verification_uri: rest.verificationUri,
    verification_uri_complete: rest.verificationUriComplete,
    expires_in: rest.expiresIn,
    interval,
  })
  // A record of an earlier version: written when its wait began.
  const lookedAt = rest.writtenAt ?? nextPollAt - interval * 1000 * margin
  return {
    clientId: new Secret(clientId),
    scopes,
    resume: { codes, status, interval, margin, nextPollAt, expiresAt, lookedAt },
  }
}
