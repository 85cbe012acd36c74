import type { DeviceGrantState } from '../../machines/device-grant.ts'
import type { DeviceSnapshot, DeviceView } from '../client/view.ts'
import type { Message } from './messages.ts'

/** The authorization is in a state. */
export interface RecordedState {
  readonly type: 'state'
  readonly value: DeviceSnapshot['value']
  readonly view: DeviceView
  /** The data of the countdowns, once there are codes. */
  readonly times?: {
    /** Seconds. */
    readonly interval: number
    /** Seconds from the codes to their expiry. */
    readonly lifetime: number
    /** Epoch milliseconds, like the following times. */
    readonly lookedAt: number
    readonly nextPollAt: number
    readonly expiresAt: number
  }
}

/** The machine took a transition. `branch` is its index among those for this event in this state. */
export interface RecordedTransition {
  readonly type: 'transition'
  readonly from: string
  readonly event: string
  readonly branch: number
  readonly to: DeviceSnapshot['value']
}

/** An HTTP request or response. */
export interface RecordedMessage extends Message {
  readonly type: 'message'
}

/** The grant of the authorization changed, on the side of its service. Recorded only where the service is ours. */
export interface RecordedGrant {
  readonly type: 'grant'
  readonly state: DeviceGrantState
  /** Seconds. */
  readonly interval: number
}

/** The last event, and why. */
export interface RecordedEnd {
  readonly type: 'end'
  readonly text: string
}

/** An event of a recorded authorization, with its time in epoch milliseconds: plain data without secrets. */
export type RecordedEvent = (
  | RecordedState
  | RecordedTransition
  | RecordedMessage
  | RecordedGrant
  | RecordedEnd
) & {
  readonly at: number
}
