import { deviceAuthorization } from 'authgraph/machines'
import type { RecordedEvent, RecordedState, RecordedTransition } from '../../src/recording/events.ts'
import { stateId } from '../../src/recording/state-id.ts'
import { showCountdowns, showDevice } from './device-screen.ts'
import { announce } from './elements.ts'
import { Lights } from './lights.ts'
import type { Moment } from './story.ts'

/** What happened when the device came to a state. It stays true while the wait that follows is counted down. */
const CAPTIONS: Readonly<Record<string, string>> = {
  requesting: 'The device asks the service for a code.',
  'waiting.requested': 'The code is here. The user opens the address on any phone and enters it.',
  polling: 'The device asks whether the user has decided.',
  'waiting.pending': 'At this poll, the user had not decided.',
  'waiting.slowed': 'The service asked the device to slow down.',
  'waiting.retrying': 'No usable response. The device will try again.',
  authorized: 'The device has its token: the login is complete.',
  denied: 'The user denied the request, and the device knows.',
  expired: 'Nobody entered the code in time: it has expired.',
  cancelled: 'The device stopped waiting.',
  failed: 'The device hit an error that polling again cannot fix.',
}

/** What follows the task of the user in the states that wait for it. */
const MEANWHILE: Readonly<Record<string, string>> = {
  'waiting.requested': '',
  polling: ' The device is checking.',
  'waiting.pending': '',
}

/** The device on the page: its screen and its machine, which show recorded events. */
export class DeviceSide {
  readonly #lights = new Lights('device', deviceAuthorization, 'device')
  /** The transitions whose state is not known yet. */
  readonly #taken: RecordedTransition[] = []
  /** The state on the screen. */
  #shown: (RecordedState & { readonly at: number }) | undefined
  /** Says what the user has to do, as long as a login waits for it. */
  task: (() => string) | undefined

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
    const { value, view } = state
    const id = stateId(value)
    return {
      at,
      state: this.#lights.shown(id),
      caption: this.task && id in MEANWHILE ? this.task() + MEANWHILE[id] : CAPTIONS[id],
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
