import * as v from 'valibot'
import type { DeviceStatus, Progress } from '../../machines/device-context.ts'
import { BadResumeError, WrongHostError } from '../errors.ts'
import { parseDeviceCodes, shownOf } from '../protocol/device-codes.ts'
import { filled, finite, isBetween, parseFields, visible, webAddress } from '../protocol/fields.ts'
import type { Provider } from '../protocol/provider.ts'
import { Secret } from '../secret.ts'
import type { ResumeRecord } from './options.ts'
import type { DeviceSnapshot } from './view.ts'

const count = v.custom<number>((value) => Number.isSafeInteger(value) && isBetween(value, 0))

const resumeRecord: v.GenericSchema<unknown, ResumeRecord> = v.object({
  v: v.picklist([1]),
  clientId: filled,
  deviceCode: filled,
  codeVerifier: v.optional(filled),
  dpopKey: v.optional(filled),
  userCode: visible,
  verificationUri: webAddress,
  verificationUriComplete: v.optional(webAddress),
  scopes: v.array(v.string()),
  resource: v.optional(v.array(v.string())),
  tokenEndpoint: v.string(),
  status: v.picklist(['requested', 'pending', 'slowed'] satisfies DeviceStatus[]),
  interval: v.custom<number>((value) => Number.isSafeInteger(value) && isBetween(value, 1)),
  margin: v.custom<number>((value) => isBetween(value, 1, 2)),
  nextPollAt: finite,
  expiresAt: finite,
  expiresIn: v.optional(v.custom<number>((value) => isBetween(value, 0))),
  writtenAt: v.optional(finite),
  faults: v.optional(count),
  forgiven: v.optional(count),
} satisfies Record<keyof ResumeRecord, v.GenericSchema>)

/**
 * Exports a record for `resumeDeviceAuthorization(record)`. Returns `undefined` before the codes have arrived and
 * after the flow has ended.
 *
 * Save it in a listener of {@link watchActor}, and it survives a crash at any moment: the listener is called before a poll
 * is sent, and the record then says when the next one is due. Export before you stop an actor: a stopped one has no
 * record.
 *
 * @example
 * ```ts
 * import {
 *   createDeviceAuthorization,
 *   exportResume,
 *   watchActor,
 * } from 'authgraph'
 *
 * const actor = createDeviceAuthorization({ clientId: 'YOUR_CLIENT_ID' })
 * watchActor(actor, (snapshot) => {
 *   database.save(exportResume(snapshot, Date.now()))
 * })
 * actor.start()
 * ```
 *
 * @param now The current time in epoch milliseconds. While a poll is running, the next one is counted from here.
 */
export function exportResume(snapshot: DeviceSnapshot, now: number): ResumeRecord | undefined {
  const { codes, codeVerifier, dpopKey, flow, status, interval, margin, nextPollAt, expiresAt, lookedAt } =
    snapshot.context
  const { faults, forgiven } = snapshot.context
  if (codes === undefined || snapshot.status !== 'active') return undefined
  // The times of the context are those of the clock before it was set back.
  const writtenAt = Math.max(now, lookedAt)
  return {
    v: 1,
    clientId: flow.clientId.reveal(),
    deviceCode: codes.deviceCode.reveal(),
    ...(codeVerifier && { codeVerifier: codeVerifier.reveal() }),
    ...(dpopKey && { dpopKey: dpopKey.reveal() }),
    ...shownOf(codes),
    scopes: [...flow.scopes],
    ...(flow.resource && { resource: [...flow.resource] }),
    tokenEndpoint: flow.provider.tokenEndpoint,
    status,
    interval,
    margin,
    // Up, so that a program that waits in whole milliseconds is not early.
    nextPollAt: Math.ceil(snapshot.hasTag('polling') ? writtenAt + interval * 1000 * margin : nextPollAt),
    expiresAt,
    expiresIn: codes.expiresIn,
    writtenAt,
    faults,
    forgiven,
  }
}

/** Parses a record into the state that the machine resumes from. */
export function readResume(record: unknown, provider: Provider) {
  const { clientId, scopes, tokenEndpoint, status, interval, margin, nextPollAt, expiresAt, ...rest } =
    parseFields(resumeRecord, record, 'resume record', BadResumeError)
  const { faults = 0, forgiven = 0 } = rest
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
  // Records of earlier versions do not say when they were written: assume the start of the wait.
  const lookedAt = rest.writtenAt ?? nextPollAt - interval * 1000 * margin
  return {
    clientId: new Secret(clientId),
    scopes,
    resource: rest.resource,
    // The request for codes has been sent.
    parameters: {},
    pkce: false,
    resume: {
      codes,
      ...(rest.codeVerifier !== undefined && { codeVerifier: new Secret(rest.codeVerifier) }),
      ...(rest.dpopKey !== undefined && { dpopKey: new Secret(rest.dpopKey) }),
      status,
      interval,
      margin,
      nextPollAt,
      expiresAt,
      lookedAt,
      faults,
      forgiven,
    } satisfies Progress,
  }
}
