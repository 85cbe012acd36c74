import type { SnapshotFrom } from 'xstate'
import type { DeviceResult, DeviceStatus, deviceAuthorization } from '../../machines/device-authorization.ts'
import { type AnyAuthgraphError, AuthgraphError } from '../errors.ts'
import { shownOf } from '../protocol/device-codes.ts'

/**
 * A snapshot of a device authorization.
 *
 * @group Device authorization
 */
export type DeviceSnapshot = SnapshotFrom<typeof deviceAuthorization>

/**
 * What a user interface shows of an authorization: plain data without secrets.
 *
 * @group Device authorization
 */
export interface DeviceView {
  /** How the authorization stands, in the words of the specification, or how it ended. */
  readonly status: DeviceStatus | DeviceResult['status']
  /** What it is doing; nothing once it has ended. */
  readonly activity?: 'requesting' | 'waiting' | 'polling' | 'retrying'
  /** One sentence for the user. */
  readonly text: string
  readonly userCode?: string
  readonly verificationUri?: string
  readonly verificationUriComplete?: string
  /** Whole seconds until the codes expire. */
  readonly secondsLeft?: number
  /** Whole seconds until the next poll; nothing where the codes expire before it. */
  readonly secondsToNextPoll?: number
  /** Polls sent so far. */
  readonly polls: number
  /** The last fault while it is being retried, or what ended the flow. */
  readonly error?: { readonly code: AnyAuthgraphError['code']; readonly message: string }
}

/** How an actor shows that was ended from outside: stopped by the caller, or broken by a defect. */
const ENDED = {
  stopped: { status: 'cancelled', text: 'Cancelled.' },
  error: { status: 'failed', text: 'Something went wrong.' },
} as const

/**
 * Reads a snapshot into what a user interface shows. An actor that was stopped shows as cancelled.
 *
 * @param now Epoch milliseconds.
 * @group Device authorization
 */
export function viewOf(snapshot: DeviceSnapshot, now: number): DeviceView {
  const { status, codes, nextPollAt, expiresAt, polls, error } = snapshot.context
  if (snapshot.status === 'stopped' || snapshot.status === 'error')
    return { ...ENDED[snapshot.status], polls }
  const activity = activityOf(snapshot)
  return {
    status: snapshot.output?.status ?? status,
    ...(activity && { activity }),
    text: textOf(snapshot),
    ...(codes && activity && { ...shownOf(codes), secondsLeft: secondsUntil(expiresAt, now) }),
    ...((activity === 'waiting' || activity === 'retrying') &&
      nextPollAt < expiresAt && { secondsToNextPoll: secondsUntil(nextPollAt, now) }),
    polls,
    // An error that is none of ours is a defect, and may quote anything.
    ...(error instanceof AuthgraphError &&
      explains(snapshot) && { error: { code: error.code, message: error.message } }),
  }
}

/** A fault of the past is no reason of another end. */
function explains({ status, output }: DeviceSnapshot): boolean {
  return status === 'active' || output?.status === 'failed'
}

function activityOf(snapshot: DeviceSnapshot): DeviceView['activity'] {
  return (['retrying', 'waiting', 'polling', 'requesting'] as const).find((activity) =>
    snapshot.hasTag(activity),
  )
}

/** The text of the innermost state. */
function textOf(snapshot: DeviceSnapshot): string {
  return Object.values(snapshot.getMeta()).at(-1)?.text ?? ''
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000))
}
