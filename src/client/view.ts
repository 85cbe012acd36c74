import type { SnapshotFrom } from 'xstate'
import type { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { DeviceResult, DeviceStatus } from '../../machines/device-context.ts'
import { type AnyAuthgraphError, AuthgraphError } from '../errors.ts'
import { shownOf } from '../protocol/device-codes.ts'

/** A snapshot of a device authorization. */
export type DeviceSnapshot = SnapshotFrom<typeof deviceAuthorization>

/** What a user interface shows of an authorization: plain data without secrets. */
export interface DeviceView {
  /** The result of the last poll (`requested` before the first one), or how the authorization ended. */
  readonly status: DeviceStatus | DeviceResult['status']
  /** What it is doing now; absent once it has ended. */
  readonly activity?: 'requesting' | 'waiting' | 'polling' | 'retrying'
  /** One sentence to show to the user. */
  readonly text: string
  /** The code that the user enters. */
  readonly userCode?: string
  /** The URL where the user enters the code. */
  readonly verificationUri?: string
  /** The URL that contains the code, if the service sent one. */
  readonly verificationUriComplete?: string
  /** Whole seconds until the codes expire. */
  readonly secondsLeft?: number
  /** Whole seconds until the next poll; absent if the codes expire before it. */
  readonly secondsToNextPoll?: number
  /** Polls sent so far. */
  readonly polls: number
  /** The last fault while it is being retried, or the error that ended the flow. */
  readonly error?: { readonly code: AnyAuthgraphError['code']; readonly message: string }
}

/** The view of an actor that was ended from outside: stopped by the caller, or broken by a bug. */
const ENDED = {
  stopped: { status: 'cancelled', text: 'Cancelled.' },
  error: { status: 'failed', text: 'Something went wrong.' },
} as const

/**
 * Turns a snapshot into plain data for a user interface. A stopped actor is shown as cancelled.
 *
 * @example
 * ```ts
 * import { createDeviceAuthorization, viewOf } from 'authgraph'
 *
 * const actor = createDeviceAuthorization({ clientId: 'YOUR_CLIENT_ID' })
 * const { text, userCode, verificationUri, secondsLeft } = viewOf(
 *   actor.getSnapshot(),
 *   Date.now(),
 * )
 * ```
 *
 * @param now The current time in epoch milliseconds.
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
    // Any other error is a bug, and its message may quote anything.
    ...(error instanceof AuthgraphError &&
      explains(snapshot) && { error: { code: error.code, message: error.message } }),
  }
}

/** A past fault does not explain how the flow ended otherwise. */
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
