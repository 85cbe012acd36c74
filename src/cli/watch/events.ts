import type { DeviceSnapshot, DeviceView } from '../../client/view.ts'
import type { Message } from './messages.ts'

/** The authorization is in a state. */
export interface StateEvent {
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
export interface TransitionTaken {
  readonly type: 'transition'
  readonly from: string
  readonly event: string
  readonly branch: number
  readonly to: DeviceSnapshot['value']
}

/** An HTTP request or response. */
export interface MessageEvent extends Message {
  readonly type: 'message'
}

/** The last event, and why. */
export interface EndEvent {
  readonly type: 'end'
  readonly text: string
}

/** The first event on every connection. */
export interface ClockEvent {
  readonly type: 'clock'
  /** The current time and the start of the command, epoch milliseconds. */
  readonly at: number
  readonly began: number
}

/** An event of a watched authorization: plain data without secrets. */
export type WatchEvent = StateEvent | TransitionTaken | MessageEvent | EndEvent

/** An event as the page receives it, with its time. */
export type ReceivedEvent = ClockEvent | (WatchEvent & { readonly at: number })
