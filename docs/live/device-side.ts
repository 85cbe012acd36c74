import { deviceAuthorization } from 'authgraph/machines'
import type { RecordedEvent, RecordedState, RecordedTransition } from '../../src/recording/events.ts'
import { stateId } from '../../src/recording/state-id.ts'
import { showCountdowns, showDevice } from './device-screen.ts'
import { announce, timeLeft } from './elements.ts'
import { Lights } from './lights.ts'
import type { Moment } from './story.ts'

/** What happened when the device came to a state. It stays true while the wait that follows is counted down. */
const CAPTIONS: Readonly<Record<string, (times: NonNullable<RecordedState['times']>) => string>> = {
  requesting: () => 'The device asks the service for a code.',
  'waiting.requested': () => 'The code is here. The user opens the address on any phone and enters it.',
  polling: () => 'The device asks whether the user has decided.',
  'waiting.pending': (times) => `Not yet. The next poll is due ${untilPoll(times)} later.`,
  'waiting.slowed': (times) =>
    `The service asked the device to slow down: the next poll is due ${untilPoll(times)} later.`,
  'waiting.retrying': (times) => `No usable response. The device tries again ${untilPoll(times)} later.`,
  authorized: () => 'The device has its token: the login is complete.',
  denied: () => 'The user denied the request, and the device has learned it.',
  expired: () => 'Nobody entered the code in time: it has expired.',
  cancelled: () => 'The device stopped waiting.',
  failed: () => 'The device met an error that another poll cannot fix.',
}

const NO_TIMES = { interval: 0, lifetime: 0, lookedAt: 0, nextPollAt: 0, expiresAt: 0 }

/** The device on the page: its screen and its machine, which show recorded events. */
export class DeviceSide {
  readonly #lights = new Lights('#device-picture', deviceAuthorization, 'device')
  /** The transitions whose state is not known yet. */
  readonly #taken: RecordedTransition[] = []
  /** The state on the screen. */
  #shown: (RecordedState & { readonly at: number }) | undefined

  clear(): void {
    this.#lights.clear()
    this.#shown = undefined
    showDevice({ view: { status: 'requested', activity: 'requesting', text: 'Not started.', polls: 0 } })
    this.tick()
  }

  /**
   * Shows how much time is left.
   *
   * @param now Epoch milliseconds by the clock of the device. Default: when the state on the screen began.
   */
  tick(now?: number): void {
    showCountdowns(this.#shown, now ?? this.#shown?.at ?? 0)
  }

  /**
   * A state is one moment, together with the transitions that led to it.
   *
   * @param at Milliseconds since the story began.
   */
  momentOf(event: RecordedEvent & { readonly type: 'state' | 'transition' }, at: number): Moment | undefined {
    if (event.type === 'state') return this.#momentOfState(event, at, this.#taken.splice(0))
    this.#taken.push(event)
    return undefined
  }

  #momentOfState(
    state: RecordedState & { readonly at: number },
    at: number,
    taken: readonly RecordedTransition[],
  ): Moment {
    const { value, view, times = NO_TIMES } = state
    const id = stateId(value)
    return {
      at,
      caption: CAPTIONS[id]?.(times),
      paint: (isNow) => {
        for (const { from, event, branch, to } of taken) {
          const transition = this.#lights.branch(from, event, branch)
          if (transition) this.#lights.take(transition, stateId(to), at, isNow)
        }
        this.#shown = state
        this.#lights.light(id)
        // A fault explains the state that it led to.
        if (view.error && view.activity !== 'polling') this.#lights.explain(view.error.message)
        showDevice(state)
        this.tick()
        // Announces only the result of a poll.
        if (isNow && view.activity !== 'polling') announce(`Device: ${view.text}`)
      },
    }
  }
}

function untilPoll({ lookedAt, nextPollAt }: NonNullable<RecordedState['times']>): string {
  return timeLeft(nextPollAt - lookedAt)
}
