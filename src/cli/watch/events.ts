import type { DeviceSnapshot, DeviceView } from '../../client/view.ts'
import type { Message } from './messages.ts'

/** The authorization is in a state. */
export interface StateEvent {
  readonly type: 'state'
  readonly value: DeviceSnapshot['value']
  readonly view: DeviceView
  /** The times to count down to, once there are codes. */
  readonly times?: {
    /** Seconds. */
    readonly interval: number
    /** Seconds for which the codes were good at first. */
    readonly lifetime: number
    /** Epoch milliseconds, as all that follow. */
    readonly lookedAt: number
    readonly nextPollAt: number
    readonly expiresAt: number
  }
}

/** The machine took a transition: the `branch`-th of those for this event in this state. */
export interface TransitionTaken {
  readonly type: 'transition'
  readonly from: string
  readonly event: string
  readonly branch: number
  readonly to: DeviceSnapshot['value']
}

/** Something passed the wire. */
export interface MessageEvent extends Message {
  readonly type: 'message'
}

/** There is no more to come, and why. */
export interface EndEvent {
  readonly type: 'end'
  readonly text: string
}

/** Comes first on every connection. */
export interface ClockEvent {
  readonly type: 'clock'
  /** The time of the command, epoch milliseconds, and when it began. */
  readonly at: number
  readonly began: number
}

/** What happens to an authorization that is watched: plain data without secrets. */
export type WatchEvent = StateEvent | TransitionTaken | MessageEvent | EndEvent

/** What the page hears: the events, each with its time. */
export type ReceivedEvent = ClockEvent | (WatchEvent & { readonly at: number })
